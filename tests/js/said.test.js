// What the page says: in the reader's language, how long, what Claude is at, what came of an answer.
import assert from "node:assert/strict";
import { test } from "node:test";
import { COMMANDS } from "../../chat/static/chat/core/commands.js";
import { fullness, used } from "../../chat/static/chat/core/figures.js";
import { fill, gettext, language, learn, ngettext, number } from "../../chat/static/chat/core/gettext.js";
import { markdown } from "../../chat/static/chat/core/markdown.js";
import { folded } from "../../chat/static/chat/core/parts.js";
import { markOf, messages, outcomeOf, replay } from "../../chat/static/chat/core/replay.js";
import { seconds, span } from "../../chat/static/chat/core/spans.js";
import { words } from "../../chat/static/chat/core/tree.js";
import { advance, begin } from "../../chat/static/chat/core/turn.js";
import { empty, feed, online, p, turn } from "./help.js";

const follow = (events) => turn("t", events).reduce((now, { frame }) => advance(now, frame), begin("t"));
const said = { type: "user_text", text: "hi", images: [] };
const call = (callId, more = {}) => ({ callId, tool: "read_file", args: { path: "x" }, agentId: "workspace", ...more });
const result = (callId, more = {}) => ({ type: "tool_result", ...call(callId), ok: true, text: "out", images: [], error: null, ...more });

test("words are the reader's where the catalogue has them, else English", (context) => {
  context.after(() => learn({}));
  learn({ language: "de", catalog: { Draft: "Entwurf", Empty: "", "%(n)s line": ["%(n)s Zeile", "%(n)s Zeilen"] } });
  assert.deepEqual([gettext("Draft"), gettext("Empty"), gettext("Unknown"), language(), number(1234.5)], ["Entwurf", "Empty", "Unknown", "de", "1.234,5"]);
  assert.deepEqual([1, 2].map((n) => ngettext("%(n)s line", "%(n)s lines", n)), ["%(n)s Zeile", "%(n)s Zeilen"]);
  learn({});
  assert.deepEqual([gettext("Draft"), language(), ngettext("one", "many", 2)], ["Draft", "en", "many"]);
  assert.equal(fill("%(a)s and %(b)s", { a: 1 }), "1 and %(b)s", "a place without a value stays to be seen");
});

test("how long something took is said in few characters", () => {
  assert.deepEqual([40, 1240, 9_940, 9_960, 59_400, 59_600, 125_000].map(span), ["0 s", "1.2 s", "9.9 s", "10 s", "59 s", "1 min 0 s", "2 min 5 s"]);
  assert.deepEqual([0, 400, 1600, 90_400].map(seconds), ["1 s", "1 s", "2 s", "1 min 30 s"]);
});

test("what Claude is at is said until its text shows it", () => {
  const at = (events, more = {}) => markOf({ ...follow([said, ...events]), ...more });
  assert.equal(at([]), "Claude is thinking");
  assert.equal(at([{ type: "tool_call", ...call("a") }]), "Running read_file…");
  assert.equal(at([{ type: "tool_call", ...call("a") }, result("a")]), "Claude is thinking");
  assert.equal(at([{ type: "pending", ...call("a"), digest: "d", expiresAt: 1 }]), "Waiting for you");
  assert.equal(at([], { status: "held" }), "Waiting for you");
  assert.equal(at([], { stopping: true }), "Stopping…");
  assert.equal(at([{ type: "text_delta", text: "x", nodes: [p("x")] }]), null);
  const retry = (code) => at([{ type: "reset", code, retryIn: 4 }]);
  assert.deepEqual([retry("overloaded"), retry("odd")], ["Claude is overloaded. Trying again in 4 s", "Claude did not answer. Trying again in 4 s"]);
  assert.equal(at([{ type: "reset", code: "odd", retryIn: 4 }, { type: "thinking_delta", text: "x" }]), "Claude is thinking");
});

test("a turn that is asked for from its start shows nothing before it comes", () => {
  assert.deepEqual(messages(begin("t", { asking: true }), "t"), []);
  assert.equal(messages({ ...follow([said]), asking: true }, "t").length, 2);
});

test("how a stored turn ended is said as a live one's, and a good end is none", () => {
  const ended = (more) => replay([{ ...said, ended: { stopReason: "end_turn", at: 1, usage: {}, model: "m", cost: 0, ...more } }, { type: "thinking_delta", text: "x" }]).at(-1).outcome;
  assert.equal(ended({}), null);
  assert.deepEqual(ended({ stopReason: "failed", error: { code: "overloaded", message: "Busy." } }), { error: { code: "overloaded", message: "Busy." }, stopReason: "failed", turnId: "" });
  assert.deepEqual(outcomeOf(follow([said, { type: "error", code: "x", message: "Broken.", retryable: true }])), { error: { code: "x", message: "Broken.", retryable: true }, stopReason: null, turnId: "t" });
});

test("thinking says how long it took, run by run", () => {
  const thought = (...runs) => follow([said, ...runs]).parts.map((part) => [part.kind, part.text, part.open, part.ms]);
  const run = (text, ms) => ({ type: "thinking_delta", text, ...(ms === undefined ? {} : { ms }) });
  assert.deepEqual(thought(run("a"), run("", 1200), run("b"), run("", 300)), [["thinking", "ab", false, 1500]]);
  assert.deepEqual(thought(run("", 1200)), [], "an end of nothing shows nothing");
});

test("three calls in a row that came to a good end are one line; what failed or brought a picture stands for itself", () => {
  const shapes = (...events) => folded(follow([said, ...events]).parts).map((one) => (Array.isArray(one) ? one.map((part) => part.callId) : one.callId ?? one.kind));
  const good = (...ids) => ids.map((id) => result(id));
  assert.deepEqual(shapes(...good("a", "b")), ["a", "b"]);
  assert.deepEqual(shapes(...good("a", "b", "c"), { type: "thinking_delta", text: "x" }, ...good("d")), [["a", "b", "c"], "thinking", "d"]);
  assert.deepEqual(shapes(...good("a", "b", "c"), result("d", { ok: false, error: "No." }), result("e", { images: [null] })), [["a", "b", "c"], "d", "e"]);
});

test("a call that failed, or said nothing, is told in the Markdown of its conversation", () => {
  const text = (...events) => markdown(empty({ transcript: [said, ...events] }));
  assert.match(text(result("a", { ok: false, text: "", error: "No such file." })), /\*\*read_file\*\* \(failed\)\n\n```json\n[^`]*```\n\n```\nNo such file\.\n```\n$/);
  assert.match(text({ type: "denied", ...call("a"), code: "denied", message: "Not that." }), /\(denied\)[^]*Not that\./);
  assert.match(text(result("a", { ok: false, text: "exit 1" })), /\(failed\)[^]*exit 1/);
  assert.match(text(result("a", { text: "" })), /\*\*read_file\*\* \(done\)\n\n```json\n[^`]*```\n$/);
});

test("a formula without words is read as nothing", () => {
  assert.equal(words([["p", null, "So ", ["math", null, ["mi", null, "x"]], "."]]), "So .");
});

test("what was used is said without a price where none is known, and how full the context is only where it is known", () => {
  const usage = { input_tokens: 1000, output_tokens: 234 };
  assert.equal(used({ at: 1, stopReason: "interrupted", model: "m", usage }), "1,234 tokens · $0.00");
  assert.deepEqual([fullness([]), fullness([{ used: null }])], [null, null]);
});

test("an archived or pinned conversation can be taken out again by command", () => {
  const row = { id: "a", title: "a", agentId: null, pinned: true, archived: true, updatedAt: 1, version: 1, live: null };
  const [state] = feed([online, { type: "listed", answer: { conversations: [row], deleted: [], cursor: "k", epoch: "e", full: true } }, { type: "open", id: "a" }]);
  const label = (id, at) => COMMANDS.find((one) => one.id === id).label(at);
  assert.deepEqual([label("archive", state), label("pin", state)], ["Unarchive this conversation", "Unpin this conversation"]);
  const [other] = feed([{ type: "change", id: "a", change: { pinned: false, archived: false }, now: 2 }], state);
  assert.deepEqual([label("archive", other), label("pin", other)], ["Archive this conversation", "Pin this conversation"]);
});
