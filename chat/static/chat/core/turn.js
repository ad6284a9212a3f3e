// One turn as its events tell it. Each event counts once, in order; text arrives as blocks that stay and a tail that grows.
import { call, closed, decided, settled, text, thinking, writing } from "./parts.js";
import { grow, same } from "./tree.js";
import { translated } from "./gettext.js";

export { edit } from "./parts.js";

/** @param {string} id @param {Partial<Kenny.Turn>} [more] @returns {Kenny.Turn} */
export const begin = (id, more) => ({
  id, seq: 0, status: "running", user: { text: "", images: [] }, parts: [], stopping: false, error: null, stopReason: null,
  since: null, version: null, usage: null, asking: false, lenient: false, problem: null, at: null, ended: null, cut: null, onto: null, uploads: [], retry: null, ...more,
});

/** What is known of a turn before its first event. @param {Kenny.Turn} turn */
const started = ({ user, cut, onto, uploads }) => ({ user, cut, onto, uploads });

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
  if (frame.type === "restart") return begin(turn.id, { ...started(turn), lenient: true });
  if (turn.asking) {
    if (frame.seq !== 1 || RENDERED.has(frame.type)) return turn;
    return advance(begin(turn.id, { ...started(turn), lenient: true }), frame);
  }
  if (!RENDERED.has(frame.type) && frame.seq <= turn.seq) return turn;
  const step = steps[frame.type];
  const next = step ? step(turn, frame) : turn;
  return next === turn && frame.seq <= turn.seq ? turn : { ...next, seq: Math.max(turn.seq, frame.seq) };
}

/** @typedef {(turn: Kenny.Turn, frame: Kenny.Frame) => Kenny.Turn} TurnStep */

/** @type {Record<string, TurnStep>} */
const steps = {
  user_text: (turn, f) => ({ ...turn, status: "running", problem: null, user: { text: f.text, images: f.images }, at: f.at ?? turn.at }),
  thinking_delta: (turn, f) => running(turn, thinking(turn.parts, f)),
  text_delta: (turn, f) => { // replay, or a watcher without render
    const nodes = f.nodes ?? [["p", null, f.text]];
    return running(turn, [...closed(turn.parts), text(turn.parts.length, [nodes], [], f.text)]);
  },
  block: (turn, f) => write(turn, f, (part) => {
    const nodes = /** @type {Kenny.Node[]} */ (f.nodes);
    if (same(part.blocks[f.index], nodes)) return part;
    return text(part.part, [...part.blocks.slice(0, f.index), nodes], [], f.index === 0 ? f.text : part.text + f.text);
  }),
  tail: (turn, f) => write(turn, f, (part) => text(part.part, part.blocks, grow(part.tail, f.delta), part.text)),
  end: (turn, f) => write(turn, f, (part) => text(part.part, f.nodes ? [f.nodes] : part.blocks, [], part.text)),
  reset: (turn, f) => {
    const finished = turn.parts.findLastIndex((part) => part.kind === "tool") + 1;
    return { ...running(turn, turn.parts.slice(0, finished)), retry: f.retryIn ? { code: f.code, seconds: f.retryIn } : null };
  },
  tool_call: (turn, f) => running(turn, call(turn.parts, f, { state: "running" })),
  pending: (turn, f) => running(turn, call(turn.parts, f, { state: "waiting", gate: { digest: f.digest, expiresAt: f.expiresAt } })),
  decided: (turn, f) => running(turn, decided(turn.parts, f)),
  tool_result: (turn, f) => running(turn, call(turn.parts, f, {
    state: f.ok ? "done" : "failed", text: f.text, images: f.images, error: f.error, ms: f.ms ?? null, gate: null, deciding: null, problem: null,
  })),
  denied: (turn, f) => running(turn, call(turn.parts, f, { state: "denied", error: translated(f.message), gate: null, deciding: null, problem: null })),
  error: (turn, f) => ({ ...turn, error: { code: f.code, message: translated(f.message), retryable: f.retryable } }),
  done: (turn, f) => ({ // a version that did not move: a turn that failed at once left the list as it was
    ...turn, parts: f.done ? settled(turn.parts) : closed(turn.parts), retry: null, status: f.done ? "over" : "held", stopping: false, stopReason: f.stopReason,
    since: turn.since ?? (f.version === turn.onto ? null : f.version), uploads: f.version === turn.onto ? turn.uploads : [], version: f.version, usage: f.usage,
    ended: f.done ? { at: f.at, stopReason: f.stopReason, model: f.model, usage: f.usage, cost: f.cost, spent: f.spent } : null,
  }),
};

/** @param {Kenny.Turn} turn @param {Kenny.Part[]} parts @returns {Kenny.Turn} */
const running = (turn, parts) => ({ ...turn, status: "running", error: null, retry: null, parts });

/** @param {Kenny.Turn} turn @param {Kenny.Frame} f @param {(part: Kenny.TextPart) => Kenny.TextPart} change @returns {Kenny.Turn} */
function write(turn, f, change) {
  const parts = writing(turn.parts, f, change);
  return parts === turn.parts ? turn : running(turn, parts);
}
