import assert from "node:assert/strict";
import { test } from "node:test";
import { begun, chosen, effortsOf } from "../../chat/static/chat/core/choice.js";
import { fullness, money, spent, used, usedInFull } from "../../chat/static/chat/core/figures.js";
import { view } from "../../chat/static/chat/core/talk.js";
import { empty, feed, frame, fresh, online, opened, p, sent, turn } from "./help.js";

const said = (text) => ({ type: "user_text", text, images: [] });
const told = (text) => ({ type: "text_delta", text, nodes: [p(text)] });
const loaded = (version, ...transcript) => ({ type: "loaded", id: "c-1", answer: empty({ version, transcript }) });
const two = [online, { type: "open", id: "c-1" }, loaded(4, said("a"), told("A"), said("b"), told("B"))];
const doing = (effects) => effects.map((e) => e.do);
const words = (state) => view(state.talks["c-1"]).map((m) => m.text);
const editing = { type: "editing", id: "c-1", text: "b", images: [], truncateAt: 2, version: 4 };
const submit = (text) => ({ type: "submit", text, images: [], newId: "c-9", turnId: "t-9", now: 5 });
const refused = (code, ref = "send:t-9") => frame({ type: "error", ref, code, message: "No." });

test("the last message is edited only while nothing runs or waits", () => {
  assert.deepEqual(doing(feed([{ type: "editLast" }], feed(two)[0])[1]), ["again"]);
  const busy = feed([...two, ...turn("t-1", [said("c")])])[0];
  assert.deepEqual(feed([{ type: "editLast" }], busy)[1], []);
  assert.deepEqual(feed([{ type: "retry" }], busy)[1], []);
  assert.deepEqual(feed([{ type: "editLast" }])[1], []);
});

test("a message that was not sent is sent again, not edited; one that is being edited is not edited twice", () => {
  const [unsent] = feed([submit("c"), refused("too_large")], feed(two)[0]);
  assert.deepEqual(feed([{ type: "editLast" }], unsent)[1], []);
  const [typing] = feed([{ type: "draft", text: "half", images: [] }], feed(two)[0]);
  assert.deepEqual(doing(feed([{ type: "editLast" }], typing)[1]), ["again"]);
  assert.deepEqual(feed([{ type: "editLast" }], feed([editing], typing)[0])[1], []);
});

test("what is edited replaces the message at its place, and the box is empty", () => {
  const [state, effects] = feed([editing, submit("b!")], feed(two)[0]);
  assert.deepEqual(words(state), ["a", "A", "b!", ""]);
  const [send] = sent(effects, "send");
  assert.deepEqual([send.message, send.truncateAt, send.version], ["b!", 2, 4]);
  assert.equal(state.drafts["c-1"], undefined);
});

test("what stood in the box comes back when editing stops; an edit that is emptied stays one", () => {
  const [state] = feed([{ type: "draft", text: "half", images: [] }, editing, { type: "draft", text: "", images: [] }], feed(two)[0]);
  assert.deepEqual(state.drafts["c-1"].edit, { truncateAt: 2, version: 4, before: { text: "half", images: [] } });
  assert.deepEqual(feed([{ type: "stopEditing" }], state)[0].drafts["c-1"], { text: "half", images: [] });
  const bare = feed([editing, { type: "stopEditing" }, { type: "stopEditing" }], feed(two)[0])[0];
  assert.equal(bare.drafts["c-1"], undefined);
});

test("an edit waits for an answer that another page has begun", () => {
  const [state, effects] = feed([editing, ...turn("t-1", [said("c")]), submit("b!")], feed(two)[0]);
  assert.deepEqual([state.problem.code, state.drafts["c-1"].text, sent(effects, "send").length], ["busy", "b", 0]);
});

test("a refused edit keeps the words and loads what is there", () => {
  const [state, effects] = feed([editing, submit("b!"), refused("conflict")], feed(two)[0]);
  assert.deepEqual(state.drafts["c-1"], { text: "b!", images: [] });
  assert.match(state.problem.message, /your words are in the message box/);
  assert.ok(effects.some((e) => e.do === "load"));
  assert.deepEqual([state.outbox, words(feed([loaded(5, said("x"), told("X"))], state)[0])], [[], ["x", "X"]]);
});

test("a refused edit never overwrites what was typed meanwhile", () => {
  const [state] = feed([editing, submit("b!"), { type: "draft", text: "new", images: [] }, refused("conflict")], feed(two)[0]);
  assert.deepEqual([state.drafts["c-1"].text, /words are/.test(state.problem.message)], ["new", false]);
});

test("a refused second asking leaves the box alone and says why", () => {
  const again = { type: "resend", id: "c-1", turnId: "t-9", text: "b", images: [], truncateAt: 2, version: 4 };
  const [state] = feed([again, refused("too_large")], feed(two)[0]);
  assert.deepEqual([state.problem.message, state.drafts["c-1"]], ["No.", undefined]);
});

test("one that must wait is sent again in its place", () => {
  const [state, effects] = feed([editing, submit("b!"), refused("rate_limited")], feed(two)[0]);
  assert.deepEqual([state.outbox.length, state.problem, doing(effects).includes("wake")], [1, null, true]);
});

test("a conversation that was loaded while its last message is sent anew shows neither twice", () => {
  const again = { type: "resend", id: "c-1", turnId: "t-9", text: "b", images: [], truncateAt: 2, version: 4 };
  const running = [again, ...turn("t-9", [said("b"), told("B2")]), loaded(4, said("a"), told("A"), said("b"), told("B"))];
  const [state] = feed(running, feed(two)[0]);
  assert.deepEqual(words(state), ["a", "A", "b", "B2"]);
  const done = { type: "done", seq: 3, turnId: "t-9", conversationId: "c-1", done: true, pending: [], stopReason: "end_turn", version: 5, usage: {} };
  const after = feed([frame(done), loaded(5, said("a"), told("A"), said("b"), told("B2"))], state)[0];
  assert.deepEqual(words(after), ["a", "A", "b", "B2"]);
});

test("an edit that failed before a word came stays in place of what is stored", () => {
  const failed = { type: "done", seq: 3, turnId: "t-9", conversationId: "c-1", done: true, pending: [], stopReason: "failed", version: 4, usage: {} };
  const events = [...turn("t-9", [said("b!"), { type: "error", code: "overloaded", message: "Busy.", retryable: true }]), frame(failed)];
  const [state] = feed([editing, submit("b!"), ...events, loaded(4, said("a"), told("A"), said("b"), told("B"))], feed(two)[0]);
  assert.deepEqual(words(state), ["a", "A", "b!", ""]);
  assert.deepEqual([state.talks["c-1"].turns[0].cut, state.talks["c-1"].turns[0].since], [2, null]);
});

test("taking back an edit that waits shows the conversation as it is stored", () => {
  const [state, effects] = feed([{ type: "link", link: "offline" }, editing, submit("b!"), { type: "cancel", turnId: "t-9" }], feed(two)[0]);
  assert.ok(effects.some((e) => e.do === "load"));
  assert.equal(state.drafts["c-1"].text, "b!");
});

test("what is stored is shown before it is answered anew", () => {
  const [state, effects] = feed([{ type: "outdated", id: "c-1" }], feed(two)[0]);
  assert.deepEqual([state.problem.code, doing(effects)], ["conflict", ["load", "announce"]]);
});

test("a hand-over is asked for once and leads to the new conversation, unless the reader has left", () => {
  const [state, effects] = feed([{ type: "handOver" }, { type: "handOver" }], feed(two)[0]);
  assert.deepEqual([state.handing, doing(effects)], ["c-1", ["handOver", "announce"]]);
  assert.deepEqual(doing(feed([{ type: "handedOver", id: "c-1", to: "c-2" }], state)[1]), ["pull", "visit", "focus"]);
  assert.deepEqual(doing(feed([{ type: "open", id: null }, { type: "handedOver", id: "c-1", to: "c-2" }], state)[1]).at(-1), "pull");
  const failed = feed([{ type: "handOverFailed", error: { code: "slow", message: "Slow." } }], state)[0];
  assert.deepEqual([failed.handing, failed.problem.message], [null, "Slow."]);
  assert.deepEqual(feed([{ type: "handOver" }])[1], []);
});

const models = [{ id: "m-1", name: "One", efforts: ["low", "high"] }, { id: "m-2", name: "Two", efforts: [] }, { id: "m-3", name: "Three", efforts: null }];
const offer = { models, default: "m-1", agents: [{ id: "workspace", tools: [] }, { id: "kenny", tools: [] }] };
const row = { id: "c-1", title: "t", agentId: "workspace", pinned: false, archived: false, updatedAt: 1, version: 1, settings: { model: "m-1", effort: "high", system: "Be brief." } };
const listed = { type: "listed", answer: { conversations: [row], deleted: [], cursor: "k", epoch: "e", full: true } };

test("a choice is stored with the conversation's other settings, and an effort that the model does not take goes", () => {
  const [state, effects] = feed([...opened, listed, { type: "offered", offer }, { type: "choose", change: { model: "m-2" } }]);
  assert.deepEqual(state.library.rows["c-1"].settings, { model: "m-2", system: "Be brief." });
  assert.deepEqual(effects.find((e) => e.do === "patch").change, { settings: { model: "m-2", system: "Be brief." } });
  const [other] = feed([{ type: "choose", change: { model: "", effort: "", agent: "kenny" } }], state);
  assert.deepEqual([other.library.rows["c-1"].settings, other.library.rows["c-1"].agentId], [{ system: "Be brief." }, "kenny"]);
  assert.equal(feed([{ type: "choose", change: { model: "m-3", effort: "max" } }], state)[0].library.rows["c-1"].settings.effort, "max");
});

test("a choice for a new conversation goes with its first message", () => {
  const [state, effects] = feed([online, { type: "listed", answer: { ...listed.answer, conversations: [] } }, { type: "offered", offer }, { type: "choose", change: { model: "m-3", effort: "max", agent: "kenny" } }, submit("hi")]);
  const [send] = sent(effects, "send");
  assert.deepEqual([send.settings, send.agentId], [{ model: "m-3", effort: "max" }, "kenny"]);
  assert.deepEqual(chosen(state), { model: "m-3", effort: "max", agent: "kenny" });
  const [, plain] = feed([online, { type: "listed", answer: { ...listed.answer, conversations: [] } }, submit("hi")]);
  assert.equal("settings" in sent(plain, "send")[0], false);
});

test("a first message that was refused for its model goes again with the one that is chosen then", () => {
  const nothing = { type: "listed", answer: { ...listed.answer, conversations: [] } };
  const first = [online, nothing, { type: "offered", offer }, { type: "choose", change: { model: "gone" } }, submit("hi"), refused("bad_request")];
  const [, effects] = feed([{ type: "choose", change: { model: "m-2", agent: "kenny" } }, { type: "again", turnId: "t-9" }], feed(first)[0]);
  const [send] = sent(effects, "send");
  assert.deepEqual([send.settings, send.agentId], [{ model: "m-2" }, "kenny"]);
});

test("where nothing was chosen the server's own choice is shown, with the efforts of its model", () => {
  const bare = { ...listed, answer: { ...listed.answer, conversations: [{ ...row, settings: undefined, agentId: null }] } };
  const [state] = feed([...opened, bare]);
  assert.deepEqual(chosen(state), { model: "", effort: "", agent: "" });
  assert.deepEqual(effortsOf(state, ""), ["low", "medium", "high", "xhigh", "max"], "nobody has told which models there are");
  const [known] = feed([{ type: "offered", offer }], state);
  assert.deepEqual([effortsOf(known, ""), effortsOf(known, "m-2")], [["low", "high"], []]);
  const [chose, effects] = feed([{ type: "choose", change: { effort: "high" } }], known);
  assert.deepEqual([chose.library.rows["c-1"].settings, effects.find((e) => e.do === "patch").change], [{ effort: "high" }, { settings: { effort: "high" } }]);
});

test("a choice reaches the first message of its own conversation, no other's", () => {
  const nothing = { type: "listed", answer: { ...listed.answer, conversations: [] } };
  const first = (newId, turnId) => [{ type: "open", id: null }, { ...submit("hi"), newId, turnId }];
  const [state] = feed([online, nothing, { type: "link", link: "offline" }, ...first("c-8", "t-8"), ...first("c-9", "t-9"), { type: "choose", change: { model: "m-2" } }]);
  assert.deepEqual(state.outbox.map(({ turnId, settings }) => [turnId, settings]), [["t-8", undefined], ["t-9", { model: "m-2" }]]);
});

test("what the person prefers begins a conversation", () => {
  const state = { ...fresh(), preferences: { sendKey: null, model: "m-2", agentId: "kenny" } };
  assert.deepEqual(begun(state), { settings: { model: "m-2" }, agentId: "kenny" });
  assert.deepEqual(begun({ ...state, choice: { model: "", effort: "", agent: "" } }), {});
});

const ended = (more = {}) => ({ at: 1, stopReason: "end_turn", model: "m", usage: { input_tokens: 1000, output_tokens: 200, cache_read_input_tokens: 34, ...more }, cost: 2264, spent: { tokens: 5000, cost: 1_250_000 } });
const with_ = (more) => [{ used: null }, { used: ended(more) }];

test("tokens and money are said in few words, and in full for who asks", () => {
  assert.equal(used(ended()), "1,234 tokens · $0.0023");
  assert.equal(used(null), null);
  assert.equal(used({ ...ended(), usage: {} }), null);
  assert.deepEqual([money(0), money(26), money(100), money(1_500_000)], ["$0.00", "<$0.0001", "$0.0001", "$1.50"]);
  assert.equal(usedInFull(ended()), "m: 1,034 tokens read, 34 of them from the cache, 200 written");
  assert.equal(spent(with_()), "This conversation: 5,000 tokens · $1.25");
  assert.equal(spent([{ used: { ...ended(), spent: undefined } }]), null);
});

test("a context that is nearly full is warned of at 80 and at 95 percent, in words", () => {
  const at = (contextTokens) => fullness(with_({ contextTokens, contextWindow: 1000 }));
  assert.deepEqual(at(799), { percent: 79, label: "Context 79% full", warning: null });
  assert.match(at(800).warning, /getting long: 80%/);
  assert.match(at(949).warning, /getting long: 94%/);
  assert.match(at(950).warning, /almost too long: 95%/);
  assert.equal(at(1200).percent, 100);
  assert.equal(fullness(with_({ contextTokens: 5 })), null);
});
