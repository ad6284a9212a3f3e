// Two tabs and a server that was set back: which row counts when what one tells reaches the other late.
import assert from "node:assert/strict";
import { test } from "node:test";
import { changes, shared } from "../../chat/static/chat/core/persist.js";
import { feed, frame, fresh, online } from "./help.js";

const row = (id, more = {}) => ({ id, title: id, agentId: null, pinned: false, archived: false, updatedAt: 10, version: 1, live: null, ...more });
const listed = (rows, more = {}) => ({ type: "listed", answer: { conversations: rows, deleted: [], cursor: "k", epoch: "e", full: true, ...more } });
const submit = { type: "submit", text: "hello", images: [], newId: "c-1", turnId: "t-1", now: 5 };
const ack = frame({ type: "ack", ref: "send:t-1", conversationId: "c-1", turnId: "t-1" });
const tab = (name) => ({ ...fresh(), tab: name });
/** What the one tab tells of these events, and its state after them. */
function does(events, from) {
  const [after] = feed(events, from);
  return [after, { type: "elsewhere", changes: structuredClone(shared(changes(from, after), from, after)), writing: false }];
}

test("a chat whose first message arrived after its delete comes back by Undo in every tab", () => {
  const [first, written] = does([online, listed([]), submit], tab("one"));
  const other = feed([online, listed([]), written, listed([row("c-1", { version: 2 })], { full: false })], tab("two"))[0];
  const [deleted, gone] = does([{ type: "remove", id: "c-1" }], first);
  const [sent, went] = does([ack], deleted);
  const [back, undone] = does([{ type: "undo" }], sent);
  assert.deepEqual([back.library.rows["c-1"].version, back.library.rows["c-1"].fresh], [1, true], "the server has it");
  const [state] = feed([gone, went, undone], other);
  assert.deepEqual([Object.keys(state.library.rows), state.library.rows["c-1"].version, state.outbox], [["c-1"], 2, []]);
});

test("a row that another tab tells from before the server was set back changes no row of a list that is younger", () => {
  const old = feed([listed([row("a")])], tab("one"))[0];
  const [, edit] = does([{ type: "change", id: "a", change: { title: "T" } }, { type: "changed", id: "a", row: row("a", { version: 9, title: "T" }), sent: { title: "T" } }, { type: "change", id: "a", change: { pinned: true } }], old);
  const here = feed([listed([row("a", { version: 2 })], { epoch: "e2" })], tab("two"))[0];
  assert.equal(feed([edit], here)[0].library.rows.a.version, 2);
  assert.equal(feed([edit], feed([listed([row("a", { version: 2 })])], tab("two"))[0])[0].library.rows.a.version, 9, "of the same epoch the later one counts");
});

test("a message to a chat that the server has makes it known here, so that its delete is told", () => {
  const [, written] = does([{ type: "open", id: "a" }, { type: "recalled", id: "a", talk: null }, { type: "loaded", id: "a", answer: { id: "a", title: "a", version: 1, transcript: [] } }, { type: "link", link: "offline" }, submit], feed([listed([row("a")])], tab("one"))[0]);
  const heir = (told) => feed([{ type: "link", link: "offline" }, told, { type: "leads", on: true }, { type: "alive", tabs: ["two"] }], tab("two"))[0]; // the other tab is gone
  const [state] = feed([{ type: "remove", id: "a" }], heir(written));
  assert.deepEqual([state.library.gone.a.fresh, state.writes["delete:a"].silent], [true, undefined]);
  const [, first] = does([{ type: "link", link: "offline" }, submit], tab("one"));
  assert.equal(feed([{ type: "remove", id: "c-1" }], heir(first))[0].writes["delete:c-1"].silent, true, "of one that never went the server need not hear");
});

test("a change that ended in another tab does not stay on top of a row that has not got it", () => {
  const write = { key: "edit:a", kind: "edit", id: "a", tab: "one", change: { pinned: true }, was: { pinned: false }, updatedAt: 30 };
  const told = (value, more) => ({ type: "elsewhere", writing: false, changes: [{ store: "outbox", key: "edit:a", value, ...more }] });
  const here = feed([listed([row("a")]), told(write, { row: row("a", { pinned: true }), epoch: "e" }), listed([row("a", { version: 2 })], { epoch: "e2" })], tab("two"))[0];
  assert.deepEqual([here.library.rows.a.pinned, "edit:a" in here.writes], [true, true]);
  const [end] = feed([told(undefined, { row: row("a", { version: 3, pinned: true }), epoch: "e" })], here);
  assert.deepEqual([end.library.rows.a.pinned, end.library.rows.a.version, end.writes], [false, 2, { __proto__: null }], "the server was set back");
  const [same] = feed([told(undefined, { row: row("a", { version: 3, pinned: true }), epoch: "e2" })], here);
  assert.deepEqual([same.library.rows.a.pinned, same.library.rows.a.version], [true, 3]);
});

test("a change of a tab that does not know yet that the server has the chat does not take that knowledge away", () => {
  const write = { key: "edit:c-1", kind: "edit", id: "c-1", tab: "one", change: { title: "T" } };
  const told = { type: "elsewhere", writing: false, changes: [{ store: "outbox", key: "edit:c-1", value: write, row: row("c-1", { version: undefined, title: "T" }), epoch: "e" }] };
  const [state] = feed([online, listed([]), submit, ack, listed([], { full: false }), told], tab("two"));
  const { version, fresh: isFresh, title } = state.library.rows["c-1"];
  assert.deepEqual([version, isFresh, title], [0, true, "T"]);
});

test("a row that only another tab has told goes when that one has none any more, one that a list has named waits for the list", () => {
  const value = { turnId: "t-7", conversationId: "a", text: "x", images: [], tab: "one", at: 1, known: true };
  const write = { key: "edit:a", kind: "edit", id: "a", tab: "one", change: { pinned: true }, was: { pinned: false }, updatedAt: 30 };
  const told = (key, more) => ({ type: "elsewhere", writing: false, changes: [{ store: "outbox", key, ...more }] });
  const ends = [["message:t-7", { value }], ["edit:a", { value: write }]];
  for (const [key, begun] of ends) {
    const here = [online, listed([]), told("message:t-7", { value }), told(key, begun)];
    const rows = (...events) => Object.keys(feed([...here, ...events, told(key, { value: undefined, row: null, epoch: "e" })], tab("two"))[0].library.rows);
    assert.deepEqual([rows(), rows(listed([row("a", { version: 2 })], { full: false }))], [[], ["a"]], key);
  }
});

test("what another tab says the server has stays for two lists of this tab, whatever the other's have named", () => {
  const here = feed([online, listed([]), does([submit], tab("one"))[1]], tab("two"))[0];
  const end = (shown) => ({ type: "elsewhere", writing: false, changes: [{ store: "outbox", key: "message:t-1", row: shown, epoch: "e" }] });
  const [state] = feed([end(row("c-1", { version: 0, fresh: true }))], here);
  assert.deepEqual([state.library.rows["c-1"].version, state.library.rows["c-1"].fresh], [1, true]);
  const once = feed([listed([], { full: false })], state)[0];
  assert.deepEqual([once.library.rows["c-1"].version, once.news], [0, []]);
  assert.equal(feed([listed([], { full: false })], once)[0].library.rows["c-1"].lost, true);
  const [named] = feed([listed([row("c-1", { version: 2 })], { full: false }), end(row("c-1", { version: 3, fresh: true }))], here);
  assert.deepEqual([named.library.rows["c-1"].version, named.library.rows["c-1"].fresh], [3, undefined], "a list of this tab has named it");
});

test("the first list of a page counts, even where what was answered to a change is higher: the server was set back between them", () => {
  const changed = { type: "changed", id: "c-1", row: row("c-1", { version: 5, title: "T" }), sent: { title: "T" } };
  const [state] = feed([{ type: "restored", durable: true, rows: [row("c-1", { fresh: true })], list: null, entries: [] }, changed, listed([row("c-1", { version: 2 })])], tab("one"));
  assert.deepEqual([state.library.rows["c-1"].version, state.library.rows["c-1"].title], [2, "c-1"]);
});
