// Opening a conversation, again after a lost line and again at its end: what is asked for, and what is shown meanwhile.
import assert from "node:assert/strict";
import { test } from "node:test";
import { PAGE } from "../../chat/static/chat/core/talk.js";
import { feed, frame, online, opened, turn } from "./help.js";

const row = (more = {}) => ({ id: "c-1", title: "One", agentId: null, pinned: false, archived: false, updatedAt: 1, version: 3, live: null, ...more });
const listed = (...rows) => ({ type: "listed", answer: { conversations: rows, deleted: [], cursor: "k", epoch: "e", full: true } });
const error = (code) => ({ code, message: "m" });
const over = { id: "t-0", seq: 4, status: "over", user: { text: "old", images: [] }, parts: [], since: 3 };
const kept = { title: "One", version: 3, loadedVersion: 3, history: [], turns: [over], after: null };
const loads = (effects) => effects.filter((e) => e.do === "load").length;

test("what this browser kept is shown at once, and loaded anew only where the list knows more", () => {
  const start = feed([online, listed(row()), { type: "open", id: "c-1" }])[0];
  const [same, none] = feed([{ type: "recalled", id: "c-1", talk: kept }], start);
  assert.deepEqual([same.talks["c-1"].loaded, same.talks["c-1"].turns.map(({ id }) => id), loads(none)], ["yes", ["t-0"], 0]);
  assert.equal(loads(feed([{ type: "recalled", id: "c-1", talk: { ...kept, version: 2 } }], start)[1]), 1);
  const unlisted = feed([{ type: "open", id: "c-1" }])[0];
  assert.equal(loads(feed([{ type: "recalled", id: "c-1", talk: kept }], unlisted)[1]), 1, "no list yet: nobody knows");
});

test("a turn that runs is not shown a second time by what was kept of it", () => {
  const running = turn("t-0", [{ type: "user_text", text: "new", images: [] }]);
  const [state] = feed([online, listed(row()), { type: "open", id: "c-1" }, ...running, { type: "recalled", id: "c-1", talk: kept }]);
  assert.deepEqual(state.talks["c-1"].turns.map(({ id, user }) => [id, user.text]), [["t-0", "new"]]);
});

test("a load that failed is no trouble where messages are shown, or while the line is down", () => {
  const failed = { type: "loadFailed", id: "c-1", error: error("slow") };
  assert.equal(feed([failed], feed([...opened, ...turn("t-1", [{ type: "user_text", text: "x", images: [] }])])[0])[0].problem, null);
  assert.equal(feed([...opened, { type: "link", link: "offline" }, failed])[0].problem, null);
});

test("a new conversation whose first turn runs is not missing, though the server has no list of it", () => {
  const [state] = feed([online, { type: "open", id: "c-1" }, ...turn("t-1", [{ type: "user_text", text: "x", images: [] }]), { type: "loadFailed", id: "c-1", error: error("not_found") }]);
  assert.equal(state.talks["c-1"].loaded, "yes");
});

test("what could not be loaded is loaded when the line is back; the models are asked for once", () => {
  const [state] = feed([online, { type: "open", id: "c-1" }, { type: "loadFailed", id: "c-1", error: error("unreachable") }]);
  const [, effects] = feed([{ type: "link", link: "down" }, online], state);
  assert.deepEqual([loads(effects), effects.filter((e) => e.do === "offer").length], [1, 1]);
  const offered = { type: "offered", offer: { models: [], default: "", agents: [] } };
  assert.equal(feed([offered, online], state)[1].filter((e) => e.do === "offer").length, 0);
});

test("a conversation that is left at its end begins with its newest messages", () => {
  const [state] = feed([...opened, { type: "older", id: "c-1" }]);
  assert.equal(state.talks["c-1"].shown, 2 * PAGE);
  const [newest] = feed([{ type: "newest", id: "c-1" }], state);
  assert.equal(newest.talks["c-1"].shown, PAGE);
  assert.equal(feed([{ type: "newest", id: "c-1" }], newest)[0], newest);
});

test("the end of a turn of a kind of its own is said as an end", () => {
  const [, effects] = feed([...opened, ...turn("t-1", [{ type: "user_text", text: "x", images: [] }, { type: "done", done: true, pending: [], stopReason: "of_tomorrow", version: 2, usage: {} }])]);
  assert.equal(effects.filter((e) => e.do === "announce").at(-1).text, "The answer ended");
  assert.deepEqual(feed([frame({ type: "done", turnId: 7 })])[1], []);
});
