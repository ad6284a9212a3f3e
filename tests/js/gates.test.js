// Held calls: the list of all that wait, a decision that was made, refused or lost, and what is said of them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { approval } from "../../chat/static/chat/core/gates.js";
import { feed, frame, golden, online, opened, sent, turn } from "./help.js";

const call = { callId: "a", tool: "write_file", args: { path: "x" }, agentId: "workspace" };
const pending = { ...call, conversationId: "c-2", digest: "d2", expiresAt: 9 };
const listed = { type: "listed", answer: { conversations: ["c-1", "c-2"].map((id) => ({ id, title: `t-${id}`, agentId: null, pinned: false, archived: false, updatedAt: 1, version: 1, live: null })), deleted: [], cursor: "k", epoch: "e", full: true } };
const held = turn("t-1", [{ type: "user_text", text: "x", images: [] }, { type: "tool_call", ...call }, { type: "pending", ...call, digest: "d1", expiresAt: 1 }]);
const elsewhere = [...opened, listed, { type: "heldListed", calls: [pending] }];
const decide = (approve, reason) => ({ type: "decide", callId: "a", approve, ...(reason === undefined ? {} : { reason }) });
const refusal = (more) => frame({ type: "error", ref: "confirm:a", ...more });
const said = (effects) => effects.filter((e) => e.do === "announce").map((e) => e.text);
const cardOf = (state) => state.talks["c-1"].turns[0].parts[0];

test("a call that waits elsewhere is told once, by the title of its conversation", () => {
  const [state, effects] = feed(elsewhere);
  assert.deepEqual(state.held, [{ conversationId: "c-2", callId: "a", tool: "write_file", args: { path: "x" }, gate: { digest: "d2", expiresAt: 9 }, deciding: null, problem: null }]);
  assert.deepEqual(said(effects), ["Approval needed for write_file in t-c-2"]);
  const [again, nothing] = feed([{ type: "heldListed", calls: [pending] }], state);
  assert.deepEqual([again.held[0], said(nothing)], [state.held[0], []]);
  assert.deepEqual(said(feed([...opened, { type: "heldListed", calls: [{ ...pending, conversationId: "c-1" }] }])[1]), [], "the open one is told by its turn");
  assert.equal(approval("write_file", undefined), "Approval needed for write_file in this conversation");
});

test("a decision of another conversation goes with its digest and does not begin to follow it", () => {
  const [state, effects] = feed([decide(false, "  not that one ")], feed(elsewhere)[0]);
  assert.deepEqual(sent(effects, "confirm"), [{ type: "confirm", ref: "confirm:a", conversationId: "c-2", callId: "a", digest: "d2", approve: false, reason: "not that one", render: true }]);
  assert.deepEqual([sent(effects, "unwatch").map((f) => f.conversationId), state.held[0].deciding], [["c-2"], "deny"]);
  assert.equal("reason" in sent(feed([decide(false, "  ")], feed(elsewhere)[0])[1], "confirm")[0], false);
  const taken = feed([frame({ ...golden("ack"), ref: "confirm:a" })], state);
  assert.deepEqual([taken[0].held, taken[1]], [[], [{ do: "held" }]]);
  assert.equal(feed([frame({ ...golden("ack"), ref: "confirm:b" })], state)[0].held, state.held);
});

test("only the call that is decided changes, and one nobody knows cannot be", () => {
  const [both] = feed([...opened, listed, { type: "heldListed", calls: [pending, { ...pending, callId: "b" }] }]);
  const [state] = feed([decide(true)], both);
  assert.deepEqual(state.held.map(({ callId, deciding }) => [callId, deciding]), [["a", "approve"], ["b", null]]);
  assert.deepEqual(feed([{ ...decide(true), callId: "gone" }], both), [both, []]);
});

test("a decision that came too late says what was decided, and by whom it was not", () => {
  const [state] = feed([...opened, ...held, decide(true)]);
  const problem = (more) => cardOf(feed([refusal(more)], state)[0]).problem;
  assert.equal(problem({ code: "decided", decision: "approved", message: "m" }), "Approved in another tab");
  assert.equal(problem({ code: "decided", decision: "denied", message: "m" }), "Denied in another tab");
  assert.equal(problem({ code: "decided", decision: "superseded", message: "Void." }), "Void.");
  assert.equal(problem({ code: "odd" }), "That did not work.");
});

test("a decision under way when the line broke can be made again", () => {
  const [state] = feed([...opened, ...held, decide(true), { type: "link", link: "down" }]);
  assert.equal(cardOf(state).deciding, "approve");
  const [back] = feed([online], state);
  assert.equal(cardOf(back).deciding, null);
  assert.equal(sent(feed([decide(false)], back)[1], "confirm").length, 1);
});

test("a decision that was made here is not told as another tab's", () => {
  const decided = { conversationId: "c-1", turnId: "t-1", seq: 4, type: "decided", callId: "a", approve: true, by: "ada", at: 1 };
  const here = feed([...opened, ...held, decide(true), frame(decided)])[0];
  assert.deepEqual([cardOf(here).state, cardOf(here).elsewhere, cardOf(here).deciding], ["running", null, null]);
  assert.equal(cardOf(feed([...opened, ...held, frame(decided)])[0]).elsewhere, "Approved in another tab");
});

test("a hint that a turn is held, or no longer, asks for the held calls", () => {
  const hint = (status, conversationId) => frame({ type: "live", conversationId, turnId: "t-2", status });
  const doing = (event, from) => feed([event], from)[1].map((e) => e.do);
  const [state] = feed(elsewhere);
  assert.deepEqual(doing(hint("held", "c-1"), state), ["pull", "held"]);
  assert.deepEqual(doing(hint("done", "c-2"), state), ["pull", "held"], "its call waited");
  assert.deepEqual(doing(hint("running", "c-1"), state), ["pull"]);
  assert.equal(feed([hint("held", "unknown")], state)[0].library, state.library);
});
