// Messages on their way. One at a time for each conversation, in order; the turn's id makes a repeat harmless.
import { takenBack } from "./again.js";
import { withRow } from "./library.js";
import { only, SENT } from "./keys-sent.js";
import { put } from "./maps.js";
import { isDeleting } from "./sync.js";
import { change, liveTurn } from "./talk.js";
import { dueAfter, isMine } from "./writes.js";

/**
 * Sends what may go now: the socket is open, the list is known, and the conversation has no turn of another message running.
 * @param {Kenny.State} state @param {number} now @returns {Kenny.Step}
 */
export function flush(state, now) {
  if (state.link !== "open" || state.settling || !state.outbox.length) return [state, []];
  /** @type {Kenny.Effect[]} */
  const effects = [];
  const seen = new Set();
  let next = state;
  for (const parcel of state.outbox) {
    const first = !seen.has(parcel.conversationId);
    seen.add(parcel.conversationId);
    if (!first || parcel.sent || !isMine(state, parcel) || (parcel.due ?? 0) > now || isBusy(state, parcel) || isDeleting(state.writes, parcel.conversationId)) continue;
    next = mark(next, parcel, { sent: true, tried: true, problem: null }, { status: "sending", problem: null });
    effects.push(parcel.images.length || tooLarge(parcel, state.limits) ? { do: "post", parcel } : { do: "send", frame: frame(parcel) });
  }
  return [next, effects];
}

/** @param {Kenny.State} state @param {Kenny.Parcel} parcel */
function isBusy(state, parcel) {
  const talk = state.talks[parcel.conversationId];
  const live = state.library.rows[parcel.conversationId]?.live;
  if (live && live.turnId !== parcel.turnId && state.current !== parcel.conversationId) return true; // what is not watched is known from the list
  return Boolean(talk?.turns.some((turn) => turn.id !== parcel.turnId && ["sending", "running", "held"].includes(turn.status)));
}

/** @param {Kenny.Parcel} parcel @param {Kenny.Limits} limits */
const tooLarge = (parcel, limits) => parcel.text.length * 6 > limits.frameChars; // JSON may write six characters for one

/** The body of a send, for the socket and for POST. @param {Kenny.Parcel} parcel */
export const body = ({ text, images: _images, ...parcel }) => only(SENT, { ...parcel, message: text });

/** @param {Kenny.Parcel} parcel @returns {Kenny.Outgoing} */
const frame = (parcel) => ({ type: "send", ref: `send:${parcel.turnId}`, ...body(parcel), render: true });

/** @param {Kenny.State} state @param {Kenny.Parcel} parcel @param {Partial<Kenny.Parcel>} more @param {Partial<Kenny.Turn>} turn @returns {Kenny.State} */
function mark(state, parcel, more, turn) {
  const outbox = state.outbox.map((other) => (other.turnId === parcel.turnId ? { ...other, ...more } : other));
  return { ...withTurn(state, parcel.conversationId, parcel.turnId, turn), outbox };
}

/** @param {Kenny.State} state @param {string} id @param {string} turnId @param {Partial<Kenny.Turn>} more @returns {Kenny.State} */
export function withTurn(state, id, turnId, more) {
  const talk = state.talks[id];
  if (!talk) return state;
  return { ...state, talks: put(state.talks, id, change(talk, turnId, (turn) => ({ ...turn, ...more }))) };
}

/** The server has it: nothing is to be sent again, and a chat that began with it is known there, also one that was deleted meanwhile and can be brought back. @param {Kenny.State} state @param {string} turnId @returns {Kenny.State} */
export function delivered(state, turnId) {
  const parcel = state.outbox.find((other) => other.turnId === turnId);
  if (!parcel) return state;
  const next = { ...state, outbox: state.outbox.filter((other) => other !== parcel) };
  const { rows, gone } = state.library;
  const old = rows[parcel.conversationId] ?? gone[parcel.conversationId];
  if (!old || old.version !== undefined) return next;
  const { lost: _lost, ...bare } = old;
  const row = { ...bare, version: 1, fresh: true };
  return old.id in rows ? withRow(next, row) : { ...next, library: { ...next.library, gone: put(gone, old.id, row) } };
}

const WAITS = ["busy", "pending", "rate_limited", "unavailable", "unreachable", "slow", "unauthenticated", "account_mismatch"];

/**
 * The server did not take it. What another time may bring is tried again; anything else stays visible as not sent.
 * @param {Kenny.State} state @param {string} turnId @param {Kenny.Failure} error @param {number} now @returns {Kenny.Step}
 */
export function refused(state, turnId, error, now) {
  const parcel = state.outbox.find((other) => other.turnId === turnId);
  if (!parcel) return [state, []];
  if (parcel.truncateAt !== undefined && !WAITS.includes(error.code)) return takenBack(state, parcel, error);
  if (!WAITS.includes(error.code)) return [mark(state, parcel, { sent: true, problem: error.message }, { status: "unsent", problem: error.message }), []];
  const due = dueAfter(now, parcel.tries ?? 0, error.retryAfter);
  return [mark(state, parcel, { sent: false, due, tries: (parcel.tries ?? 0) + 1 }, { status: "queued", problem: null }), [{ do: "wake", at: due }]];
}

/** After a lost connection nobody knows what arrived; all of it goes again. @param {Kenny.State} state @returns {Kenny.State} */
export const reopen = (state) => ({
  ...state, outbox: state.outbox.map((parcel) => (isUnsent(state, parcel) ? parcel : { ...parcel, sent: false })),
});

/** @param {Kenny.State} state @param {Kenny.Parcel} parcel */
const isUnsent = (state, parcel) => Boolean(parcel.problem
  || state.talks[parcel.conversationId]?.turns.some((turn) => turn.id === parcel.turnId && turn.status === "unsent"));

/** Whether a message may go at once, or is shown as waiting. @param {Kenny.State} state @param {string} id */
export const mustWait = (state, id) => state.link !== "open" || liveTurn(state.talks[id]) !== undefined;
