// Messages on their way when something comes between: a chat of its own, a refusal, a lock, an answer that comes late.
import assert from "node:assert/strict";
import { test } from "node:test";
import { view } from "../../chat/static/chat/core/talk.js";
import { feed, frame, fresh, online, opened, p, sent, turn } from "./help.js";

const row = (id, more = {}) => ({ id, title: id, agentId: null, pinned: false, archived: false, updatedAt: 10, version: 1, live: null, ...more });
const listed = (...rows) => ({ type: "listed", answer: { conversations: rows, deleted: [], cursor: "k", epoch: "e", full: true } });
const submit = (more = {}) => ({ type: "submit", text: "hello", images: [], newId: "c-new", turnId: "t-9", now: 5, ...more });
const image = { name: "a.png", mediaType: "image/png", data: "AA==", url: "blob:x" };
const error = { code: "bad_request", message: "No." };
const doing = (effects) => effects.map((e) => e.do);

test("a first message that was refused takes its chat along when it is taken back, and comes back into the box", () => {
  const [refused] = feed([online, listed(), submit(), frame({ type: "error", ref: "send:t-9", ...error })]);
  const [state, effects] = feed([{ type: "cancel", turnId: "t-9" }], refused);
  assert.deepEqual([Object.keys(state.library.rows), state.current, state.talks["c-new"], state.outbox, state.drafts[""].text], [[], null, undefined, [], "hello"]);
  assert.deepEqual(doing(effects), ["go", "focus"]);
});

test("a message that is taken back never overwrites what stands in the box", () => {
  const [state] = feed([...opened, { type: "link", link: "offline" }, submit(), { type: "draft", text: "new", images: [] }, { type: "cancel", turnId: "t-9" }]);
  assert.deepEqual([state.outbox, state.drafts["c-1"].text], [[], "new"]);
});

test("a message that has gone meanwhile cannot be taken back", () => {
  const [state] = feed([...opened, submit(), ...turn("t-9", [{ type: "user_text", text: "hello", images: [] }])]);
  assert.deepEqual(feed([{ type: "cancel", turnId: "t-9" }], state), [state, []]);
});

test("sending one again leaves the others as they are", () => {
  const refusal = (turnId) => frame({ type: "error", ref: `send:${turnId}`, ...error });
  const [state] = feed([online, listed(), submit(), refusal("t-9"), { type: "open", id: null }, submit({ newId: "c-2", turnId: "t-2" }), refusal("t-2")]);
  const [again, effects] = feed([{ type: "again", turnId: "t-2" }], state);
  assert.deepEqual(again.outbox.map(({ turnId, problem }) => [turnId, problem]), [["t-9", "No."], ["t-2", null]]);
  assert.deepEqual(sent(effects, "send").map((f) => f.turnId), ["t-2"]);
});

test("an image that is sent while another chat is open does not begin to follow its own", () => {
  const [state] = feed([online, listed(), submit({ images: [image] }), { type: "open", id: "c-1" }]);
  const [after, effects] = feed([{ type: "posted", turnId: "t-9" }], state);
  assert.deepEqual([after.outbox, sent(effects, "watch")], [[], []]);
});

test("a chat that was deleted while its image was on the way keeps the words", () => {
  const [state] = feed([online, listed(), submit({ images: [image] }), { type: "postFailed", turnId: "t-9", error: { code: "deleted", message: "m" } }]);
  assert.deepEqual([state.kept["t-9"].text, state.outbox, Object.keys(state.library.rows)], ["hello", [], []]);
});

test("answers and buttons of before the page was locked change nothing on it", () => {
  const [state] = feed([online, listed(), submit({ images: [image] }), { type: "link", link: "locked" }]);
  const late = [{ type: "posted", turnId: "t-9" }, { type: "postFailed", turnId: "t-9", error }, { type: "postFailed", turnId: "t-9", error: { code: "deleted", message: "m" } },
    { type: "again", turnId: "t-9" }, { type: "cancel", turnId: "t-9" }, { type: "newest", id: "c-new" }, { type: "stopEditing" }];
  for (const event of late) {
    const [after, effects] = feed([event], state);
    assert.deepEqual([after, effects], [state, []], `${event.type} ${event.error?.code ?? ""}`);
  }
});

test("a refusal that comes after the chat was deleted changes nothing", () => {
  const [state] = feed([online, listed(), submit({ images: [image] }), frame({ type: "deleted", id: "c-new", version: 2, cursor: "k" })]);
  assert.deepEqual(feed([{ type: "postFailed", turnId: "t-9", error }], state), [state, []]);
  assert.equal(state.kept["t-9"].text, "hello");
});

test("a stop that was refused says why, also when its turn has become part of what was loaded", () => {
  const [state] = feed([...opened, ...turn("t-1", [{ type: "user_text", text: "x", images: [] }])]);
  const refused = frame({ type: "error", ref: "stop:t-1", code: "odd" });
  assert.equal(feed([refused], feed([{ type: "open", id: "c-2" }])[0])[0].problem.message, "That did not work.");
  const loaded = { ...state, talks: { ...state.talks, "c-1": { ...state.talks["c-1"], turns: [] } } };
  const [after] = feed([refused], loaded);
  assert.deepEqual([after.talks["c-1"], after.problem.code], [loaded.talks["c-1"], "odd"]);
});

test("a refusal without a code, or of something that only fails, is no reason to fall", () => {
  assert.equal(feed([...opened, submit(), frame({ type: "error", ref: "stop:t-9" })])[0].problem.code, "bad_request");
  const [state] = feed(opened);
  for (const ref of ["watch:c-1", "unwatch:c-1"]) assert.deepEqual(feed([frame({ type: "error", ref, ...error })], state), [state, []]);
});

test("a chat that was taken back does not come back by the refusal of its watch", () => {
  const [state, effects] = feed([{ type: "open", id: "c-new" }, { type: "recalled", id: "c-new", talk: null }, online, listed()]);
  assert.equal(sent(effects, "watch").at(-1).conversationId, "c-new");
  const { "c-new": _gone, ...talks } = state.talks;
  assert.deepEqual(Object.keys(feed([frame({ type: "error", ref: "watch:c-new", code: "not_found", message: "m" })], { ...state, talks })[0].talks), Object.keys(talks));
});

test("what could not be done is shown", () => {
  assert.equal(feed([{ type: "problem", error }])[0].problem, error);
});

test("an image that is sent anew is shown at once", () => {
  const loaded = { type: "loaded", id: "c-1", answer: { id: "c-1", title: "t", version: 1, transcript: [{ type: "user_text", text: "b", images: [] }, { type: "text_delta", text: "B", nodes: [p("B")] }] } };
  const [state, effects] = feed([...opened, loaded, { type: "resend", id: "c-1", turnId: "t-9", text: "b", images: [image], truncateAt: 0, version: 1 }]);
  assert.deepEqual(view(state.talks["c-1"])[0].images, [{ url: "blob:x", mediaType: "image/png", width: null, height: null }]);
  assert.deepEqual(effects.find((e) => e.do === "post").parcel.truncateAt, 0);
});

test("a message of another tab brings a new chat with what was chosen for it, and does not undo what its answer began", () => {
  const value = { turnId: "t-7", conversationId: "c-7", text: "first\nline", images: [], tab: "other", at: 7, settings: { model: "m-1" }, agentId: "kenny" };
  const told = { type: "elsewhere", changes: [{ store: "outbox", key: "message:t-7", value }], writing: false };
  const [state] = feed([online, listed(), told], fresh());
  assert.deepEqual([state.library.rows["c-7"].title, state.library.rows["c-7"].settings, state.library.rows["c-7"].agentId, state.library.rows["c-7"].updatedAt], ["first", { model: "m-1" }, "kenny", 7]);
  const begun = turn("t-7", [{ type: "user_text", text: "first\nline", images: [] }]).map((e) => frame({ ...e.frame, conversationId: "c-7" }));
  const [running] = feed([{ type: "open", id: "c-7" }, ...begun, told], state);
  assert.deepEqual(running.talks["c-7"].turns.map(({ status, seq }) => [status, seq]), [["running", 1]]);
});

test("a refused change of a chat that is gone leaves nothing behind but its reason", () => {
  const [state] = feed([online, listed(row("a")), { type: "change", id: "a", change: { title: "T" }, now: 1 }, { type: "remove", id: "a" }]);
  const [after] = feed([{ type: "changeFailed", id: "a", sent: { title: "T" }, error }], state);
  assert.deepEqual([Object.keys(after.library.rows), "edit:a" in after.writes, after.problem], [[], false, error]);
});
