import assert from "node:assert/strict";
import { test } from "node:test";
import { initial, reduce } from "../../chat/static/chat/core/state.js";
import { PAGE, view } from "../../chat/static/chat/core/talk.js";
import { empty, feed, frame, fresh, golden, online, opened, p, sent, turn } from "./help.js";

const submit = (more = {}) => ({ type: "submit", text: "hello\nthere", images: [], newId: "c-new", turnId: "t-9", now: 5, ...more });
const said = { type: "user_text", text: "hello\nthere", images: [] };
const call = { callId: "a", tool: "write_file", args: { path: "x" }, agentId: "workspace" };
const done = (more = {}) => ({ type: "done", done: true, pending: [], stopReason: "end_turn", version: 2, usage: {}, ...more });
const held = turn("t-1", [{ ...said }, { type: "tool_call", ...call }, { type: "pending", ...call, digest: "d1", expiresAt: 1 }, done({ done: false, stopReason: "held" })]);
const error = { code: "bad_request", message: "No." };
const row = (more = {}) => ({ id: "c-1", title: "One", agentId: null, pinned: false, archived: false, updatedAt: 1, version: 1, live: null, ...more });
const listing = (more = {}) => ({ type: "listed", answer: { conversations: [row()], deleted: [], cursor: "k", epoch: "e", full: true, ...more } });
const doing = (effects) => effects.map((e) => e.do);

test("an event nobody knows changes nothing", () => {
  const state = fresh();
  assert.deepEqual(reduce(state, { type: "of_tomorrow" }), [state, []]);
  assert.equal(feed([frame({ type: "of_tomorrow" })], state)[0], state);
});

test("connecting pulls the list and follows what is open", () => {
  const [, effects] = feed([{ type: "open", id: "c-1" }, online]);
  assert.deepEqual(doing(effects).filter((d) => d === "pull"), ["pull"]);
  assert.deepEqual(sent(effects, "watch").at(-1), { type: "watch", ref: "watch:c-1", conversationId: "c-1", render: true });
});

test("a reconnect follows the turn from where the page is", () => {
  const [, effects] = feed([...opened, ...held, { type: "link", link: "down" }, online]);
  const last = sent(effects, "watch").at(-1);
  assert.deepEqual([last.turnId, last.after], ["t-1", 4]);
});

test("another account in the browser ends the connection", () => {
  const [state, effects] = feed([frame({ ...golden("hello"), account: 2 }), { type: "link", link: "lost" }]);
  assert.equal(state.link, "stranger");
  assert.ok(doing(effects).includes("close"));
});

test("a page older than the server says so", () => {
  assert.equal(feed([frame({ ...golden("hello"), static: "/static/new/" })])[0].stale, true);
  assert.equal(feed([online])[0].stale, false);
});

test("the first message makes a conversation, moves there and is sent", () => {
  const [state, effects] = feed([online, submit()]);
  assert.equal(state.current, "c-new");
  assert.equal(state.library.rows["c-new"].title, "hello");
  assert.deepEqual(sent(effects, "send"), [{ type: "send", ref: "send:t-9", conversationId: "c-new", turnId: "t-9", message: "hello\nthere", render: true }]);
  assert.deepEqual(effects.filter((e) => e.do === "go"), [{ do: "go", id: "c-new" }]);
});

test("what is written offline waits, is sent once when back, and again only after a lost connection", () => {
  const [offline] = feed([submit()]);
  assert.equal(view(offline.talks["c-new"])[0].status, "queued");
  assert.equal(sent(feed([online], offline)[1], "send").length, 0); // the list comes first
  const [state, effects] = feed([online, listing(), online, listing()], offline);
  assert.equal(sent(effects, "send").length, 2);
  assert.equal(sent(feed([online, { type: "pullFailed" }], offline)[1], "send").length, 1);
  const [, more] = feed([frame({ ...golden("ack"), ref: "send:t-9", conversationId: "c-new", turnId: "t-9" }), online], state);
  assert.equal(sent(more, "send").length, 0);
});

test("an event of the turn confirms the message as well as an ack", () => {
  const events = turn("t-9", [said]).map((e) => frame({ ...e.frame, conversationId: "c-new" }));
  const [state] = feed([online, submit(), ...events]);
  assert.deepEqual(state.outbox, []);
});

test("a second message waits until the answer is over", () => {
  const first = feed([...opened, submit({ turnId: "t-1" }), ...turn("t-1", [said])]);
  const [state, effects] = feed([submit({ turnId: "t-2", text: "next" })], first[0]);
  assert.equal(sent(effects, "send").length, 0);
  const [, after] = feed([frame({ turnId: "t-1", conversationId: "c-1", seq: 2, ...done() })], state);
  assert.deepEqual(sent(after, "send").map((f) => f.turnId), ["t-2"]);
});

test("a refused message stays with the reason and can be sent again or taken back", () => {
  const [state] = feed([...opened, submit(), frame({ type: "error", ref: "send:t-9", ...error })]);
  assert.deepEqual(view(state.talks["c-1"]).map((m) => [m.status, m.problem]), [["unsent", "No."]]);
  const [, again] = feed([{ type: "again", turnId: "t-9" }], state);
  assert.equal(sent(again, "send").length, 1);
  const [back] = feed([{ type: "cancel", turnId: "t-9" }], state);
  assert.deepEqual([back.outbox, back.talks["c-1"].turns, back.drafts["c-1"].text], [[], [], "hello\nthere"]);
  assert.equal(sent(feed([online], state)[1], "send").length, 0);
});

test("images go by POST, and the turn is followed once they are there", () => {
  const image = { name: "a.png", mediaType: "image/png", data: "AA==", url: "blob:x" };
  const [state, effects] = feed([online, submit({ images: [image] })]);
  assert.equal(effects.find((e) => e.do === "post").parcel.images.length, 1);
  const [after, more] = feed([{ type: "posted", turnId: "t-9" }], state);
  assert.deepEqual([after.outbox, sent(more, "watch")[0].turnId], [[], "t-9"]);
  const [failed] = feed([{ type: "postFailed", turnId: "t-9", error }], state);
  assert.equal(view(failed.talks["c-new"])[0].problem, "No.");
});

test("a message too long for a frame goes by POST", () => {
  const [, effects] = feed([online, submit({ text: "x".repeat(200_000) })]);
  assert.deepEqual([sent(effects, "send").length, doing(effects).includes("post")], [0, true]);
});

test("a held call is decided once, with its digest, and only while connected", () => {
  const [state] = feed([...opened, ...held]);
  const [now, effects] = feed([{ type: "decide", callId: "a", approve: true }, { type: "decide", callId: "a", approve: false }], state);
  assert.deepEqual(sent(effects, "confirm"), [{ type: "confirm", ref: "confirm:a", conversationId: "c-1", callId: "a", digest: "d1", approve: true, render: true }]);
  assert.equal(now.talks["c-1"].turns[0].parts[0].deciding, "approve");
  assert.deepEqual(sent(feed([{ type: "link", link: "down" }, { type: "decide", callId: "a", approve: true }], state)[1], "confirm"), []);
});

test("a decision that was not taken gives the card back with the reason", () => {
  const [state, effects] = feed([...opened, ...held, { type: "decide", callId: "a", approve: true }, frame({ type: "error", ref: "confirm:a", code: "expired", message: "Too late." })]);
  const part = state.talks["c-1"].turns[0].parts[0];
  assert.deepEqual([part.deciding, part.problem], [null, "Too late."]);
  assert.ok(effects.some((e) => e.do === "announce" && e.urgent && e.text === "Too late."));
});

test("stop is sent once and a failed stop can be tried again", () => {
  const [state] = feed([...opened, ...held]);
  const [now, effects] = feed([{ type: "stop" }, { type: "stop" }], state);
  assert.deepEqual(sent(effects, "stop").map((f) => f.turnId), ["t-1"]);
  const [back] = feed([frame({ type: "error", ref: "stop:t-1", ...error })], now);
  assert.equal(back.talks["c-1"].turns[0].stopping, false);
  assert.deepEqual(feed([{ type: "stop" }])[1], []);
});

test("a restart without a name means the turn that is followed", () => {
  const [state] = feed([...opened, ...held, frame({ type: "restart" })]);
  assert.equal(state.talks["c-1"].turns[0].seq, 0);
  assert.deepEqual(feed([frame({ type: "restart" })])[1], []);
});

test("a restart begins the turn anew that it names", () => {
  const [state] = feed([...opened, ...held, frame({ ...golden("restart"), turnId: "t-1" })]);
  assert.equal(state.talks["c-1"].turns[0].seq, 0);
  const [other] = feed([...opened, ...held, frame(golden("restart"))]);
  assert.ok(other.talks["c-1"].turns[0].seq > 0, "another turn's restart is none of this one");
});

test("a failed answer is sent again in place of the old one", () => {
  const failed = turn("t-1", [said, { type: "error", code: "overloaded", message: "Busy.", retryable: true }, done({ stopReason: "failed" })]);
  const [state, effects] = feed([...opened, ...failed, { type: "retry" }]);
  assert.deepEqual(view(state.talks["c-1"])[1].outcome, { error: { code: "overloaded", message: "Busy.", retryable: true }, stopReason: "failed", turnId: "t-1" });
  assert.ok(doing(effects).includes("again"));
  const [now, more] = feed([{ type: "resend", id: "c-1", turnId: "t-2", text: "hello\nthere", images: [], truncateAt: 0, version: 2 }], state);
  assert.deepEqual(view(now.talks["c-1"]).map((m) => [m.role, m.outcome]), [["user", null], ["assistant", null]]);
  assert.deepEqual([sent(more, "send")[0].truncateAt, sent(more, "send")[0].version], [0, 2]);
  const [none, nothing] = feed([{ type: "resend", id: "c-1", turnId: "t-3", text: "x", images: [] }], now);
  assert.deepEqual([none, nothing], [now, []]);
});

test("a replaced answer goes out of what was loaded, too", () => {
  const transcript = [{ type: "user_text", text: "a", images: [] }, { type: "text_delta", text: "b", nodes: [p("b")] }, { type: "user_text", text: "c", images: [] }, { type: "text_delta", text: "d", nodes: [p("d")] }];
  const [state] = feed([online, { type: "open", id: "c-1" }, { type: "loaded", id: "c-1", answer: empty({ transcript }) },
    { type: "resend", id: "c-1", turnId: "t-2", text: "c", images: [], truncateAt: 2, version: 1 }]);
  assert.deepEqual(view(state.talks["c-1"]).map((m) => m.text), ["a", "b", "c", ""]);
});

test("how the last turn ended stays through a reload until the next one begins", () => {
  const stopped = turn("t-1", [said, { type: "thinking_delta", text: "x" }, done({ stopReason: "stopped" })]);
  const answer = empty({ version: 2, transcript: [said, { type: "thinking_delta", text: "x" }] });
  const [state] = feed([...opened, ...stopped, { type: "loaded", id: "c-1", answer }]);
  assert.equal(view(state.talks["c-1"]).at(-1).outcome.stopReason, "stopped");
  const [next] = feed([submit({ turnId: "t-2" })], state);
  assert.deepEqual(view(next.talks["c-1"]).map((m) => m.outcome), [null, null, null, null]);
});

test("opening another conversation leaves the first and loads what is new", () => {
  const [state, effects] = feed([...opened, { type: "open", id: "c-2" }]);
  assert.deepEqual(sent(effects, "unwatch").map((f) => f.conversationId), ["c-1"]);
  const [, back] = feed([listing({ conversations: [row({ version: 7 })] }), { type: "open", id: "c-1" }], state);
  assert.ok(back.some((e) => e.do === "load" && e.id === "c-1"));
  assert.equal(feed([{ type: "open", id: null }], state)[0].current, null);
});

test("a list that shows a newer version of the open conversation loads it, unless a turn brings it", () => {
  const newer = listing({ conversations: [row({ version: 3 })] });
  const [state, effects] = feed([...opened, newer]);
  assert.ok(effects.some((e) => e.do === "check"));
  assert.deepEqual(doing(feed([{ type: "check", id: "c-1" }], state)[1]), ["load"]);
  const [live] = feed([...held, listing({ conversations: [row({ version: 9, live: { turnId: "t-1", status: "held" } })] })], state);
  assert.deepEqual(feed([{ type: "check", id: "c-1" }], live)[1], []);
  assert.deepEqual(feed([{ type: "check", id: "c-0" }], live)[1], []);
});

test("a turn that is over by the list is asked for again from where the page is", () => {
  const [state] = feed([...opened, ...held, listing({ conversations: [row({ version: 9 })] })]);
  assert.deepEqual(sent(feed([{ type: "check", id: "c-1" }], state)[1], "watch").map((f) => [f.turnId, f.after]), [["t-1", 4]]);
});

test("what cannot be loaded is said in its own words", () => {
  const at = (code, events = []) => feed([online, { type: "open", id: "c-1" }, ...events, { type: "loadFailed", id: "c-1", error: { code, message: "m" } }])[0].talks["c-1"].loaded;
  assert.deepEqual([at("deleted"), at("not_found"), at("unreachable")], ["deleted", "missing", "failed"]);
  assert.equal(feed([...opened, { type: "loadFailed", id: "c-1", error }])[0].problem, error);
  assert.deepEqual(feed([{ type: "loadFailed", id: "c-0", error }])[1], []);
});

test("a new conversation that the server does not know yet stays open", () => {
  const [state] = feed([submit(), online, frame({ type: "error", ref: "watch:c-new", code: "not_found", message: "m" })]);
  assert.equal(view(state.talks["c-new"])[0].text, "hello\nthere");
});

test("a turn the server has forgotten is replaced by what was settled", () => {
  const [state, effects] = feed([...opened, listing(), ...held, frame({ type: "error", ref: "watch:c-1", code: "not_found", message: "m" })]);
  assert.deepEqual(state.talks["c-1"].turns, []);
  assert.ok(effects.some((e) => e.do === "load"));
});

test("a turn told anew that has lost its middle is loaded at its end", () => {
  const [, effects] = feed([...opened, frame({ turnId: "t-1", conversationId: "c-1", seq: 9, ...done() }), ...turn("t-1", [said]), frame({ turnId: "t-1", conversationId: "c-1", seq: 9, ...done() })]);
  assert.ok(effects.some((e) => e.do === "load"));
});

test("a deleted conversation keeps the words that were not sent", () => {
  const [state] = feed([...opened, { type: "draft", text: "half", images: [] }, frame({ ...golden("deleted"), id: "c-1" })]);
  assert.deepEqual([state.talks["c-1"].loaded, state.kept["draft-c-1"].text, state.news[0].kind], ["deleted", "half", "kept"]);
  for (const ref of ["watch:c-1", "send:t-9"]) {
    const [now] = feed([...opened, submit(), frame({ type: "error", ref, code: "deleted", message: "m" })]);
    assert.equal(now.talks["c-1"].loaded, "deleted");
  }
});

test("drafts belong to their conversation", () => {
  const [state] = feed([{ type: "draft", text: "new one", images: [] }, { type: "open", id: "c-1" }, { type: "draft", text: "one", images: [] }]);
  assert.deepEqual([state.drafts[""].text, state.drafts["c-1"].text], ["new one", "one"]);
  assert.deepEqual(Object.keys(feed([{ type: "draft", text: "", images: [] }], state)[0].drafts), [""]);
});

test("a hint of a live turn marks the row at once and asks for the list", () => {
  const [state, effects] = feed([listing(), frame({ ...golden("live"), conversationId: "c-1" })]);
  assert.deepEqual(state.library.rows["c-1"].live, { turnId: golden("live").turnId, status: "running" });
  assert.deepEqual(doing(effects), ["pull"]);
  assert.equal(feed([frame({ ...golden("live"), conversationId: "c-1", status: "done" })], state)[0].library.rows["c-1"].live, null);
  assert.deepEqual(doing(feed([frame(golden("changed"))])[1]), ["pull"]);
});

test("a gate is announced at once, blocks of the open conversation in turn", () => {
  const [, effects] = feed([...opened, ...turn("t-1", [said, { type: "tool_call", ...call }, { type: "pending", ...call, digest: "d", expiresAt: 1 }]),
    frame({ type: "block", turnId: "t-1", part: 4, index: 0, seq: 4, nodes: [p("text")], text: "" }), frame({ turnId: "t-1", conversationId: "c-1", seq: 5, type: "decided", callId: "a", approve: false, by: "ada", at: 1 }),
    frame({ turnId: "t-1", conversationId: "c-1", seq: 6, type: "error", code: "x", message: "Broken.", retryable: false }), frame({ turnId: "t-1", conversationId: "c-1", seq: 7, ...done() })]);
  const heard = effects.filter((e) => e.do === "announce").map((e) => [e.text, e.urgent ?? false]);
  assert.deepEqual(heard, [["Claude is answering", false], ["Approval needed for write_file in t", true], ["text", false], ["Denied by ada", false], ["Broken.", true], ["Answer complete", false]]);
});

test("older messages come fifty at a time", () => {
  const [state] = feed([...opened, { type: "older", id: "c-1" }, { type: "older", id: "c-0" }]);
  assert.equal(state.talks["c-1"].shown, 2 * PAGE);
});

test("a conversation may be called like a part of the language", () => {
  const [state] = feed([online, { type: "open", id: "__proto__" }, { type: "draft", text: "x", images: [] }, submit({ turnId: "constructor" })]);
  assert.equal(view(state.talks["__proto__"])[0].text, "hello\nthere");
  assert.equal(initial({ account: "1", static: "", limits: {} }).talks["toString"], undefined);
});

test("a conversation made here is not asked about before its first message is there", () => {
  const [, effects] = feed([submit(), online, listing()]);
  assert.deepEqual([sent(effects, "watch"), sent(effects, "send").length], [[], 1]);
});

test("a turn that was sent is followed after a lost line, even before its first event", () => {
  const ack = frame({ ...golden("ack"), ref: "send:t-9", conversationId: "c-new", turnId: "t-9" });
  assert.deepEqual(sent(feed([online, submit(), ack, { type: "link", link: "down" }, online])[1], "watch").map((f) => f.conversationId), ["c-new"]);
});

test("a second message waits from the first one's ack on, not only from its first event", () => {
  const ack = frame({ ...golden("ack"), ref: "send:t-1", conversationId: "c-1", turnId: "t-1" });
  const [state, effects] = feed([...opened, submit({ turnId: "t-1" }), ack, submit({ turnId: "t-2", text: "next" })]);
  assert.deepEqual(sent(effects, "send").map((f) => f.turnId), ["t-1"]);
  assert.equal(view(state.talks["c-1"]).at(-1).status, "queued");
});
