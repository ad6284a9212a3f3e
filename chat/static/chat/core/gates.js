// Held calls: the one that is open in a conversation and those of all others. A decision is sent once and never kept for later.
import { fill, gettext, translated } from "./gettext.js";
import { put } from "./maps.js";
import { change } from "./talk.js";
import { edit } from "./parts.js";

/** @param {Kenny.Turn} turn @param {string} callId */
const callOf = (turn, callId) => /** @type {Kenny.ToolPart | undefined} */ (turn.parts.find((part) => part.kind === "tool" && part.callId === callId));

/** Changes a held call wherever the page shows it. @param {Kenny.State} s @param {string} callId @param {Partial<Kenny.ToolPart>} to @returns {Kenny.State} */
function everywhere(s, callId, to) {
  const held = s.held.map((call) => (call.callId === callId ? { ...call, ...to } : call));
  for (const talk of Object.values(s.talks)) {
    const turn = talk.turns.find((one) => callOf(one, callId));
    if (turn) return { ...s, held, talks: put(s.talks, talk.id, change(talk, turn.id, (one) => ({ ...one, parts: edit(one.parts, callId, to) }))) };
  }
  return { ...s, held };
}

/** @type {Kenny.Handlers} */
export const handlers = {
  heldListed: (s, { calls }) => {
    const known = new Map(s.held.map((call) => [call.callId, call]));
    const held = calls.map((/** @type {Kenny.Frame} */ f) => known.get(f.callId) ?? heldOf(f));
    const fresh = held.filter((/** @type {Kenny.Held} */ call) => !known.has(call.callId) && call.conversationId !== s.current);
    return [{ ...s, held }, fresh.map((/** @type {Kenny.Held} */ call) => ({ do: "announce", text: approval(call.tool, s.library.rows[call.conversationId]?.title), urgent: true }))];
  },
  decide: (s, { callId, approve, reason = "" }) => {
    const talk = Object.values(s.talks).find((one) => one.turns.some((turn) => callOf(turn, callId)?.gate));
    const part = talk?.turns.map((turn) => callOf(turn, callId)).find((one) => one?.gate);
    const call = part ?? s.held.find((one) => one.callId === callId);
    const conversationId = talk?.id ?? s.held.find((one) => one.callId === callId)?.conversationId;
    if (!call?.gate || call.deciding || !conversationId || s.link !== "open") return [s, []];
    const said = !approve && reason.trim() ? { reason: reason.trim() } : {};
    const frame = { type: "confirm", ref: `confirm:${callId}`, conversationId, callId, digest: call.gate.digest, approve, ...said, render: true };
    /** @type {Kenny.Effect[]} */
    const effects = [{ do: "send", frame }];
    if (conversationId !== s.current) effects.push({ do: "send", frame: { type: "unwatch", conversationId } }); // a decision also watches
    return [everywhere(s, callId, { deciding: approve ? "approve" : "deny", problem: null }), effects];
  },
};

/** @param {Kenny.Frame} f @returns {Kenny.Held} */
const heldOf = (f) => ({
  conversationId: /** @type {string} */ (f.conversationId), callId: f.callId, tool: f.tool, args: f.args, gate: { digest: f.digest, expiresAt: f.expiresAt }, deciding: null, problem: null,
});

/** It is answered and held no more. @param {Kenny.State} s @param {string} callId @returns {Kenny.State} */
export const letGo = (s, callId) => (s.held.some((call) => call.callId === callId) ? { ...s, held: s.held.filter((call) => call.callId !== callId) } : s);

/** A decision that was not taken: the card says why, and can be used again unless it is decided. @param {Kenny.State} s @param {string} callId @param {Kenny.Reply} f @returns {Kenny.Step} */
export function undecided(s, callId, f) {
  const was = f.decision === "approved" ? gettext("Approved in another tab") : gettext("Denied in another tab");
  const problem = f.code === "decided" && f.decision !== "superseded" ? was : (f.message ? translated(f.message) : gettext("That did not work."));
  return [everywhere(s, callId, { deciding: null, problem }), [{ do: "announce", text: problem, urgent: true }, { do: "held" }]];
}

/** After a break of the line nobody knows whether a decision arrived: what was taken comes back as an event, any other is made again. @param {Kenny.State} s @returns {Kenny.State} */
export function unsure(s) {
  const calls = [...s.held, ...Object.values(s.talks).flatMap((talk) => talk.turns.flatMap((turn) => turn.parts))];
  const open = calls.flatMap((call) => ("deciding" in call && call.deciding ? [call.callId] : []));
  return open.reduce((now, callId) => everywhere(now, callId, { deciding: null }), s);
}

/** @param {string} tool @param {string | undefined} title */
export const approval = (tool, title) => (title ? fill(gettext("Approval needed for %(tool)s in %(title)s"), { tool, title })
  : fill(gettext("Approval needed for %(tool)s in this conversation"), { tool }));
