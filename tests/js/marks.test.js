import assert from "node:assert/strict";
import { test } from "node:test";
import { draftsIn, marks } from "../../chat/static/chat/core/marks.js";
import { feed, frame, online, opened, turn } from "./help.js";

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

test("a message of a known chat is not synced while the line is down, and not sent when it was refused", () => {
  const submit = { type: "submit", text: "x", images: [], newId: "n", turnId: "t-9", now: 1 };
  const [state] = feed([...opened, listed(row("c-1")), submit]);
  assert.deepEqual(words(state, "c-1"), [], "it is on its way");
  assert.deepEqual(words(feed([{ type: "link", link: "offline" }], state)[0], "c-1"), ["Not synced"]);
  assert.deepEqual(words(feed([frame({ type: "error", ref: "send:t-9", code: "bad_request", message: "No." }), { type: "link", link: "offline" }], state)[0], "c-1"), ["Not sent"]);
});

test("an image alone is a draft, blanks are none", () => {
  const draft = (text, images) => feed([...opened, listed(row("c-1")), { type: "draft", text, images }])[0];
  const image = { name: "a", mediaType: "image/png", data: "", url: "blob:1" };
  assert.deepEqual([words(draft("", [image]), "c-1"), draftsIn(draft("", [image]))], [["Draft"], "c-1"]);
  assert.deepEqual([words(draft("  ", []), "c-1"), draftsIn(draft("  ", []))], [[], ""]);
});
