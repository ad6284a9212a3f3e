// The reconcile of contract section 8, row by row of its table, and what the person hears of it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { settle } from "../../chat/static/chat/core/edits.js";
import { empty } from "../../chat/static/chat/core/library.js";
import { reconcile } from "../../chat/static/chat/core/sync.js";
import { feed, fresh, frame, golden, online, opened, sent } from "./help.js";

const row = (id, more = {}) => ({ id, title: id, agentId: null, pinned: false, archived: false, updatedAt: 10, version: 1, live: null, ...more });
const answer = (conversations, more = {}) => ({ conversations, deleted: [], cursor: "k", epoch: "e", full: true, ...more });
const listed = (...args) => ({ type: "listed", answer: answer(...args) });
const local = (rows, more = {}) => ({ library: { ...empty(), rows: Object.fromEntries(rows.map((r) => [r.id, r])), epoch: "e", cursor: "k" }, writes: {}, ...more });
const edit = (id, change, was, updatedAt = 20) => ({ key: `edit:${id}`, kind: "edit", id, tab: "", due: 0, tries: 0, out: false, change, updatedAt, ...(was ? { was } : {}) });
const ids = ({ library }) => Object.keys(library.rows).sort();

test("listed in deleted: dropped, whatever there is here", () => {
  for (const mine of [row("a"), row("a", { version: undefined })]) {
    const out = reconcile(local([mine, row("b")]), answer([row("b")], { deleted: [{ id: "a" }] }));
    assert.deepEqual([ids(out), out.dropped], [["b"], ["a"]]);
  }
  const twice = reconcile(local([row("a")]), answer([row("a")], { deleted: [{ id: "a" }] })); // died between two pages
  assert.deepEqual(ids(twice), []);
});

test("absent: a draft stays, what the server had and has no longer goes; a delta says nothing of the kind", () => {
  const here = local([row("a"), row("mine", { version: undefined })]);
  assert.deepEqual([ids(reconcile(here, answer([]))), reconcile(here, answer([])).dropped], [["mine"], ["a"]]);
  assert.deepEqual(ids(reconcile(here, answer([], { full: false }))), ["a", "mine"]);
});

test("a changed epoch or a server before our cursor drops nothing: it is kept as unknown to the server", () => {
  for (const more of [{ epoch: "other" }, { reset: "cursor_ahead" }]) {
    const out = reconcile(local([row("a", { etag: "x" }), row("b", { version: 9 })], { writes: { "edit:a": edit("a", { title: "T" }, { title: "a" }) } }), answer([row("b", { version: 2 })], more));
    assert.deepEqual([ids(out), out.dropped, out.lost, Object.keys(out.writes)], [["a", "b"], [], ["a"], []]);
    assert.deepEqual([out.library.rows.a.version, out.library.rows.a.etag, out.library.rows.a.lost, out.library.rows.b.version], [undefined, undefined, true, 2]);
    assert.deepEqual(ids(reconcile(out, answer([row("b")]))), ["a", "b"], "nor in the next full list");
  }
  assert.deepEqual(reconcile(local([row("a")]), answer([], { epoch: "other", deleted: [{ id: "a" }] })).dropped, ["a"]);
});

test("a row that did not change keeps its identity, an older answer changes nothing", () => {
  const here = local([row("a", { version: 3 })]);
  assert.equal(reconcile(here, answer([row("a", { version: 3 })])).library.rows.a, here.library.rows.a);
  assert.equal(reconcile(here, answer([row("a", { version: 2, title: "old" })])).library.rows.a, here.library.rows.a);
  assert.equal(reconcile(here, answer([row("a", { version: 4, title: "new" })])).library.rows.a.title, "new");
});

test("the same delta twice, or in pieces, is the same state", () => {
  const delta = answer([row("a", { version: 2 }), row("c")], { full: false, deleted: [{ id: "b" }] });
  const once = reconcile(local([row("a"), row("b")]), delta);
  assert.deepEqual(reconcile(once, delta).library, once.library);
});

test("a pending delete hides what the list brings, and only the DELETE's own answer ends it", () => {
  const [state] = feed([listed([row("a")]), { type: "remove", id: "a", now: 1 }, listed([row("a", { version: 5 })]), listed([], { full: false, deleted: [{ id: "a" }] })]);
  assert.deepEqual([ids(state), Object.keys(state.writes)], [[], ["delete:a"]]);
  assert.equal("a" in state.library.gone, false);
  const [done] = feed([{ type: "undoOver" }, { type: "removed", id: "a" }], state);
  assert.deepEqual(Object.keys(done.writes), []);
});

test("both sides changed different keys: both stay", () => {
  const { left, clashes } = settle(edit("a", { title: "mine" }, { title: "a" }), row("a", { pinned: true, updatedAt: 99 }));
  assert.deepEqual([left.change, clashes], [{ title: "mine" }, []]);
});

test("both sides changed one key: the later stays, a tie falls to the server, and both titles are told", () => {
  for (const [mineAt, theirsAt, wins] of [[21, 20, true], [20, 20, false], [19, 20, false]]) {
    const here = local([row("a", { title: "mine" })], { writes: { "edit:a": edit("a", { title: "mine" }, { title: "a" }, mineAt) } });
    const out = reconcile(here, answer([row("a", { version: 2, title: "theirs", updatedAt: theirsAt })]));
    assert.deepEqual(out.clashes, [{ id: "a", name: "title", mine: "mine", theirs: "theirs", wins }]);
    assert.deepEqual([out.library.rows.a.title, out.library.rows.a.version, "edit:a" in out.writes], [wins ? "mine" : "theirs", 2, wins]);
  }
});

test("what the server already has as we want it is no longer to be sent", () => {
  assert.deepEqual(settle(edit("a", { title: "same" }, { title: "a" }), row("a", { title: "same" })), { left: null, clashes: [] });
  const unchanged = edit("a", { title: "x", settings: { b: 1 } }, { title: "a", settings: { b: 0 } });
  assert.equal(settle(unchanged, row("a", { settings: { b: 0 } })).left, unchanged);
});

test("a change of a chat that the server did not have yet stands against nothing", () => {
  const { left, clashes } = settle(edit("a", { title: "mine" }, undefined, 1), row("a", { title: "first words", updatedAt: 99 }));
  assert.deepEqual([left.change, left.was, clashes], [{ title: "mine" }, { title: "first words" }, []]);
});

test("a clash is news, once for each key, and can be turned round", () => {
  const start = feed([{ type: "link", link: "offline" }, listed([row("a")]), { type: "change", id: "a", change: { title: "mine" }, now: 5 }])[0];
  const [state] = feed([listed([row("a", { version: 2, title: "theirs", updatedAt: 50 })]), listed([row("a", { version: 2, title: "theirs", updatedAt: 50 })])], start);
  assert.deepEqual(state.news, [{ key: "clash-a-title", kind: "clash", title: "", id: "a", name: "title", mine: "mine", theirs: "theirs", wins: false }]);
  assert.deepEqual(feed([{ type: "dismiss", key: "clash-a-title" }], state)[0].news, []);
});

test("updatedAt only grows, whatever the clock says", () => {
  const [, effects] = feed([online, listed([row("a", { updatedAt: 9_000 })]), { type: "change", id: "a", change: { pinned: true }, now: 5 }]);
  assert.equal(effects.find((e) => e.do === "patch").updatedAt, 9_001);
});

test("a device whose clock is an hour behind changes what it has seen: the change stays everywhere (D1), also against one ten years ahead (D2)", () => {
  for (const ahead of [3_600_000, 315_360_000_000]) {
    const seen = row("a", { updatedAt: 1_000_000 + ahead });
    const [, effects] = feed([online, listed([seen]), { type: "change", id: "a", change: { title: "B's" }, now: 1_000_000 }]);
    const { change, updatedAt } = effects.find((e) => e.do === "patch");
    const elsewhere = feed([listed([seen]), listed([{ ...seen, ...change, updatedAt, version: 2 }])])[0];
    assert.equal(elsewhere.library.rows.a.title, "B's");
  }
});

test("words that were typed and not sent outlive their conversation, and that is said", () => {
  const [state, effects] = feed([listed([row("a", { title: "Alpha" })]), { type: "open", id: "a" }, { type: "draft", text: "half", images: [] },
    { type: "submit", text: "whole", images: [], newId: "x", turnId: "t-1", now: 1 }, { type: "draft", text: "half", images: [] }, listed([], { deleted: [{ id: "a" }] })]);
  assert.deepEqual(Object.values(state.kept).map(({ title, text }) => [title, text]), [["Alpha", "whole"], ["Alpha", "half"]]);
  assert.deepEqual([state.outbox, state.drafts.a, state.news.map((n) => n.kind)], [[], undefined, ["kept"]]);
  assert.ok(effects.some((e) => e.do === "announce" && e.urgent));
  const [used, more] = feed([{ type: "draft", text: "", images: [] }, { type: "reuse", key: "t-1" }, { type: "discard", key: "draft-a" }, { type: "reuse", key: "gone" }], { ...state, current: null });
  assert.deepEqual([used.drafts[""].text, used.kept], ["whole", { __proto__: null }]);
  assert.deepEqual(more.map((e) => e.do), ["visit", "focus"]);
  const [both] = feed([{ type: "reuse", key: "t-1" }], { ...state, current: null, drafts: { "": { text: "first", images: [] } } });
  assert.equal(both.drafts[""].text, "first\n\nwhole");
});

test("a conversation without words goes without a word", () => {
  const [state] = feed([listed([row("a")]), { type: "open", id: "a" }, { type: "draft", text: "  ", images: [] }, frame({ ...golden("deleted"), id: "a" })]);
  assert.deepEqual([state.kept, state.news], [{ __proto__: null }, []]);
});

test("what the server lost is said, kept and read here, and goes on with the next message", () => {
  const [state] = feed([listed([row("a")]), listed([], { epoch: "other" })]);
  assert.deepEqual(state.news.map(({ kind, n }) => [kind, n]), [["lost", 1]]);
  const kept = { title: "a", version: 3, loadedVersion: 3, history: [{ key: "", role: "user", text: "old", images: [], parts: [] }], turns: [], after: null };
  const [read, effects] = feed([online, { type: "open", id: "a" }, { type: "recalled", id: "a", talk: kept }], state);
  assert.deepEqual([read.talks.a.history.length, effects.filter((e) => e.do === "load"), sent(effects, "watch")], [1, [], []]);
  const [again, more] = feed([{ type: "submit", text: "go on", images: [], newId: "x", turnId: "t-1", now: 1 }, frame({ ...golden("ack"), ref: "send:t-1", conversationId: "a", turnId: "t-1" })], read);
  assert.deepEqual([sent(more, "send")[0].conversationId, again.library.rows.a.version, again.library.rows.a.lost], ["a", 1, undefined]);
});

test("deleting all empties the list with its delete written down, and spares what is younger than the cursor", () => {
  const start = feed([...opened, listed([row("c-1"), row("b")]), { type: "link", link: "offline" }])[0];
  const [state, effects] = feed([{ type: "draft", text: "x", images: [] }, { type: "removeAll", now: 7 }], start);
  assert.deepEqual([ids(state), state.current, state.outbox, state.writes["all::k"].before, state.writes["all::k"].ids.sort()], [[], null, [], "k", ["b", "c-1"]]);
  assert.ok(effects.some((e) => e.do === "go"));
  assert.deepEqual(state.kept, { __proto__: null }, "the person's own delete keeps no words");
  const [back, sending] = feed([online, listed([row("b"), row("new")], { full: false })], state);
  assert.deepEqual([ids(back), sending.filter((e) => e.do.startsWith("delete"))], [["new"], [{ do: "deleteAll", key: "all::k", before: "k" }]]);
  const error = { code: "slow", message: "" };
  const [failed] = feed([{ type: "removeAllFailed", key: "all::k", error, now: 1 }], back);
  assert.ok("all::k" in failed.writes);
  assert.deepEqual(Object.keys(feed([{ type: "removedAll", key: "all::k" }], failed)[0].writes), ["delete:b"], "what a list still brought gets a delete of its own");
});

test("deleting all before any list is known, or with a first message under way, names each", () => {
  const bare = { ...fresh(), library: { ...empty(), rows: { a: row("a"), mine: row("mine", { version: undefined }) } } };
  assert.deepEqual(Object.keys(feed([{ type: "link", link: "offline" }, { type: "removeAll" }], bare)[0].writes), ["delete:a"]);
  const [state] = feed([online, listed([]), { type: "submit", text: "x", images: [], newId: "c-new", turnId: "t-1", now: 1 }, { type: "link", link: "offline" }, { type: "removeAll" }]);
  assert.deepEqual([Object.keys(state.writes), state.writes["all::k"].each], [["all::k"], ["c-new"]]);
  assert.deepEqual(Object.keys(feed([{ type: "removedAll", key: "all::k" }], state)[0].writes), ["delete:c-new"], "which no list has named");
  assert.deepEqual(feed([{ type: "removedAll", key: "all::of another" }], state)[0].writes, state.writes);
});

test("a delete of all is this tab's own, also of what another tab has deleted and may bring back", () => {
  const theirs = { key: "delete:a", kind: "delete", id: "a", tab: "other", due: 0, tries: 0, out: false };
  const bare = { ...fresh(), tab: "me", link: "offline", writes: { "delete:a": theirs }, library: { ...empty(), gone: { a: row("a") } } };
  assert.equal(feed([{ type: "removeAll" }], bare)[0].writes["delete:a"].tab, "me");
  const mine = { ...bare, writes: { "delete:a": { ...theirs, tab: "me", tries: 3 } } };
  assert.equal(feed([{ type: "removeAll" }], mine)[0].writes["delete:a"].tries, 3, "one of its own goes on");
});

test("an answer to a change that comes after a list with a later version brings nothing back", () => {
  const change = { type: "change", id: "a", change: { title: "T" }, now: 30 };
  const [state] = feed([listed([row("a")]), change, listed([row("a", { version: 4, title: "T", messageCount: 4 })], { full: false }), { type: "changed", id: "a", row: row("a", { version: 2, title: "T" }), sent: { title: "T" } }]);
  assert.deepEqual([state.library.rows.a.version, state.library.rows.a.messageCount, Object.keys(state.writes)], [4, 4, []]);
});

test("a server that was set back and does not know the cursor of a delete of all is told each of them", () => {
  const [state] = feed([online, listed([row("a"), row("b")]), { type: "removeAll" }]);
  const [refused, effects] = feed([{ type: "removeAllFailed", key: "all::k", error: { code: "bad_request", message: "", status: 400 } }], state);
  assert.deepEqual([Object.keys(refused.writes), effects.map((e) => [e.do, e.id])], [["delete:a", "delete:b"], [["delete", "a"], ["delete", "b"]]]);
  assert.deepEqual(feed([{ type: "removeAllFailed", key: "all::k", error: { code: "bad_request", message: "" } }], refused)[0].writes, refused.writes, "an answer that comes late changes nothing");
});

test("two deletes of all are two, and a second at the same cursor takes in what the first named", () => {
  const gone = [online, { type: "link", link: "offline" }, listed([row("a")]), { type: "removeAll" }];
  const [later] = feed([listed([row("b")], { full: false, cursor: "k2" }), { type: "removeAll" }], feed(gone)[0]);
  assert.deepEqual(Object.values(later.writes).map(({ key, ids: all }) => [key, all]), [["all::k", ["a"]], ["all::k2", ["b"]]]);
  const [same] = feed([listed([row("b")], { full: false }), { type: "removeAll" }], feed(gone)[0]);
  assert.deepEqual(Object.values(same.writes).map(({ key, ids: all }) => [key, all]), [["all::k", ["a", "b"]]]);
});

test("a chat that began while the list was on its way is not in it, and stays", () => {
  const events = [online, { type: "submit", text: "hi", images: [], newId: "c-9", turnId: "t-9", now: 5 }, frame({ type: "ack", ref: "send:t-9", conversationId: "c-9", turnId: "t-9" })];
  const [state] = feed([online, listed([]), ...events.slice(1), listed([])]);
  assert.deepEqual([Object.keys(state.library.rows), state.talks["c-9"].loaded], [["c-9"], "yes"]);
  const later = feed([listed([row("c-9")]), listed([])], state)[0];
  assert.deepEqual(Object.keys(later.library.rows), []);
});

test("a chat that is younger than a list stays until a list names it, and that one's number counts", () => {
  const young = { ...row("a", { version: 3, title: "here" }), fresh: true };
  const once = reconcile(local([young]), answer([]));
  assert.deepEqual([ids(once), once.dropped, once.library.rows.a.version], [["a"], [], 0]);
  for (const full of [true, false]) {
    const twice = reconcile(once, answer([], { full }));
    assert.deepEqual([twice.lost, twice.library.rows.a.lost], [["a"], true], "the next list was asked for later: the server has lost it");
  }
  assert.equal(reconcile(once, answer([row("a", { version: 2, title: "there" })])).library.rows.a.title, "there");
  assert.deepEqual(reconcile(local([young]), answer([], { deleted: [{ id: "a" }] })).dropped, ["a"]);
  assert.equal(reconcile(local([young]), answer([], { epoch: "other" })).library.rows.a.lost, true);
});
