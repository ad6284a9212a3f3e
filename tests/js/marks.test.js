import assert from "node:assert/strict";
import { test } from "node:test";
import { marks } from "../../chat/static/chat/core/marks.js";
import { feed, online, opened, turn } from "./help.js";

const row = (id, more = {}) => ({ id, title: id, agentId: null, pinned: false, archived: false, updatedAt: 1, version: 1, live: null, messageCount: 2, ...more });
const listed = (...rows) => ({ type: "listed", answer: { conversations: rows, deleted: [], cursor: "k", epoch: "e", full: true } });
const words = (state, id) => marks(state, id).map(({ text }) => text);

test("who waits for whom, and what was not read, is said in words", () => {
  const [state] = feed([online, listed(row("a"), row("b", { live: { turnId: "t", status: "held" } }), row("c", { live: { turnId: "t", status: "running" } })), { type: "open", id: "a" }, { type: "open", id: null }]);
  assert.deepEqual([words(state, "a"), words(state, "b"), words(state, "c"), words(state, "nobody")], [[], ["waiting for you"], ["answering"], []]);
  const [more] = feed([listed(row("a", { version: 2, messageCount: 4 }))], state);
  assert.deepEqual(words(more, "a"), ["Unread"]);
  assert.deepEqual(words(feed([{ type: "open", id: "a" }], more)[0], "a"), []);
});

test("what was watched as it came is not unread, though its count comes later", () => {
  const events = turn("t-1", [{ type: "user_text", text: "q", images: [] }, { type: "done", done: true, stopReason: "end_turn", version: 2, pending: [], usage: {} }]);
  const [state] = feed([...opened, listed(row("c-1")), ...events, { type: "open", id: null }, listed(row("c-1", { version: 2, messageCount: 4 }))]);
  assert.deepEqual(words(state, "c-1"), []);
  assert.deepEqual(words(feed([listed(row("c-1", { version: 3, messageCount: 6 }))], state)[0], "c-1"), ["Unread"]);
});

test("what has not reached the server is said too", () => {
  const [state] = feed([...opened, listed(row("c-1", { etag: "e" })), { type: "draft", text: "half", images: [] }, { type: "link", link: "offline" },
    { type: "change", id: "c-1", change: { pinned: true }, now: 2 }]);
  assert.deepEqual(words(state, "c-1"), ["Not synced", "Draft"]);
  const [local] = feed([{ type: "link", link: "offline" }, { type: "submit", text: "x", images: [], newId: "n", turnId: "t", now: 1 }]);
  assert.deepEqual(words(local, "n"), ["Not synced"]);
});
