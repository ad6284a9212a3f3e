// Stored events of a conversation as the messages the page shows; made by the same steps that follow a live turn.
import { span } from "./spans.js";
import { advance, begin } from "./turn.js";
import { fill, gettext, translated } from "./gettext.js";

/** @param {Kenny.Frame[]} events @returns {Kenny.Message[]} */
export function replay(events) {
  /** @type {{ turn: Kenny.Turn, ending: Kenny.Frame["ended"] }[]} */
  const turns = [];
  for (const event of events) {
    if (event.type === "user_text" || !turns.length) turns.push({ turn: begin("", { lenient: true }), ending: event.ended });
    const last = /** @type {typeof turns[number]} */ (turns.at(-1));
    last.turn = advance(last.turn, { ...event, seq: last.turn.seq + 1 });
  }
  return turns.flatMap(({ turn, ending }) => messages(over(turn, ending), null));
}

/** @param {Kenny.Turn} turn @param {Kenny.Frame["ended"]} ending @returns {Kenny.Turn} */
function over(turn, ending) {
  const parts = turn.parts.map((part) => {
    if (part.kind === "thinking") return { ...part, open: false };
    return part.kind === "tool" && part.state === "running" ? { ...part, state: /** @type {const} */ ("failed"), error: gettext("No answer was kept.") } : part;
  });
  return { ...turn, parts, status: "over", stopReason: ending?.stopReason ?? null, error: ending?.error ? { ...ending.error, message: translated(ending.error.message) } : null, ended: ending ?? null };
}

/**
 * The one or two messages of a turn. `id` is null for what was replayed.
 * @param {Kenny.Turn} turn @param {string | null} id @returns {Kenny.Message[]}
 */
export function messages(turn, id) {
  if (turn.asking && !turn.seq) return []; // its start is on the way
  /** @type {Kenny.Message[]} */
  const out = [];
  const base = { key: "", parts: [], busy: false, mark: null, problem: null, turnId: id, outcome: null, at: turn.at, used: null };
  if (turn.user.text || turn.user.images.length || id) {
    const status = id && turn.seq === 0 ? turn.status : null;
    out.push({ ...base, role: "user", text: turn.user.text, images: turn.user.images, status, problem: turn.problem });
  }
  const live = turn.status === "running" || turn.status === "held" || turn.status === "sending";
  if (turn.parts.length || live || outcomeOf(turn)) {
    out.push({
      ...base, role: "assistant", text: source(turn.parts), images: [], parts: turn.parts, busy: live && turn.status !== "held",
      mark: live ? markOf(turn) : null, status: null, outcome: outcomeOf(turn),
      at: turn.ended?.at ?? null, used: turn.ended,
    });
  }
  return out;
}

/** What Claude is at, in words; null while its text itself shows it. @param {Kenny.Turn} turn @returns {string | null} */
export function markOf(turn) {
  if (turn.stopping) return gettext("Stopping…");
  if (turn.retry) return fill(turn.retry.code === "overloaded" ? gettext("Claude is overloaded. Trying again in %(wait)s") : gettext("Claude did not answer. Trying again in %(wait)s"), { wait: span(turn.retry.seconds * 1000) });
  if (turn.status === "held" || turn.parts.some((part) => part.kind === "tool" && part.state === "waiting")) return gettext("Waiting for you");
  const last = turn.parts.at(-1);
  if (last?.kind === "tool" && last.state === "running") return fill(gettext("Running %(tool)s…"), { tool: last.tool });
  return last?.kind === "text" ? null : gettext("Claude is thinking");
}

/** @param {Kenny.Turn} turn @returns {Kenny.Outcome | null} */
export function outcomeOf(turn) {
  const ended = turn.status === "over" && turn.stopReason && !["end_turn", "deleted"].includes(turn.stopReason);
  if (!turn.error && !ended) return null;
  return { error: turn.error, stopReason: turn.status === "over" ? turn.stopReason : null, turnId: turn.id };
}

/** The Markdown of an answer, for copying. @param {Kenny.Part[]} parts */
const source = (parts) => parts.flatMap((part) => (part.kind === "text" ? [part.text.trim()] : [])).join("\n\n");
