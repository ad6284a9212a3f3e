import assert from "node:assert/strict";
import { test } from "node:test";
import { advance, begin, isGap, isLive } from "../../chat/static/chat/core/turn.js";
import { p, turn } from "./help.js";

const follow = (events, from = begin("t")) => turn("t", events).reduce((now, { frame }) => advance(now, frame), from);
const said = { type: "user_text", text: "hi", images: [] };
const call = { callId: "a", tool: "write_file", args: { path: "x" }, agentId: "workspace" };
const held = { type: "pending", ...call, digest: "d", expiresAt: 9 };

test("an event that was seen changes nothing", () => {
  const now = follow([said, { type: "thinking_delta", text: "hm" }]);
  assert.equal(advance(now, turn("t", [said])[0].frame), now);
});

test("thinking joins and closes when something else begins", () => {
  const open = follow([said, { type: "thinking_delta", text: "a" }, { type: "thinking_delta", text: "b" }]);
  assert.deepEqual(open.parts, [{ kind: "thinking", text: "ab", open: true, ms: null }]);
  assert.equal(advance(open, { type: "tool_call", seq: 4, ...call }).parts[0].open, false);
});

test("blocks stay, the tail is replaced by the next block", () => {
  const tail = { type: "tail", part: 2, seq: 2, delta: [0, null, p("ha")] };
  const block = { type: "block", part: 2, index: 0, seq: 3, nodes: [p("half")], text: "half" };
  const now = [tail, { ...tail, seq: 3, delta: [0, { in: [0, "l"] }] }].reduce((t, f) => advance(t, { turnId: "t", ...f }), follow([said]));
  assert.deepEqual(now.parts[0].nodes, [p("hal")]);
  const closed = advance(now, block);
  assert.deepEqual(closed.parts[0].nodes, [p("half")]);
  assert.equal(closed.seq, 3);
});

test("a run sent again after a reconnect changes nothing and loses nothing", () => {
  const block = (index, text) => ({ type: "block", part: 2, index, seq: 3 + index, nodes: [p(text)], text });
  const tail = { type: "tail", part: 2, seq: 9, delta: [0, null, p("open")] };
  const once = [block(0, "a"), block(1, "b"), tail].reduce(advance, follow([said]));
  const twice = [block(0, "a"), block(1, "b"), tail].reduce(advance, once);
  assert.deepEqual(twice, once);
});

test("a block that differs replaces what followed it", () => {
  const block = (index, text) => ({ type: "block", part: 2, index, seq: 3, nodes: [p(text)], text });
  const now = [block(0, "a"), block(1, "b"), block(0, "A")].reduce(advance, follow([said]));
  assert.deepEqual(now.parts[0].nodes, [p("A")]);
});

test("end replaces the whole run, or only its tail", () => {
  const block = { type: "block", part: 2, index: 0, seq: 3, nodes: [p("a")], text: "a" };
  const tail = { type: "tail", part: 2, seq: 4, delta: [0, null, p("b")] };
  const end = (nodes) => [block, tail, { type: "end", part: 2, seq: 4, nodes }].reduce(advance, follow([said])).parts[0].nodes;
  assert.deepEqual(end([p("whole")]), [p("whole")]);
  assert.deepEqual(end(null), [p("a")]);
});

test("reset takes back what was shown since the last call was answered", () => {
  const result = { type: "tool_result", ...call, ok: true, autoRun: true, text: "", images: [], error: null };
  const now = follow([said, { type: "thinking_delta", text: "x" }, { type: "tool_call", ...call }, result, { type: "thinking_delta", text: "void" }, { type: "reset" }]);
  assert.deepEqual(now.parts.map((part) => part.kind), ["thinking", "tool"]);
  assert.deepEqual(follow([said, { type: "thinking_delta", text: "x" }, { type: "reset" }]).parts, []);
});

test("restart begins the turn anew and keeps what the person said", () => {
  const now = advance(follow([said, { type: "thinking_delta", text: "x" }]), { type: "restart" });
  assert.equal(now.seq, 0);
  assert.deepEqual(now.parts, []);
  assert.equal(now.user.text, "hi");
});

test("a held call carries its digest until it is decided", () => {
  const now = follow([said, { type: "tool_call", ...call }, held, { type: "done", done: false, pending: ["a"], stopReason: "held", version: 2, usage: {} }]);
  assert.deepEqual([now.status, now.parts[0].state, now.parts[0].gate.digest, now.since], ["held", "waiting", "d", 2]);
  const yes = advance(now, { type: "decided", seq: 5, callId: "a", approve: true });
  assert.deepEqual([yes.status, yes.parts[0].state, yes.parts[0].gate], ["running", "running", null]);
  assert.equal(advance(now, { type: "decided", seq: 5, callId: "a", approve: false }).parts[0].state, "denied");
});

test("a pending or denied call that was never announced still gets its card", () => {
  assert.equal(follow([said, held]).parts[0].state, "waiting");
  assert.equal(follow([said, { type: "denied", ...call, code: "denied", message: "No." }]).parts[0].error, "No.");
});

test("done ends the turn and keeps the version of its first settle", () => {
  const now = follow([said, { type: "done", done: false, pending: [], stopReason: "held", version: 2, usage: {} },
    { type: "error", code: "x", message: "Broken.", retryable: true }, { type: "done", done: true, pending: [], stopReason: "failed", version: 3, usage: { input_tokens: 1 } }]);
  assert.deepEqual([now.status, now.since, now.version, now.error.message, now.usage.input_tokens], ["over", 2, 3, "Broken.", 1]);
  assert.ok(!isLive(now));
});

test("a hole is a gap unless text stood there or the whole turn was asked for", () => {
  const now = follow([said]);
  assert.ok(isGap(now, { type: "done", seq: 3 }));
  assert.ok(!isGap(now, { type: "done", seq: 2 }));
  assert.ok(!isGap(now, { type: "tail", seq: 9 }));
  assert.ok(!isGap({ ...now, lenient: true }, { type: "done", seq: 3 }));
  const writing = advance(now, { type: "tail", part: 2, seq: 2, delta: [0, null, "x"] });
  assert.ok(!isGap(writing, { type: "done", seq: 9 }));
});

test("while it asks for the whole, only the first event counts", () => {
  const asking = { ...follow([said, { type: "thinking_delta", text: "old" }]), asking: true };
  assert.equal(advance(asking, { type: "thinking_delta", seq: 7, text: "late" }), asking);
  assert.equal(advance(asking, { type: "tail", seq: 1, part: 1, delta: [0, null, "x"] }), asking);
  const now = advance(asking, { type: "user_text", seq: 1, text: "hi", images: [] });
  assert.deepEqual([now.asking, now.lenient, now.parts], [false, true, []]);
});

test("an event of a kind nobody knows only counts", () => {
  const now = advance(follow([said]), { type: "of_a_newer_server", seq: 2 });
  assert.equal(now.seq, 2);
  assert.deepEqual(now.parts, []);
});
