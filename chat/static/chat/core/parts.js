// The parts of an answer: runs of text, thinking, calls. How each continues; the turn knows only their order.
import { gettext } from "./gettext.js";

/** @param {number} part @param {Kenny.Node[][]} blocks @param {Kenny.Node[]} tail @param {string} source @returns {Kenny.TextPart} */
export const text = (part, blocks, tail, source) => ({ kind: "text", part, blocks, tail, nodes: [...blocks.flat(1), ...tail], text: source });

/** Thinking that something else follows is over. @param {Kenny.Part[]} parts @returns {Kenny.Part[]} */
export const closed = (parts) => parts.map((part) => (part.kind === "thinking" && part.open ? { ...part, open: false } : part));

/** More thinking; the delta that ends a run has no text and says how long the run took. @param {Kenny.Part[]} parts @param {Kenny.Frame} f @returns {Kenny.Part[]} */
export function thinking(parts, f) {
  const last = parts.at(-1);
  const over = typeof f.ms === "number";
  if (last?.kind !== "thinking") return over && !f.text ? parts : [...parts, { kind: "thinking", text: f.text, open: !over, ms: f.ms ?? null }];
  return [...parts.slice(0, -1), { kind: "thinking", text: last.text + f.text, open: !over, ms: over ? (last.ms ?? 0) + Number(f.ms) : last.ms }];
}

/** The state of the run of text that a frame belongs to. @param {Kenny.Part[]} parts @param {Kenny.Frame} f @param {(part: Kenny.TextPart) => Kenny.TextPart} change @returns {Kenny.Part[]} */
export function writing(parts, f, change) {
  const at = parts.findLastIndex((part) => part.kind === "text" && part.part === f.part);
  const old = /** @type {Kenny.TextPart | undefined} */ (parts[at]);
  if (!old) return [...closed(parts), change(text(f.part, [], [], ""))];
  const now = change(old);
  return now === old ? parts : parts.with(at, now);
}

/** @param {Kenny.Part[]} parts @param {Kenny.Frame} f @param {Partial<Kenny.ToolPart>} change @returns {Kenny.Part[]} */
export function call(parts, f, change) {
  if (parts.some((part) => part.kind === "tool" && part.callId === f.callId)) return edit(parts, f.callId, change);
  return [...closed(parts), {
    kind: "tool", callId: f.callId, tool: f.tool, args: f.args, state: "running", text: "", images: [], error: null, ms: null,
    gate: null, deciding: null, problem: null, elsewhere: null, ...change,
  }];
}

/** @param {Kenny.Part[]} parts @param {string} callId @param {Partial<Kenny.ToolPart>} change @returns {Kenny.Part[]} */
export const edit = (parts, callId, change) =>
  parts.map((part) => (part.kind === "tool" && part.callId === callId ? { ...part, ...change } : part));

/** A decision that was not made here is told until the turn is over. @param {Kenny.Part[]} parts @param {Kenny.Frame} f @returns {Kenny.Part[]} */
export function decided(parts, f) {
  const part = parts.find((one) => one.kind === "tool" && one.callId === f.callId);
  const here = part?.kind === "tool" && part.deciding !== null;
  const words = f.approve ? gettext("Approved in another tab") : gettext("Denied in another tab");
  return edit(parts, f.callId, { gate: null, deciding: null, problem: null, state: f.approve ? "running" : "denied", elsewhere: here ? null : words });
}

/** What is left when a turn is over. @param {Kenny.Part[]} parts @returns {Kenny.Part[]} */
export const settled = (parts) => closed(parts).map((part) => (part.kind === "tool" && part.elsewhere ? { ...part, elsewhere: null } : part));

/** Runs of at least so many calls that came to a good end are shown as one line. */
const FOLDED = 3;

/**
 * The parts as they are laid out: three or more finished calls in a row make a run. One that failed, waits or was refused stands for itself, and so
 * does one that brought a picture.
 * @param {Kenny.Part[]} parts @returns {(Kenny.Part | Kenny.ToolPart[])[]}
 */
export function folded(parts) {
  /** @type {(Kenny.Part | Kenny.ToolPart[])[]} */
  const out = [];
  /** @type {Kenny.ToolPart[]} */
  let run = [];
  const close = () => { out.push(...(run.length < FOLDED ? run : [run])); run = []; };
  for (const part of parts) {
    if (part.kind === "tool" && part.state === "done" && !part.images.length) run.push(part);
    else { close(); out.push(part); }
  }
  close();
  return out;
}
