// What waits to be written: changes, deletes, the delete of all. One try at a time, later and later after a failure; a write belongs to the tab it was made in.
import { copy, drop, put } from "./maps.js";

const FIRST = 1_000;
const LONGEST = 60_000;
const CLOSED = ["offline", "signed-out", "stranger", "locked"];

/** When to try again. @param {number} now @param {number} tries @param {number | undefined} wait seconds that the server asked for */
export const dueAfter = (now, tries, wait) => now + (wait ? wait * 1000 : Math.min(LONGEST, FIRST * 2 ** tries));

/** Failures that say nothing about the write itself. */
const PASSING = new Set(["unreachable", "slow", "odd", "unauthenticated", "account_mismatch", "rate_limited", "unavailable", "busy", "pending", "not_found", "conflict"]);

/** Whether to try again: anything the server did not refuse for good. @param {Kenny.Failure} error */
export const isPassing = ({ code, status }) => PASSING.has(code) || (status ?? 0) >= 500;

/** @param {Kenny.State} s @param {{ tab: string }} write */
export const isMine = (s, { tab }) => tab === s.tab;

/** Whether a first message of it can have reached the server: one that never went from here leaves nothing to delete there. @param {Kenny.State} s @param {string} id */
export const mayHaveGone = (s, id) => s.outbox.some((parcel) => parcel.conversationId === id && (!isMine(s, parcel) || (parcel.tried && !parcel.problem)));

/**
 * Sends what may go now. Deletes first; changes only when the list is known, of conversations the server has.
 * @param {Kenny.State} state @param {number} now @returns {Kenny.Step}
 */
export function flushWrites(state, now) {
  if (CLOSED.includes(state.link)) return [state, []];
  const undoable = new Set(state.undo.map(({ row }) => row.id));
  const ready = Object.values(state.writes).filter((write) => isMine(state, write) && !write.out && write.due <= now && !undoable.has(write.id));
  if (!ready.length) return [state, []];
  let writes = copy(state.writes);
  /** @type {Kenny.Effect[]} */
  const effects = [];
  for (const write of ready.sort((a, b) => order(a) - order(b))) {
    const effect = sending(state, write);
    if (!effect) continue;
    effects.push(effect);
    writes = put(writes, write.key, { ...write, out: true });
  }
  return effects.length ? [{ ...state, writes }, effects] : [state, []];
}

/** @param {Kenny.Write} write */
const order = ({ kind }) => ["all", "delete", "edit"].indexOf(kind);

/** @param {Kenny.State} s @param {Kenny.Write} write @returns {Kenny.Effect | null} */
function sending(s, { key, kind, id, change, updatedAt = 0, before }) {
  if (kind === "all") return { do: "deleteAll", key, before };
  if (kind === "delete") return { do: "delete", id };
  const row = s.library.rows[id];
  if (row?.version === undefined || s.settling) return null; // its first message makes it
  return { do: "patch", id, change, updatedAt: Math.max(updatedAt, row.updatedAt + 1), ...(row.etag ? { etag: row.etag } : {}) };
}

/** A try came to nothing. @param {Kenny.State} s @param {string} key @param {Kenny.Failure} error @param {number} now @returns {Kenny.Step} */
export function postpone(s, key, error, now) {
  const write = s.writes[key];
  if (!write) return [s, []];
  const due = dueAfter(now, write.tries, error.retryAfter);
  const effects = [{ do: "wake", at: due }, ...(["conflict", "not_found"].includes(error.code) ? [{ do: "pull" }] : [])];
  return [{ ...s, writes: put(s.writes, key, { ...write, out: false, tries: write.tries + 1, due }) }, effects];
}

/** @param {Kenny.State} s @param {string} key @returns {Kenny.State} */
export const without = (s, key) => (key in s.writes ? { ...s, writes: drop(s.writes, key) } : s);

/** The line is back: nothing waits for its time any longer. @param {Kenny.State} s @returns {Kenny.State} */
export function hurry(s) {
  if (![...Object.values(s.writes), ...s.outbox].some(({ due }) => due)) return s;
  const writes = copy(s.writes);
  for (const write of Object.values(writes)) if (write.due) writes[write.key] = { ...write, due: 0, tries: 0 };
  return { ...s, writes, outbox: s.outbox.map((parcel) => (parcel.due ? { ...parcel, due: 0, tries: 0 } : parcel)) };
}
