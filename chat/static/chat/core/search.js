// The list of conversations as it is shown: filtered, in order, by date.
import { group } from "./times.js";
import { gettext } from "./gettext.js";

/** @param {Kenny.Row} a @param {Kenny.Row} b */
const newest = (a, b) => b.updatedAt - a.updatedAt || (a.id < b.id ? 1 : -1);

/** @param {string} text */
const fold = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();

/** @param {Kenny.Row} row */
export const titleOf = (row) => row.title || gettext("New chat");

/** Rows whose title has every word of the query. @param {Kenny.Row[]} rows @param {string} query @returns {Kenny.Row[]} */
export function filter(rows, query) {
  const wanted = fold(query).split(/\s+/).filter(Boolean);
  if (!wanted.length) return rows;
  return rows.filter((row) => { const title = fold(titleOf(row)); return wanted.every((word) => title.includes(word)); });
}

/**
 * @param {{ library: Kenny.Library, search: { query: string, hits: Kenny.Row[] | null } }} state
 * @param {number} now @returns {Kenny.Group[]}
 */
export function groups({ library, search }, now) {
  const found = filter(Object.values(library.rows), search.query).sort(newest);
  /** @type {Map<string, Kenny.Row[]>} */
  const parts = new Map(found.some((row) => row.pinned && !row.archived) ? [[gettext("Pinned"), []]] : []);
  for (const row of found) {
    if (row.archived) continue;
    const label = row.pinned ? gettext("Pinned") : group(row.updatedAt, now);
    parts.set(label, [...(parts.get(label) ?? []), row]);
  }
  const archived = found.filter((row) => row.archived);
  if (archived.length) parts.set(gettext("Archived"), archived);
  const shown = new Set(found.map((row) => row.id));
  const hits = (search.query.trim() && search.hits ? search.hits : []).filter((row) => !shown.has(row.id) && !(row.id in library.gone));
  if (hits.length) parts.set(gettext("Found in the text"), hits);
  return [...parts].map(([label, rows]) => ({ label, rows }));
}
