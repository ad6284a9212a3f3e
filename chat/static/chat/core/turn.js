// One turn as its events tell it. Each event counts once, in order; text arrives as blocks that stay and a tail that grows.
import { grow, same } from "./tree.js";

/** @param {string} id @param {Partial<Kenny.Turn>} [more] @returns {Kenny.Turn} */
export const begin = (id, more) => ({
  id, seq: 0, status: "running", user: { text: "", images: [] }, parts: [], stopping: false, error: null, stopReason: null,
  since: null, version: null, usage: null, asking: false, lenient: false, problem: null, ...more,
});

/** @param {Kenny.Turn} turn */
export const isLive = (turn) => turn.status !== "over" && turn.status !== "unsent";

const RENDERED = new Set(["block", "tail", "end"]);

/**
 * Whether events are missing before this one. A rendered watcher gets no text_delta, so a hole may stand where text was
 * shown; once the turn was asked for from its start (`lenient`), holes are taken as that.
 * @param {Kenny.Turn} turn @param {Kenny.Frame} frame
 */
export const isGap = (turn, frame) => {
  const last = turn.parts.at(-1);
  return !RENDERED.has(frame.type) && !turn.lenient && !turn.asking && last?.kind !== "text" && frame.seq > turn.seq + 1;
};

/** @param {Kenny.Turn} turn @param {Kenny.Frame} frame @returns {Kenny.Turn} */
export function advance(turn, frame) {
  if (frame.type === "restart") return begin(turn.id, { user: turn.user, lenient: true });
  if (turn.asking) {
    if (frame.seq !== 1 || RENDERED.has(frame.type)) return turn;
    return advance(begin(turn.id, { user: turn.user, lenient: true }), frame);
  }
  if (!RENDERED.has(frame.type) && frame.seq <= turn.seq) return turn;
  const step = steps[frame.type];
  const next = step ? step(turn, frame) : turn;
  return next === turn && frame.seq <= turn.seq ? turn : { ...next, seq: Math.max(turn.seq, frame.seq) };
}

/** @typedef {(turn: Kenny.Turn, frame: Kenny.Frame) => Kenny.Turn} TurnStep */

/** @type {Record<string, TurnStep>} */
const steps = {
  user_text: (turn, f) => ({ ...turn, status: "running", problem: null, user: { text: f.text, images: f.images ?? [] } }),
  thinking_delta: (turn, f) => {
    const last = turn.parts.at(-1);
    const text = last?.kind === "thinking" ? last.text + f.text : f.text;
    const kept = last?.kind === "thinking" ? turn.parts.slice(0, -1) : turn.parts;
    return running(turn, [...kept, { kind: "thinking", text, open: true }]);
  },
  text_delta: (turn, f) => { // replay, or a watcher without render
    const nodes = f.nodes ?? [["p", null, f.text]];
    return running(turn, [...closed(turn.parts), text(turn.parts.length, [nodes], [], f.text)]);
  },
  block: (turn, f) => writing(turn, f, (part) => {
    const nodes = f.nodes ?? [];
    if (same(part.blocks[f.index], nodes)) return part;
    return text(part.part, [...part.blocks.slice(0, f.index), nodes], [], f.index === 0 ? f.text : part.text + f.text);
  }),
  tail: (turn, f) => writing(turn, f, (part) => text(part.part, part.blocks, grow(part.tail, f.delta), part.text)),
  end: (turn, f) => writing(turn, f, (part) => text(part.part, f.nodes ? [f.nodes] : part.blocks, [], part.text)),
  reset: (turn) => {
    const finished = turn.parts.findLastIndex((part) => part.kind === "tool") + 1;
    return running(turn, turn.parts.slice(0, finished));
  },
  tool_call: (turn, f) => running(turn, call(turn.parts, f, { state: "running" })),
  pending: (turn, f) => running(turn, call(turn.parts, f, { state: "waiting", gate: { digest: f.digest, expiresAt: f.expiresAt } })),
  decided: (turn, f) => running(turn, edit(turn.parts, f.callId, { gate: null, deciding: null, problem: null, state: f.approve ? "running" : "denied" })),
  tool_result: (turn, f) => running(turn, call(turn.parts, f, {
    state: f.ok ? "done" : "failed", text: f.text, images: f.images ?? [], error: f.error, gate: null, deciding: null, problem: null,
  })),
  denied: (turn, f) => running(turn, call(turn.parts, f, { state: "denied", error: f.message, gate: null, deciding: null, problem: null })),
  error: (turn, f) => ({ ...turn, error: { code: f.code, message: f.message, retryable: f.retryable } }),
  done: (turn, f) => ({
    ...turn, parts: closed(turn.parts), status: f.done ? "over" : "held", stopping: false, stopReason: f.stopReason,
    since: turn.since ?? f.version, version: f.version, usage: f.usage,
  }),
};

/** @param {Kenny.Turn} turn @param {Kenny.Part[]} parts @returns {Kenny.Turn} */
const running = (turn, parts) => ({ ...turn, status: "running", error: null, parts });

/** @param {number} part @param {Kenny.Node[][]} blocks @param {Kenny.Node[]} tail @param {string} source @returns {Kenny.TextPart} */
const text = (part, blocks, tail, source) => ({ kind: "text", part, blocks, tail, nodes: [...blocks.flat(1), ...tail], text: source });

/** @param {Kenny.Part[]} parts */
const closed = (parts) => parts.map((part) => (part.kind === "thinking" && part.open ? { ...part, open: false } : part));

/** @param {Kenny.Turn} turn @param {Kenny.Frame} f @param {(part: Kenny.TextPart) => Kenny.TextPart} change @returns {Kenny.Turn} */
function writing(turn, f, change) {
  const at = turn.parts.findLastIndex((part) => part.kind === "text" && part.part === f.part);
  const old = /** @type {Kenny.TextPart | undefined} */ (turn.parts[at]);
  if (!old) return running(turn, [...closed(turn.parts), change(text(f.part, [], [], ""))]);
  const now = change(old);
  return now === old ? turn : { ...turn, parts: turn.parts.with(at, now) };
}

/** @param {Kenny.Part[]} parts @param {Kenny.Frame} f @param {Partial<Kenny.ToolPart>} change @returns {Kenny.Part[]} */
function call(parts, f, change) {
  if (parts.some((part) => part.kind === "tool" && part.callId === f.callId)) return edit(parts, f.callId, change);
  return [...closed(parts), {
    kind: "tool", callId: f.callId, tool: f.tool, args: f.args, state: "running", text: "", images: [], error: null,
    gate: null, deciding: null, problem: null, ...change,
  }];
}

/** @param {Kenny.Part[]} parts @param {string} callId @param {Partial<Kenny.ToolPart>} change @returns {Kenny.Part[]} */
export const edit = (parts, callId, change) =>
  parts.map((part) => (part.kind === "tool" && part.callId === callId ? { ...part, ...change } : part));
