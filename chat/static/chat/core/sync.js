// The server's list, the list here and what waits to be sent become one (contract section 8): a pure function of the three.
import { settle } from "./edits.js";
import { copy, drop, put } from "./maps.js";

/**
 * Only a full list says that something is absent: then rows the server once had (they carry a version) go, never-synced ones stay.
 * After a changed epoch, or when the server stands before our cursor, nothing goes: such a row is kept here as one the server has not got.
 * One that the server has taken but no list has named may be younger than this list, not than the next: lists are asked for one after the other.
 * What is being deleted here does not come back meanwhile; a row older than ours was asked for before our own change was answered.
 * @param {{ library: Kenny.Library, writes: Record<string, Kenny.Write> }} local @param {Kenny.Listing} answer all pages of one list
 * @returns {Kenny.Reconciled}
 */
export function reconcile({ library, writes }, answer) {
  const renewed = library.epoch !== null && (library.epoch !== answer.epoch || answer.reset === "cursor_ahead");
  const dead = new Set(answer.deleted.map(({ id }) => id));
  const live = answer.conversations.filter(({ id }) => !dead.has(id)); // one that died between two pages is listed twice
  const named = new Set(live.map(({ id }) => id));
  /** @type {Kenny.Reconciled} */
  const out = { library, writes, dropped: [], lost: [], clashes: [] };
  const [rows, gone] = [copy(library.rows), copy(library.gone)];
  for (const { id, version, fresh } of Object.values(gone)) {
    const isAbsent = answer.full && !named.has(id) && version !== undefined && !fresh; // of one that was never sent, or is younger, no list says anything
    if (dead.has(id) || isAbsent) delete gone[id];
  }
  for (const row of Object.values(rows)) {
    const fate = fateOf(row, { isDead: dead.has(row.id), isNamed: named.has(row.id), full: answer.full, renewed });
    if (fate === "stays") continue;
    if (fate === "waits") { rows[row.id] = { ...row, version: 0 }; continue; }
    if (fate === "goes") { delete rows[row.id]; out.dropped.push(row.id); }
    else { rows[row.id] = unknown(row); out.lost.push(row.id); }
    out.writes = drop(out.writes, `edit:${row.id}`);
  }
  for (const row of live) {
    const old = rows[row.id];
    if (isDeleting(writes, row.id)) gone[row.id] = row;
    else if (renewed || library.epoch === null || !isNewer(old, row)) rows[row.id] = placed(out, old, row);
  }
  for (const { kind, id, key } of Object.values(out.writes)) if (kind === "edit" && !(id in rows) && !(id in gone)) out.writes = drop(out.writes, key); // a change of nothing
  out.library = { ...library, rows, gone, cursor: answer.cursor, epoch: answer.epoch, loaded: true };
  return out;
}

/**
 * What a list makes of a row that was here before it.
 * @param {Kenny.Row} row @param {{ isDead: boolean, isNamed: boolean, full: boolean, renewed: boolean }} list @returns {"stays" | "waits" | "goes" | "lost"}
 */
function fateOf(row, { isDead, isNamed, full, renewed }) {
  if (isDead) return "goes";
  if (isNamed || row.version === undefined) return "stays";
  if (row.fresh && !renewed) return row.version > 0 ? "waits" : "lost"; // a server that was set back had taken it
  if (!full) return "stays";
  return renewed ? "lost" : "goes";
}

/** Whether a person's delete of it waits here. @param {Record<string, Kenny.Write>} writes @param {string} id */
export const isDeleting = (writes, id) => `delete:${id}` in writes || Object.values(writes).some(({ ids }) => ids?.includes(id));

/** @param {Kenny.Row | undefined} old @param {Kenny.Row} row */
export const isNewer = (old, row) => old?.version !== undefined && row.version !== undefined && old.version > row.version;

/** What is left of a row that the server lost: it can be read and written to again. @param {Kenny.Row} row @returns {Kenny.Row} */
const unknown = ({ version: _v, etag: _e, ...row }) => ({ ...row, live: null, lost: true });

/** The server's row, with what was changed here and not yet told on top. @param {Kenny.Reconciled} out @param {Kenny.Row | undefined} old @param {Kenny.Row} row @returns {Kenny.Row} */
function placed(out, old, row) {
  const edit = out.writes[`edit:${row.id}`];
  if (!edit) return unchanged(old, row);
  const { left, clashes } = settle(edit, row);
  out.clashes.push(...clashes);
  if (left !== edit) out.writes = left ? put(out.writes, edit.key, left) : drop(out.writes, edit.key);
  return unchanged(old, left ? { ...row, ...left.change } : row);
}

/** @param {Kenny.Row | undefined} old @param {Kenny.Row} row */
function unchanged(old, row) {
  return old && old.version === row.version && JSON.stringify(old) === JSON.stringify(row) ? old : row;
}
