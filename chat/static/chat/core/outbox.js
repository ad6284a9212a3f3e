// Messages on their way. One at a time for each conversation, in order; the turn's id makes a repeat harmless.
import { put } from "./maps.js";
import { change, liveTurn } from "./talk.js";

/**
 * Sends what may go now: the socket is open and the conversation has no turn of another message running.
 * @param {Kenny.State} state @returns {Kenny.Step}
 */
export function flush(state) {
  if (state.link !== "open" || !state.outbox.length) return [state, []];
  /** @type {Kenny.Effect[]} */
  const effects = [];
  const seen = new Set();
  let next = state;
  for (const parcel of state.outbox) {
    const first = !seen.has(parcel.conversationId);
    seen.add(parcel.conversationId);
    if (!first || parcel.sent || isBusy(state, parcel)) continue;
    next = mark(next, parcel, true, { status: "sending", problem: null });
    effects.push(parcel.images.length || tooLarge(parcel, state.limits) ? { do: "post", parcel } : { do: "send", frame: frame(parcel) });
  }
  return [next, effects];
}

/** @param {Kenny.State} state @param {Kenny.Parcel} parcel */
function isBusy(state, parcel) {
  const talk = state.talks[parcel.conversationId];
  return talk?.turns.some((turn) => turn.id !== parcel.turnId && ["sending", "running", "held"].includes(turn.status)) ?? false;
}

/** @param {Kenny.Parcel} parcel @param {Kenny.Limits} limits */
const tooLarge = (parcel, limits) => parcel.text.length * 6 > limits.frameChars; // JSON may write six characters for one

/** The body of a send, for the socket and for POST. @param {Kenny.Parcel} parcel */
export const body = ({ conversationId, turnId, text, truncateAt, version }) => ({
  conversationId, turnId, message: text, ...(truncateAt === undefined ? {} : { truncateAt, version }),
});

/** @param {Kenny.Parcel} parcel @returns {Kenny.Outgoing} */
const frame = (parcel) => ({ type: "send", ref: `send:${parcel.turnId}`, ...body(parcel), render: true });

/** @param {Kenny.State} state @param {Kenny.Parcel} parcel @param {boolean} sent @param {Partial<Kenny.Turn>} turn @returns {Kenny.State} */
function mark(state, parcel, sent, turn) {
  const outbox = state.outbox.map((other) => (other.turnId === parcel.turnId ? { ...other, sent } : other));
  return { ...withTurn(state, parcel.conversationId, parcel.turnId, turn), outbox };
}

/** @param {Kenny.State} state @param {string} id @param {string} turnId @param {Partial<Kenny.Turn>} more @returns {Kenny.State} */
export function withTurn(state, id, turnId, more) {
  const talk = state.talks[id];
  if (!talk) return state;
  return { ...state, talks: put(state.talks, id, change(talk, turnId, (turn) => ({ ...turn, ...more }))) };
}

/** The server has it: nothing is to be sent again. @param {Kenny.State} state @param {string} turnId @returns {Kenny.State} */
export const delivered = (state, turnId) =>
  state.outbox.some((parcel) => parcel.turnId === turnId) ? { ...state, outbox: state.outbox.filter((parcel) => parcel.turnId !== turnId) } : state;

/** The server refused it: it stays visible as not sent. @param {Kenny.State} state @param {string} turnId @param {Kenny.Failure} error @returns {Kenny.State} */
export function refused(state, turnId, error) {
  const parcel = state.outbox.find((other) => other.turnId === turnId);
  if (!parcel) return state;
  return mark(state, parcel, true, { status: "unsent", problem: error.message });
}

/** After a lost connection nobody knows what arrived; all of it goes again. @param {Kenny.State} state @returns {Kenny.State} */
export const reopen = (state) => ({
  ...state, outbox: state.outbox.map((parcel) => (isUnsent(state, parcel) ? parcel : { ...parcel, sent: false })),
});

/** @param {Kenny.State} state @param {Kenny.Parcel} parcel */
const isUnsent = (state, parcel) =>
  state.talks[parcel.conversationId]?.turns.some((turn) => turn.id === parcel.turnId && turn.status === "unsent") ?? false;

/** @param {Kenny.Talk} talk @param {string} turnId @returns {Kenny.Talk} */
export const without = (talk, turnId) => ({ ...talk, turns: talk.turns.filter((turn) => turn.id !== turnId) });

/** Whether a message may go at once, or is shown as waiting. @param {Kenny.State} state @param {string} id */
export const mustWait = (state, id) => state.link !== "open" || liveTurn(state.talks[id]) !== undefined;
