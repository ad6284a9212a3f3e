// The list of conversations as it is shown: filtered, in order, by date.
import { gettext } from "./gettext.js";
import { group } from "./times.js";

/** @param {Kenny.Row} a @param {Kenny.Row} b */
const newest = (a, b) => b.updatedAt - a.updatedAt || (a.id < b.id ? 1 : -1);

/** @param {string} text */
export const fold = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();

/** @param {Kenny.Row} row */
export const titleOf = (row) => row.title || gettext("New chat");

// Rows are never changed, only replaced: what was worked out for one holds for as long as it lives.
/** @type {WeakMap<Kenny.Row, string>} */
const folded = new WeakMap();
/** @type {WeakMap<Record<string, Kenny.Row>, Kenny.Row[]>} */
const sorted = new WeakMap();

/** @template {object} K @template V @param {WeakMap<K, V>} known @param {K} key @param {() => V} make @returns {V} */
function once(known, key, make) {
  const found = known.get(key);
  if (found !== undefined) return found;
  const made = make();
  known.set(key, made);
  return made;
}

/** Rows whose title has every word of the query. @param {Kenny.Row[]} rows @param {string} query @returns {Kenny.Row[]} */
export function filter(rows, query) {
  const wanted = fold(query).split(/\s+/).filter(Boolean);
  if (!wanted.length) return rows;
  return rows.filter((row) => { const title = once(folded, row, () => fold(titleOf(row))); return wanted.every((word) => title.includes(word)); });
}

/** All rows, newest first. @param {Record<string, Kenny.Row>} rows */
export const inOrder = (rows) => once(sorted, rows, () => Object.values(rows).sort(newest));

/**
 * The list as it is shown: at most `limit` rows, and how many more there are.
 * @param {{ library: Kenny.Library, search: { query: string, hits: Kenny.Row[] | null } }} state
 * @param {number} now @param {number} [limit] @returns {Kenny.Shown}
 */
export function listing({ library, search }, now, limit = Infinity) {
  const found = filter(inOrder(library.rows), search.query);
  const [active, archived] = [found.filter((row) => !row.archived), found.filter((row) => row.archived)];
  const dated = active.filter((row) => !row.pinned);
  const shown = new Set(search.query.trim() ? found.map((row) => row.id) : []);
  const hits = (search.query.trim() && search.hits ? search.hits : []).filter((row) => !shown.has(row.id) && !(row.id in library.gone));
  /** @type {[Kenny.Row[], (row: Kenny.Row) => string][]} */
  const piles = [[active.filter((row) => row.pinned), () => gettext("Pinned")], [dated, (row) => group(row.updatedAt, now)],
    [archived, () => gettext("Archived")], [hits, () => gettext("Found in the text")]];
  /** @type {Map<string, Kenny.Row[]>} */
  const parts = new Map();
  let left = limit;
  for (const [rows, labelOf] of piles) {
    for (const row of rows.slice(0, left)) {
      const label = labelOf(row);
      const part = parts.get(label);
      if (part) part.push(row);
      else parts.set(label, [row]);
    }
    left = Math.max(0, left - rows.length);
  }
  return { parts: [...parts].map(([label, rows]) => ({ label, rows })), more: Math.max(0, found.length + hits.length - limit) };
}
