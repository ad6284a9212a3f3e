// The list: rename, pin, archive, delete, search. Every change shows at once and is taken back if the server refuses.
import { copy, drop, put } from "./maps.js";
import { dropped, merge } from "./sync.js";

/** @returns {Kenny.Library} */
export const empty = () => ({ rows: copy(), gone: copy(), cursor: null, epoch: null, loaded: false });

/** @param {Kenny.State} s @param {Kenny.Row} row @returns {Kenny.State} */
export const withRow = (s, row) => ({ ...s, library: { ...s.library, rows: put(s.library.rows, row.id, row) } });

/** A conversation that the server buried. @param {Kenny.State} s @param {string} id @returns {Kenny.State} */
export function buried(s, id) {
  const talk = s.talks[id];
  const drafts = s.drafts[id] && !s.drafts[""] ? put(drop(s.drafts, id), "", s.drafts[id]) : drop(s.drafts, id); // words not sent stay
  return {
    ...s, drafts, outbox: s.outbox.filter((parcel) => parcel.conversationId !== id),
    library: { ...s.library, rows: drop(s.library.rows, id), gone: drop(s.library.gone, id) },
    talks: talk ? put(s.talks, id, { ...talk, loaded: "deleted", history: [], turns: [], after: null }) : s.talks,
  };
}

/** @type {Kenny.Handlers} */
export const handlers = {
  listed: (s, { answer }) => {
    const library = merge(s.library, answer);
    const lost = dropped(s.library, library);
    return [lost.reduce(buried, { ...s, library }), s.current ? [{ do: "check", id: s.current }] : []];
  },
  change: (s, { id, change }) => {
    const before = s.library.rows[id];
    if (!before) return [s, []];
    return [withRow(s, { ...before, ...change }), [{ do: "patch", id, change, before }]];
  },
  changed: (s, { row, before }) => {
    const talk = s.talks[row.id];
    const same = talk && talk.version === before.version; // only this change lies between: nothing new to load
    const talks = same ? put(s.talks, row.id, { ...talk, version: row.version, title: row.title }) : s.talks;
    return row.id in s.library.rows ? [{ ...withRow(s, row), talks }, []] : [s, []];
  },
  changeFailed: (s, { before, error }) =>
    error.code === "deleted" ? [buried(s, before.id), []] : [{ ...(before.id in s.library.rows ? withRow(s, before) : s), problem: error }, []],

  removed: (s, { id }) => [buried(s, id), []],
  removeFailed: (s, { id, error }) => {
    const row = s.library.gone[id];
    const next = row ? withRow(s, row) : s;
    return [{ ...next, problem: error, library: { ...next.library, gone: drop(next.library.gone, id) } }, []];
  },

  query: (s, { text }) => [{ ...s, search: { query: text, hits: text.trim() ? s.search.hits : null } }, [{ do: "find", query: text.trim() }]],
  found: (s, { query, rows }) => (s.search.query.trim() === query ? [{ ...s, search: { ...s.search, hits: rows } }, []] : [s, []]),
};
