import assert from "node:assert/strict";
import { test } from "node:test";
import { filter, listing, titleOf } from "../../chat/static/chat/core/search.js";
import { isGone, restorable } from "../../chat/static/chat/core/undo.js";
import { feed, fresh, opened } from "./help.js";

const row = (id, more = {}) => ({ id, title: id, agentId: null, pinned: false, archived: false, updatedAt: 1, version: 1, live: null, ...more });
const answer = (conversations, more = {}) => ({ conversations, deleted: [], cursor: "k", epoch: "e", full: true, ...more });
const list = (...rows) => feed([{ type: "listed", answer: answer(rows) }])[0];
const ids = (state) => Object.keys(state.library.rows).sort();
const doing = (effects) => effects.map((e) => e.do);

test("a delete shows at once, is sent after the Undo time, and the list does not bring it back meanwhile", () => {
  const [state, effects] = feed([{ type: "remove", id: "a" }, { type: "listed", answer: answer([row("a"), row("b")]) }], list(row("a"), row("b")));
  assert.deepEqual([ids(state), state.undo[0].row.id, doing(effects).includes("delete")], [["b"], "a", false]);
  const [sent, more] = feed([{ type: "undoOver" }, { type: "undoOver" }], state);
  assert.deepEqual(more, [{ do: "delete", id: "a" }]); // once
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

test("a chat is shown as deleted while Undo can bring it back, the new one never is", () => {
  const [state] = feed([{ type: "remove", id: "a" }], list(row("a"), row("b")));
  assert.deepEqual(["a", "b", null].map((id) => isGone(state, id)), [true, false, false]);
  assert.equal(isGone(feed([{ type: "undo" }], state)[0], "a"), false);
});

test("a chat that was never sent, or is younger than the list, can be brought back after a full list too", () => {
  const [local] = feed([{ type: "link", link: "offline" }, { type: "submit", text: "x", images: [], newId: "n", turnId: "t", now: 1 }, { type: "remove", id: "n" }]);
  const young = { ...local, library: { ...local.library, gone: { ...local.library.gone, a: row("a", { fresh: true }), b: row("b") } } };
  const [state] = feed([{ type: "listed", answer: answer([]) }], young);
  assert.deepEqual(Object.keys(state.library.gone).sort(), ["a", "n"]);
  assert.deepEqual(ids(feed([{ type: "undo" }], state)[0]), ["n"]);
});

test("what another device deleted meanwhile is not brought back", () => {
  const [state] = feed([{ type: "remove", id: "a" }, { type: "listed", answer: answer([], { full: false, deleted: [{ id: "a" }] }) }], list(row("a")));
  assert.deepEqual([restorable(state), feed([{ type: "undo" }], state)], [[], [state, []]]);
});

test("a delete that failed stays away, says nothing of success and is tried again later", () => {
  const [sent] = feed([{ type: "remove", id: "a" }, { type: "undoOver" }], list(row("a")));
  for (const error of [{ code: "unreachable" }, { code: "unauthenticated" }, { code: "odd", status: 500 }, { code: "not_found", status: 404 }, { code: "odd", status: 200 }]) {
    const [state, effects] = feed([{ type: "removeFailed", id: "a", error, now: 100 }], sent);
    assert.deepEqual([ids(state), state.problem, Object.keys(state.writes), effects[0]], [[], null, ["delete:a"], { do: "wake", at: 1100 }]);
    assert.deepEqual(doing(feed([{ type: "wake", now: 1000 }], state)[1]), []);
    assert.deepEqual(feed([{ type: "wake", now: 1100 }], state)[1], [{ do: "delete", id: "a" }]);
  }
  assert.deepEqual(feed([{ type: "removeFailed", id: "gone", error: { code: "odd" } }], sent), [sent, []]);
});

test("a new title shows at once, is sent with the etag it was made on, and is taken back when refused", () => {
  const change = { type: "change", id: "a", change: { title: "New" }, now: 5 };
  const [state, effects] = feed([change], list(row("a", { etag: "e1" })));
  assert.equal(state.library.rows.a.title, "New");
  assert.deepEqual(effects, [{ do: "patch", id: "a", change: { title: "New" }, updatedAt: 5, etag: "e1" }]);
  const failed = (code) => feed([{ type: "changeFailed", id: "a", sent: { title: "New" }, error: { code, message: "m" } }], state)[0];
  assert.deepEqual([failed("bad_request").library.rows.a.title, failed("bad_request").problem.code], ["a", "bad_request"]);
  assert.deepEqual([failed("unreachable").library.rows.a.title, failed("unreachable").problem], ["New", null]);
  assert.deepEqual(ids(failed("deleted")), []);
  assert.deepEqual(feed([{ ...change, id: "nobody" }], state)[1], []);
});

test("one's own change of a title is no reason to load the conversation", () => {
  const done = { type: "changed", id: "c-1", row: row("c-1", { version: 2, title: "New" }), sent: { title: "New" } };
  const [state] = feed([...opened, { type: "listed", answer: answer([row("c-1")]) }, done]);
  assert.deepEqual([state.talks["c-1"].version, state.talks["c-1"].title], [2, "New"]);
  assert.deepEqual(ids(feed([{ ...done, id: "gone", row: row("gone") }], state)[0]), ["c-1"]);
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
