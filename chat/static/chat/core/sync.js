// The server's list and the one here become one (contract section 8); a pure function of both.
import { copy } from "./maps.js";

/**
 * Only a full list says that something is absent: then rows the server once had (they carry a version) go, never-synced ones stay.
 * After a changed epoch nothing goes. A row being deleted here does not come back meanwhile.
 * @param {Kenny.Library} library @param {Kenny.Listing} answer @returns {Kenny.Library}
 */
export function merge(library, answer) {
  const keepAll = !answer.full || (library.epoch !== null && library.epoch !== answer.epoch);
  const rows = copy(/** @type {Record<string, Kenny.Row>} */ ({}));
  for (const row of Object.values(library.rows)) if (keepAll || row.version === undefined) rows[row.id] = row;
  const gone = copy(library.gone);
  for (const { id } of answer.deleted) { delete rows[id]; delete gone[id]; }
  for (const row of answer.conversations) {
    if (row.id in gone) gone[row.id] = row;
    else rows[row.id] = unchanged(library.rows[row.id], row);
  }
  return { ...library, rows, gone, cursor: answer.cursor, epoch: answer.epoch, loaded: true };
}

/** @param {Kenny.Row | undefined} old @param {Kenny.Row} row */
function unchanged(old, row) {
  return old && old.version === row.version && JSON.stringify(old) === JSON.stringify(row) ? old : row;
}

/** The ids that a listing takes away. @param {Kenny.Library} before @param {Kenny.Library} after */
export const dropped = (before, after) => Object.keys(before.rows).filter((id) => !(id in after.rows) && !(id in after.gone));
