import assert from "node:assert/strict";
import { test } from "node:test";
import { filter, listing, titleOf } from "../../chat/static/chat/core/search.js";
import { dropped, merge } from "../../chat/static/chat/core/sync.js";
import { empty } from "../../chat/static/chat/core/library.js";
import { restorable } from "../../chat/static/chat/core/undo.js";
import { feed, fresh, opened } from "./help.js";

const row = (id, more = {}) => ({ id, title: id, agentId: null, pinned: false, archived: false, updatedAt: 1, version: 1, live: null, ...more });
const answer = (conversations, more = {}) => ({ conversations, deleted: [], cursor: "k", epoch: "e", full: true, ...more });
const list = (...rows) => feed([{ type: "listed", answer: answer(rows) }])[0];
const ids = (state) => Object.keys(state.library.rows).sort();
const doing = (effects) => effects.map((e) => e.do);

test("a full list takes away what the server no longer has and keeps what it never had", () => {
  const before = merge(empty(), answer([row("a"), row("b")]));
  const mine = { ...before, rows: { ...before.rows, mine: { ...row("mine"), version: undefined } } };
  const after = merge(mine, answer([row("b")]));
  assert.deepEqual(Object.keys(after.rows).sort(), ["b", "mine"]);
  assert.deepEqual(dropped(mine, after), ["a"]);
});

test("a delta takes away only what it names, and after a changed epoch nothing goes", () => {
  const before = merge(empty(), answer([row("a"), row("b")]));
  assert.deepEqual(Object.keys(merge(before, answer([row("c")], { full: false, deleted: [{ id: "a" }] })).rows).sort(), ["b", "c"]);
  assert.deepEqual(Object.keys(merge(before, answer([], { epoch: "other" })).rows).sort(), ["a", "b"]);
});

test("a row that did not change keeps its identity", () => {
  const before = merge(empty(), answer([row("a")]));
  assert.equal(merge(before, answer([row("a")])).rows.a, before.rows.a);
  assert.notEqual(merge(before, answer([row("a", { version: 2 })])).rows.a, before.rows.a);
});

test("a delete shows at once, is sent after the Undo time, and the list does not bring it back meanwhile", () => {
  const [state, effects] = feed([{ type: "remove", id: "a" }, { type: "listed", answer: answer([row("a"), row("b")]) }], list(row("a"), row("b")));
  assert.deepEqual([ids(state), state.undo[0].row.id, doing(effects).includes("delete")], [["b"], "a", false]);
  const [sent, more] = feed([{ type: "undoOver" }, { type: "undoOver" }], state);
  assert.deepEqual(more, [{ do: "delete", id: "a" }]);
  assert.deepEqual(ids(feed([{ type: "listed", answer: answer([row("a")]) }], sent)[0]), []);
  assert.deepEqual(Object.keys(feed([{ type: "removed", id: "a" }], sent)[0].library.gone), []);
});

test("Undo brings a row back and sends nothing", () => {
  const [state, effects] = feed([{ type: "remove", id: "a" }, { type: "undo" }, { type: "undoOver" }, { type: "undo" }], list(row("a")));
  assert.deepEqual([ids(state), doing(effects)], [["a"], ["announce", "announce", "focusRow"]]);
});

test("deleting the open conversation leaves it, Undo opens it again", () => {
  const [state, effects] = feed([...opened, { type: "listed", answer: answer([row("c-1")]) }, { type: "remove", id: "c-1" }]);
  assert.deepEqual([state.current, effects.filter((e) => e.do === "go")], [null, [{ do: "go", id: null }]]);
  assert.ok(feed([{ type: "undo" }], state)[1].some((e) => e.do === "visit" && e.id === "c-1"));
});

test("a further delete leaves the first to be taken back; each has a time of its own", () => {
  const [state, effects] = feed([{ type: "remove", id: "a" }, { type: "remove", id: "b" }], list(row("a"), row("b")));
  assert.deepEqual([doing(effects).includes("delete"), restorable(state).map((one) => one.row.id)], [false, ["b", "a"]]);
  const [over, sent] = feed([{ type: "undoOver", id: "a" }, { type: "undo" }], state);
  assert.deepEqual([sent.filter((e) => e.do === "delete"), ids(over), over.undo], [[{ do: "delete", id: "a" }], ["b"], []]);
  assert.deepEqual(ids(feed([{ type: "undo", id: "a" }], state)[0]), ["a"]);
  assert.deepEqual(feed([{ type: "undoOver" }], state)[1], [{ do: "delete", id: "a" }, { do: "delete", id: "b" }]);
  assert.deepEqual(feed([{ type: "remove", id: "nobody" }], state)[0], state);
});

test("what another device deleted meanwhile is not brought back", () => {
  const [state] = feed([{ type: "remove", id: "a" }, { type: "listed", answer: answer([], { full: false, deleted: [{ id: "a" }] }) }], list(row("a")));
  assert.deepEqual([restorable(state), feed([{ type: "undo" }], state)], [[], [state, []]]);
});

test("a delete that failed brings the row back with the reason", () => {
  const error = { code: "unreachable", message: "m" };
  const [state] = feed([{ type: "remove", id: "a" }, { type: "undoOver" }, { type: "removeFailed", id: "a", error }], list(row("a")));
  assert.deepEqual([ids(state), state.problem], [["a"], error]);
});

test("a new title shows at once and is taken back when refused", () => {
  const change = { type: "change", id: "a", change: { title: "New" } };
  const [state, effects] = feed([change], list(row("a")));
  assert.equal(state.library.rows.a.title, "New");
  assert.deepEqual(effects, [{ do: "patch", id: "a", change: { title: "New" }, before: row("a") }]);
  const [back] = feed([{ type: "changeFailed", before: row("a"), error: { code: "bad_request", message: "m" } }], state);
  assert.equal(back.library.rows.a.title, "a");
  assert.deepEqual(ids(feed([{ type: "changeFailed", before: row("a"), error: { code: "deleted", message: "m" } }], state)[0]), []);
  assert.deepEqual(feed([{ ...change, id: "nobody" }], state)[1], []);
});

test("one's own change of a title is no reason to load the conversation", () => {
  const [state] = feed([...opened, { type: "listed", answer: answer([row("c-1")]) }, { type: "changed", row: row("c-1", { version: 2, title: "New" }), before: row("c-1") }]);
  assert.deepEqual([state.talks["c-1"].version, state.talks["c-1"].title], [2, "New"]);
  assert.deepEqual(ids(feed([{ type: "changed", row: row("gone"), before: row("gone") }], state)[0]), ["c-1"]);
});

test("titles are found by every word, without case and accents", () => {
  const rows = [row("1", { title: "Rückblick und Plan" }), row("2", { title: "Plan" }), row("3", { title: "" })];
  assert.deepEqual(filter(rows, "plan RUCK").map((r) => r.id), ["1"]);
  assert.equal(filter(rows, "  ").length, 3);
  assert.deepEqual([filter(rows, "new").map(titleOf), titleOf(rows[0])], [["New chat"], "Rückblick und Plan"]);
});

test("rows stand by date, newest first, pinned before and archived behind", () => {
  const now = new Date(2026, 5, 15, 12).getTime();
  const ago = (days) => now - days * 86_400_000;
  const state = list(row("today", { updatedAt: now }), row("older", { updatedAt: now - 5 }), row("yesterday", { updatedAt: ago(1) }), row("week", { updatedAt: ago(6) }),
    row("month", { updatedAt: ago(20) }), row("past", { updatedAt: ago(100) }), row("pin", { pinned: true, updatedAt: ago(300) }), row("old", { archived: true, updatedAt: now }));
  const { parts } = listing(state, now);
  assert.deepEqual(parts.map((part) => [part.label, part.rows.map((r) => r.id)]), [["Pinned", ["pin"]], ["Today", ["today", "older"]], ["Yesterday", ["yesterday"]],
    ["Previous 7 days", ["week"]], ["Previous 30 days", ["month"]], ["March 2026", ["past"]], ["Archived", ["old"]]]);
});

test("hits of the server stand below, without what is shown already or being deleted", () => {
  const typed = { type: "query", text: "a " };
  const [state, effects] = feed([typed, { type: "found", query: "a", rows: [row("a"), row("b"), row("c")] }, { type: "remove", id: "c" }], list(row("a"), row("b"), row("c")));
  assert.deepEqual(effects[0], { do: "find", query: "a" });
  assert.deepEqual(listing(state, 2).parts.map((part) => [part.label, part.rows.map((r) => r.id)]).at(-1), ["Found in the text", ["b"]]);
  assert.equal(feed([{ type: "found", query: "late", rows: [] }], state)[0], state);
  assert.equal(feed([{ type: "query", text: "" }], state)[0].search.hits, null);
  assert.equal(fresh().library.loaded, false);
});

test("only so many rows are shown as asked for, pinned ones first, and it is told how many are left", () => {
  const rows = Array.from({ length: 30 }, (_, i) => row(`r${i}`, { updatedAt: i, pinned: i === 0, archived: i > 27 }));
  const { parts, more } = listing(list(...rows), 40, 20);
  assert.deepEqual([parts.map((part) => part.rows.length), parts[0].rows[0].id, parts[1].rows[0].id, more], [[1, 19], "r0", "r27", 10]);
  assert.equal(listing(list(...rows), 40, 29).parts.at(-1).label, "Archived");
  assert.equal(listing(list(...rows), 40).more, 0);
});
