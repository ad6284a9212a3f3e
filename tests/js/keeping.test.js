// What the browser keeps and what its tabs tell each other; who works for whom; what is counted before signing out.
import assert from "node:assert/strict";
import { test } from "node:test";
import { draftsIn, marks } from "../../chat/static/chat/core/marks.js";
import { pending, waiting } from "../../chat/static/chat/core/pending.js";
import { changes, heard, ofTheList, overtaken, shared, snapshot } from "../../chat/static/chat/core/persist.js";
import { mayRenew } from "../../chat/static/chat/core/renewal.js";
import { feed, frame, fresh, golden, hello, online, opened, sent, turn } from "./help.js";

const row = (id, more = {}) => ({ id, title: id, agentId: null, pinned: false, archived: false, updatedAt: 10, version: 1, live: null, messageCount: 1, ...more });
const listed = (rows, more = {}) => ({ type: "listed", answer: { conversations: rows, deleted: [], cursor: "k", epoch: "e", full: true, ...more } });
const submit = (more = {}) => ({ type: "submit", text: "hello", images: [], newId: "c-new", turnId: "t-9", now: 5, ...more });
const offline = { type: "link", link: "offline" };
const keysOf = (all) => all.map(({ store, key, value }) => `${store} ${key}${value === undefined ? " -" : ""}`).sort();
const steps = (events, from = fresh()) => { const [after] = feed(events, from); return [from, after]; };
const told = (changes, writing = false) => ({ type: "elsewhere", changes, writing });

test("what changed is told apart store by store, and what did not costs nothing", () => {
  const [before, after] = steps([offline, listed([row("a")]), { type: "draft", text: "x", images: [] }, submit(), { type: "change", id: "a", change: { title: "T" }, now: 1 }]);
  assert.deepEqual(keysOf(changes(before, after)), ["conversations a", "conversations c-new", "meta list", "outbox edit:a", "outbox message:t-9"]);
  assert.deepEqual(changes(after, after), []);
  const stored = changes(before, after).find(({ key }) => key === "message:t-9").value;
  assert.deepEqual([stored.sent, stored.due, stored.text], [undefined, undefined, "hello"]);
  const [, gone] = steps([{ type: "remove", id: "a" }], after);
  assert.deepEqual(keysOf(changes(after, gone)), ["outbox delete:a"], "its row belongs to the cursor until its delete is done");
  const [, over] = steps([{ type: "undoOver" }, { type: "removed", id: "a" }], gone);
  assert.deepEqual(keysOf(changes(gone, over)), ["conversations a -", "messages a -", "outbox delete:a -", "outbox edit:a -"], "and then nothing of it is left");
});

test("a page that starts while a delete waits has its row as the list had it, and Undo elsewhere brings that one back", () => {
  const [, gone] = steps([listed([row("a", { version: 4 })]), { type: "remove", id: "a" }]);
  const { rows, list } = snapshot(gone);
  const entries = changes(fresh(), gone).filter(({ store }) => store === "outbox").map((one) => ({ ...one, value: { ...one.value, row: row("a", { version: undefined }), tab: "other" } }));
  const [start] = feed([{ type: "restored", durable: true, rows, list, entries }]);
  assert.deepEqual([Object.keys(start.library.rows), start.library.gone.a.version], [[], 4]);
  const [back] = feed([told([{ store: "outbox", key: "delete:a", value: undefined, row: row("a", { version: 4 }), epoch: "e" }])], start);
  assert.deepEqual([back.library.rows.a.version, back.library.rows.a.fresh], [4, undefined]);
});

test("what was kept beside a delete of all goes with it, in whatever order it was kept", () => {
  const message = { store: "outbox", key: "message:t-1", value: { turnId: "t-1", conversationId: "a", text: "x", images: [], tab: "gone", at: 1 } };
  const edit = { store: "outbox", key: "edit:a", value: { key: "edit:a", kind: "edit", id: "a", tab: "gone", change: { title: "T" } } };
  const all = { store: "outbox", key: "all:k", value: { key: "all:k", kind: "all", id: "", tab: "gone", ids: ["a"], each: [], before: "k" } };
  const later = { store: "outbox", key: "of tomorrow:a", value: 1 };
  for (const entries of [[all, edit, message, later], [message, later, edit, all]]) {
    const [state] = feed([{ type: "restored", durable: true, rows: [row("a")], list: { cursor: "k", epoch: "e" }, entries }]);
    assert.deepEqual([Object.keys(state.library.rows), state.outbox, Object.keys(state.writes)], [[], [], ["all:k"]]);
    assert.deepEqual(keysOf(overtaken(entries, state)), ["outbox edit:a -", "outbox message:t-1 -"]);
    assert.deepEqual(overtaken([all], state), []);
  }
});

test("a try that is under way is nothing to write down", () => {
  const [before] = feed([offline, listed([row("a")]), { type: "change", id: "a", change: { title: "T" }, now: 1 }]);
  const [after] = feed([{ type: "link", link: "down" }], before);
  assert.equal(after.writes["edit:a"].out, true);
  assert.deepEqual(changes(before, after), []);
});

test("a transcript is kept when it is settled, without what is on its way", () => {
  const [before, after] = steps([...opened, listed([row("c-1")])]);
  const kept = changes(before, after).find(({ store }) => store === "messages").value;
  assert.deepEqual([kept.version, kept.turns], [1, []]);
  const events = turn("t-1", [{ type: "user_text", text: "q", images: [] }]);
  const [, running] = steps(events, after);
  assert.deepEqual(keysOf(changes(after, running)).filter((key) => key.startsWith("messages")), []);
  const [, dropped] = steps([listed([], { deleted: [{ id: "c-1" }] })], after);
  assert.ok(keysOf(changes(after, dropped)).includes("messages c-1 -"));
});

test("other tabs hear what is not the list, with the row where one ends", () => {
  const [before, after] = steps([offline, listed([row("a")]), { type: "draft", text: "x", images: [] }, { type: "change", id: "a", change: { title: "T" }, now: 1 }, submit({ newId: "c-2" })]);
  const out = shared(changes(before, after), before, after);
  assert.deepEqual(out.map(({ key, row: shown }) => [key, shown?.title]), [["message:t-9", undefined], ["edit:a", "T"]].concat(after.drafts[""] ? [["", undefined]] : []));
  const [, back] = steps([{ type: "cancel", turnId: "t-9" }], after);
  assert.deepEqual(shared(changes(after, back), after, back).find(({ key }) => key === "message:t-9").row, null);
  assert.deepEqual(snapshot(after).rows.map(({ id }) => id).sort(), ["a", "c-2"]);
  assert.deepEqual([ofTheList({ store: "meta", key: "list" }), ofTheList({ store: "meta", key: "seen:a" })], [true, false]);
});

test("the database brings all of it back, and what waited is shown as waiting", () => {
  const [before, after] = steps([offline, listed([row("a"), row("b")]), { type: "open", id: "a" }, { type: "draft", text: "half", images: [] }, { type: "open", id: null }, submit(), { type: "change", id: "a", change: { title: "T" }, now: 1 },
    { type: "remove", id: "b", now: 3 }]);
  const all = changes(before, after).filter(({ value }) => value !== undefined);
  const entries = all.filter(({ store }) => store === "outbox" || store === "drafts");
  const [state, first] = feed([{ type: "restored", durable: true, rows: snapshot(after).rows, list: { cursor: "k", epoch: "e" }, entries }]);
  assert.deepEqual(Object.values(state.library.rows).map(({ id, title }) => [id, title]), [["a", "T"], ["c-new", "hello"]]);
  assert.deepEqual([state.library.cursor, state.drafts.a.text, Object.keys(state.writes).sort(), state.outbox[0].turnId], ["k", "half", ["delete:b", "edit:a"], "t-9"]);
  assert.equal(state.talks["c-new"].turns[0].status, "queued");
  const [, effects] = feed([online, listed([row("a"), row("b")])], state);
  assert.deepEqual([[...first, ...effects].map((e) => e.do).filter((d) => ["delete", "pull", "patch"].includes(d)), sent(effects, "send").length], [["delete", "pull", "patch"], 1]);
  assert.deepEqual(feed([{ type: "restored", durable: false, rows: [], list: null, entries: [] }])[0].news.map((n) => n.kind), ["memory"]);
});

test("a refused message comes back as not sent", () => {
  const parcel = { turnId: "t-1", conversationId: "c-1", text: "x", images: [{ url: "blob:1", mediaType: "image/png", name: "a", data: "" }], problem: "Too large.", at: 1 };
  const [state] = feed([{ type: "restored", durable: true, rows: [], list: null, entries: [{ store: "outbox", key: "message:t-1", value: parcel }] }, online, listed([])]);
  assert.deepEqual([state.talks["c-1"].turns[0].status, state.talks["c-1"].turns[0].problem, state.outbox[0].sent], ["unsent", "Too large.", true]);
  assert.deepEqual(marks(state, "c-1").map(({ code }) => code), ["unsent", "local"]);
});

test("a box that is written in keeps its words, any other takes the other tab's", () => {
  const draft = { store: "drafts", key: "", value: { text: "theirs", images: [] } };
  assert.equal(feed([{ type: "draft", text: "mine", images: [] }, told([draft], true)])[0].drafts[""].text, "mine");
  assert.equal(feed([{ type: "draft", text: "mine", images: [] }, told([draft])])[0].drafts[""].text, "theirs");
  assert.equal(feed([told([draft]), told([{ ...draft, value: undefined }])])[0].drafts[""], undefined);
});

test("a message of another tab shows as waiting, and is followed when it went", () => {
  const value = { turnId: "t-7", conversationId: "c-1", text: "there", images: [], tab: "other", at: 1 };
  const message = { store: "outbox", key: "message:t-7", value };
  const [state, effects] = feed([...opened, listed([row("c-1")]), told([message]), { type: "wake" }]);
  assert.deepEqual([state.talks["c-1"].turns.map((t) => t.status), sent(effects, "send")], [["queued"], []], "it is not this tab's to send");
  const [again] = feed([told([{ ...message, value: { ...value, problem: "No." } }])], state);
  assert.deepEqual(again.talks["c-1"].turns.map((t) => [t.status, t.problem]), [["unsent", "No."]]);
  const [went, more] = feed([told([{ ...message, value: undefined, row: row("c-1", { version: 2 }) }])], state);
  assert.deepEqual([went.outbox, went.talks["c-1"].turns, sent(more, "watch").length], [[], [], 1]);
  assert.equal(feed([told([{ ...message, value: undefined }])], state)[0].outbox.length, 1, "its end comes with a row");
  assert.deepEqual(feed([told([{ store: "outbox", key: "message:t-x", value: undefined, row: null }])], state)[0].outbox.length, 1);
});

test("a delete in another tab closes the chat here, and its Undo brings it back", () => {
  const write = { key: "delete:c-1", kind: "delete", id: "c-1", tab: "other" };
  const [state, effects] = feed([...opened, listed([row("c-1")]), told([{ store: "outbox", key: "delete:c-1", value: write }])]);
  assert.deepEqual([state.current, Object.keys(state.library.rows), effects.at(-1)], [null, [], { do: "go", id: null }]);
  const end = (shown) => feed([told([{ store: "outbox", key: "delete:c-1", value: undefined, row: shown }])], state)[0];
  assert.deepEqual([Object.keys(end(row("c-1")).library.rows), end(row("c-1")).writes["delete:c-1"]], [["c-1"], undefined]);
  assert.deepEqual([Object.keys(end(null).library.rows), end(null).library.gone["c-1"]], [[], undefined]);
  assert.equal(end(undefined), state);
  assert.deepEqual(feed([told([{ store: "outbox", key: "delete:unknown", value: { ...write, key: "delete:unknown", id: "unknown" } }])], state)[0].library.gone.unknown, undefined);
});

test("a change of another tab shows, and what the list took away does not come back by it", () => {
  const write = { key: "edit:a", kind: "edit", id: "a", tab: "other", change: { title: "T" } };
  const [state] = feed([listed([row("a", { version: 3 })]), told([{ store: "outbox", key: "edit:a", value: write, row: row("a", { version: 3, title: "T" }) }])]);
  assert.deepEqual([state.library.rows.a.title, "edit:a" in state.writes], ["T", true]);
  const [done] = feed([told([{ store: "outbox", key: "edit:a", value: undefined, row: row("a", { version: 2, title: "old" }) }])], state);
  assert.deepEqual([done.library.rows.a.version, done.writes["edit:a"]], [3, undefined]);
  const [gone] = feed([listed([], { deleted: [{ id: "a" }] }), told([{ store: "outbox", key: "edit:a", value: undefined, row: row("a") }])], state);
  assert.deepEqual(Object.keys(gone.library.rows), []);
});

test("delete all, kept words and what was read are told too", () => {
  const all = { key: "all:k", kind: "all", id: "", tab: "other", ids: ["a"], before: "k" };
  const [state] = feed([listed([row("a")]), told([{ store: "outbox", key: "all:k", value: all }, { store: "outbox", key: "kept:k", value: { key: "k", text: "w", images: [], title: "" } }, { store: "meta", key: "seen:a", value: 4 }])]);
  assert.deepEqual([Object.keys(state.library.rows), "all:k" in state.writes, state.kept.k.text, state.seen.a], [[], true, "w", 4]);
  const [end] = feed([told([{ store: "outbox", key: "all:k" }, { store: "outbox", key: "kept:k" }, { store: "outbox", key: "of tomorrow", value: 1 }])], state);
  assert.deepEqual([Object.keys(end.writes), Object.keys(end.kept)], [[], []]);
});

test("the tab that leads takes over what was made in tabs that are gone, and no other", () => {
  const entries = [{ store: "outbox", key: "delete:a", value: { key: "delete:a", kind: "delete", id: "a", tab: "gone" } },
    { store: "outbox", key: "message:t-1", value: { turnId: "t-1", conversationId: "b", text: "x", images: [], tab: "gone" } }];
  const base = feed([{ type: "restored", durable: true, rows: [row("a"), row("b")], list: null, entries }, online, listed([row("a"), row("b")])], { ...fresh(), tab: "me" })[0];
  assert.equal(feed([{ type: "alive", tabs: [] }], base)[0], base);
  const [leads] = feed([{ type: "leads", on: true }, { type: "alive", tabs: ["gone"] }], base);
  assert.equal(leads.writes["delete:a"].tab, "gone");
  const [state, effects] = feed([{ type: "alive", tabs: ["other"] }], leads);
  assert.deepEqual([state.writes["delete:a"].tab, effects.map((e) => e.do)], ["me", ["delete", "send"]]);
});

test("own things that end by another tab's doing are written down as ended", () => {
  const [before] = feed([offline, listed([row("a")]), submit()], { ...fresh(), tab: "me" });
  const [after] = feed([told([{ store: "outbox", key: "all:k", value: { key: "all:k", kind: "all", id: "", tab: "other", ids: ["a", "c-new"], before: "k" } }])], before);
  assert.deepEqual(keysOf(heard(changes(before, after), before)), ["conversations a -", "conversations c-new -", "messages a -", "messages c-new -", "outbox message:t-9 -"]);
});

test("signing out or another account leaves nothing on the page, and that is final", () => {
  const [state] = feed([...opened, listed([row("c-1")]), { type: "draft", text: "x", images: [] }, submit()]);
  for (const link of ["locked", "stranger"]) {
    const [shut, effects] = feed([{ type: "link", link }, { type: "link", link: "down" }], state);
    assert.deepEqual([shut.link, Object.keys(shut.library.rows), Object.keys(shut.talks), shut.outbox, Object.keys(shut.drafts), shut.current], [link, [], [], [], [], null]);
    assert.ok(effects.some((e) => e.do === "close"));
    const late = [listed([row("c-1")]), { type: "changed", id: "c-1", row: row("c-1"), sent: {} }, { type: "recalled", id: "c-1", talk: {} }, { type: "restored", durable: true, rows: [row("c-1")], list: null, entries: [] }, online, submit()];
    assert.deepEqual(feed(late, shut), [shut, []], "an answer that was on its way included");
  }
});

test("an ended session keeps everything, and goes on when the password was given", () => {
  const [ended] = feed([...opened, listed([row("c-1")]), { type: "draft", text: "x", images: [] }, { type: "link", link: "signed-out" }, { type: "link", link: "down" }]);
  assert.deepEqual([ended.link, ended.drafts["c-1"].text], ["signed-out", "x"]);
  const [again, effects] = feed([{ type: "signedIn" }, { type: "signedIn" }], ended);
  assert.deepEqual([again.link, effects.map((e) => e.do)], ["connecting", ["announce", "reconnect"]]);
  assert.deepEqual(feed([{ type: "ask" }])[1], [{ do: "pull" }]);
  assert.deepEqual(feed([{ type: "durable", on: false }])[0].news.map((n) => n.kind), ["memory"]);
  assert.deepEqual(feed([{ type: "durable", on: true }])[0].news, []);
});

test("a busy conversation makes a message wait, longer each time, and the end of its turn at once", () => {
  const [state, effects] = feed([online, listed([row("a")]), { type: "open", id: "a" }, submit({ now: 0 }), frame({ type: "error", ref: "send:t-9", code: "busy", message: "m" })].map((e) => ({ now: 100, ...e })));
  assert.deepEqual([state.outbox[0].due, state.outbox[0].tries, effects.at(-1).do], [1_100, 1, "wake"]);
  assert.equal(sent(feed([{ type: "wake", now: 500 }], state)[1], "send").length, 0);
  assert.equal(sent(feed([{ type: "wake", now: 1_200 }], state)[1], "send").length, 1);
  const [, ended] = feed([frame({ type: "live", conversationId: "a", turnId: "x", status: "done" })], state);
  assert.equal(sent(ended, "send").length, 1);
  const [limited] = feed([{ ...frame({ type: "error", ref: "send:t-9", code: "rate_limited", message: "m", retryAfter: 9 }), now: 0 }], { ...state, outbox: state.outbox.map((p) => ({ ...p, sent: true })) });
  assert.equal(limited.outbox[0].due, 9_000);
});

test("what is not watched is known to be busy from the list", () => {
  const live = { turnId: "other", status: "running" };
  const [, effects] = feed([listed([row("a", { live })]), { type: "open", id: "a" }, submit(), { type: "open", id: null }, online, listed([row("a", { live })])]);
  assert.equal(sent(effects, "send").length, 0);
});

test("all that the server has not got is counted and named", () => {
  const long = "word ".repeat(40);
  const image = { name: "a", mediaType: "image/png", data: "", url: "" };
  const [state] = feed([offline, listed([row("a", { title: "Alpha" }), row("b"), row("c")]), submit({ text: long }), { type: "open", id: "b" }, { type: "draft", text: "", images: [image] }, { type: "change", id: "a", change: { pinned: true }, now: 1 },
    { type: "remove", id: "c", now: 1 }]);
  const all = pending({ ...state, kept: { k: { key: "k", title: "", text: "kept words", images: [] } } });
  assert.deepEqual(all.map(({ kind }) => kind), ["message", "kept", "draft", "edit", "delete"]);
  assert.deepEqual([all[0].words.length, all[1].words, all[2].words, all[3].words, all[4].words], [60, "kept words", "an image", "Alpha", "c"]);
  assert.equal(waiting(state), 3);
  assert.deepEqual(pending(feed([{ type: "removeAll" }], state)[0]).map(({ kind }) => kind), ["delete", "delete"]);
  assert.deepEqual(pending(feed([offline, submit(), { type: "remove", id: "c-new" }])[0]).map(({ kind }) => kind), ["message"]);
  assert.deepEqual(pending(feed([online, submit(), ...turn("t-9", [{ type: "user_text", text: "hello", images: [] }]).map((e) => frame({ ...e.frame, conversationId: "c-new" }))])[0]), []);
});

test("a delete of what is shown nowhere any more is counted all the same, and words of a chat without a title are kept", () => {
  const bare = { ...fresh(), library: { ...fresh().library, rows: { a: row("a") } } };
  assert.deepEqual(pending(feed([offline, { type: "removeAll" }], bare)[0]), [{ kind: "delete", words: "" }]);
  const [state] = feed([{ type: "open", id: "a" }, { type: "draft", text: "half", images: [] }, frame({ type: "deleted", id: "a", version: 2, cursor: "k" })]);
  assert.deepEqual([state.kept["draft-a"].title, state.kept["draft-a"].text], ["", "half"]);
});

test("a page older than its server renews itself only when nothing runs, waits or is to be read", () => {
  const newer = frame({ ...hello, static: "/static/new/" });
  const may = (...events) => mayRenew(feed([newer, listed([row("a")]), ...events])[0]);
  assert.deepEqual([may(), mayRenew(feed([online, listed([row("a")])])[0])], [true, false]);
  const problem = { type: "problem", error: { code: "odd", message: "m" } };
  for (const event of [offline, submit(), { type: "remove", id: "a" }, problem, { type: "draft", text: "x", images: [] }]) assert.equal(may(event), false, event.type);
  const running = turn("t-1", [{ type: "user_text", text: "q", images: [] }]);
  assert.deepEqual([may({ type: "open", id: "c-1" }, ...running), may({ type: "open", id: "c-1" })], [false, true]);
});

test("the marks of a row are words", () => {
  const [state] = feed([offline, listed([row("held", { live: { turnId: "t", status: "held" } }), row("runs", { live: { turnId: "t", status: "running" } }), row("plain"), row("edited")]),
    { type: "change", id: "edited", change: { pinned: true }, now: 1 }, { type: "open", id: "plain" }, { type: "draft", text: "x", images: [] }, { type: "open", id: null }, submit(),
    listed([row("plain", { messageCount: 3, version: 2 }), row("new", { messageCount: 2 })], { full: false })]);
  const of = (id) => marks(state, id).map(({ code }) => code);
  assert.deepEqual([of("held"), of("runs"), of("edited"), of("plain"), of("c-new"), of("new"), of("nobody")],
    [["wait"], ["live"], ["unsynced"], ["draft", "unread"], ["local"], ["unread"], []]);
  assert.equal(draftsIn(state), "plain");
  const [read] = feed([{ type: "open", id: "plain" }], state);
  assert.deepEqual(marks(read, "plain").map(({ code }) => code), ["draft"]);
  assert.equal(marks(feed([{ type: "open", id: "new" }, { type: "open", id: null }], state)[0], "new").length, 0);
});

test("a chat that never was goes with its only message, whose words go back to the box", () => {
  const [state, effects] = feed([offline, submit(), { type: "cancel", turnId: "t-9" }]);
  assert.deepEqual([Object.keys(state.library.rows), state.current, state.drafts[""].text], [[], null, "hello"]);
  assert.ok(effects.some((e) => e.do === "go" && e.id === null));
});

test("a page that finds the line again hurries, and hello of the same account opens it", () => {
  const [failed] = feed([listed([row("a")]), { type: "change", id: "a", change: { title: "T" }, now: 1 }, { type: "changeFailed", id: "a", sent: { title: "T" }, error: { code: "conflict", message: "" }, now: 1 }, offline]);
  assert.ok(failed.writes["edit:a"].due > 1);
  const [back, effects] = feed([{ type: "link", link: "down" }], failed);
  assert.deepEqual([back.writes["edit:a"].tries, effects.map((e) => e.do)], [0, ["patch"]]);
  assert.equal(feed([frame({ ...golden("hello"), account: hello.account })], failed)[0].link, "open");
  assert.deepEqual(feed([{ type: "changeFailed", id: "gone", sent: {}, error: { code: "bad_request", message: "" } }], back)[0], back);
});

test("a change on top of one that is under way goes after it", () => {
  const [state, first] = feed([online, listed([row("a")]), { type: "change", id: "a", change: { title: "One" }, now: 1 }, { type: "change", id: "a", change: { title: "Two", pinned: true }, now: 2 }]);
  assert.equal(first.filter((e) => e.do === "patch").length, 1);
  const [next, more] = feed([{ type: "changed", id: "a", row: row("a", { title: "One", version: 2 }), sent: { title: "One" } }], state);
  assert.deepEqual([next.library.rows.a.title, more.find((e) => e.do === "patch").change], ["Two", { title: "Two", pinned: true }]);
});

test("a stop that was refused says why and can be asked for again; older messages show by the page", () => {
  const [state] = feed([...opened, ...turn("t-1", [{ type: "user_text", text: "q", images: [] }]), { type: "stop" }]);
  assert.equal(state.talks["c-1"].turns[0].stopping, true);
  const [refused] = feed([frame({ type: "error", ref: "stop:t-1", code: "not_found", message: "No." })], { ...state, homes: { "t-1": "c-1" } });
  assert.deepEqual([refused.talks["c-1"].turns[0].stopping, refused.problem.message], [false, "No."]);
  const [more] = feed([{ type: "older", id: "c-1" }, { type: "older", id: "nobody" }], state);
  assert.ok(more.talks["c-1"].shown > state.talks["c-1"].shown);
});
