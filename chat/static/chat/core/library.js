// The list: rename, pin, archive, search. Every change shows at once, waits in `writes` until the server has it, and is taken back if it refuses.
import { confirmed, edited } from "./edits.js";
import { gettext } from "./gettext.js";
import { keepWords } from "./kept.js";
import { copy, drop, put } from "./maps.js";
import { isNewer, reconcile } from "./sync.js";
import { isPassing, postpone, without } from "./writes.js";

/** @returns {Kenny.Library} */
export const empty = () => ({ rows: copy(), gone: copy(), cursor: null, epoch: null, loaded: false });

/** @param {Kenny.State} s @param {Kenny.Row} row @returns {Kenny.State} */
export const withRow = (s, row) => ({ ...s, library: { ...s.library, rows: put(s.library.rows, row.id, row) } });

/** Nothing of a conversation is left here. @param {Kenny.State} s @param {string} id @returns {Kenny.State} */
export function forget(s, id) {
  const talk = s.talks[id];
  return {
    ...s, drafts: drop(s.drafts, id), outbox: s.outbox.filter((parcel) => parcel.conversationId !== id), writes: drop(s.writes, `edit:${id}`),
    library: { ...s.library, rows: drop(s.library.rows, id), gone: drop(s.library.gone, id) },
    talks: talk ? put(s.talks, id, { ...talk, loaded: "deleted", history: [], turns: [], after: null }) : s.talks,
  };
}

/** The server buried it: words that were typed and not sent stay under "Not sent". @param {Kenny.State} s @param {string} id @returns {Kenny.State} */
export const buried = (s, id) => forget(keepWords(s, id), id);

/** Says once that words were kept. @param {Kenny.State} before @param {Kenny.State} after @returns {Kenny.Effect[]} */
const saying = (before, after) => (after.kept === before.kept ? [] : [{ do: "announce", text: gettext("The conversation was deleted. What you had not sent is kept under “Not sent”."), urgent: true }]);

/** @type {Kenny.Handlers} */
export const handlers = {
  listed: (s, { answer }) => {
    const found = reconcile(s, answer);
    const words = found.dropped.reduce(keepWords, s); // while their titles are known
    const next = found.dropped.reduce(forget, { ...noticed(words, found.library), library: found.library, writes: found.writes, settling: false });
    const news = [...next.news, ...found.clashes.map((clash) => ({ key: `clash-${clash.id}-${clash.name}`, kind: /** @type {const} */ ("clash"), title: "", ...clash })),
      ...(found.lost.length ? [{ key: "lost", kind: /** @type {const} */ ("lost"), id: "", title: "", n: found.lost.length }] : [])];
    return [{ ...next, news: news.length > next.news.length ? latest(news) : next.news }, [...saying(s, next), ...(s.current ? [{ do: "check", id: s.current }] : [])]];
  },
  pullFailed: (s) => [s.settling ? { ...s, settling: false } : s, []],
  change: (s, { id, change, now = 0 }) => {
    const row = s.library.rows[id];
    return row ? [{ ...withRow(s, { ...row, ...change }), writes: edited(s, row, change, now) }, []] : [s, []];
  },
  changed: (s, { id, row, sent }) => {
    const edit = s.writes[`edit:${id}`];
    const left = edit ? confirmed(edit, sent, row) : null;
    const next = { ...s, writes: left ? put(s.writes, left.key, left) : drop(s.writes, `edit:${id}`) };
    if (!(id in s.library.rows) || isNewer(s.library.rows[id], row)) return [next, []]; // or a list has brought more since
    const talk = s.talks[id];
    const same = talk && talk.version === row.version - 1; // only this change lies between: nothing new to load
    const talks = same ? put(s.talks, id, { ...talk, version: row.version, title: row.title }) : s.talks;
    const fresh = s.library.rows[id]?.fresh ? { fresh: true } : {};
    return [{ ...withRow(next, { ...row, ...fresh, ...left?.change }), talks }, []];
  },
  changeFailed: (s, { id, sent, error, now = 0 }) => {
    const edit = s.writes[`edit:${id}`];
    if (error.code === "deleted") { const next = buried(s, id); return [next, saying(s, next)]; }
    if (isPassing(error) || !edit) return postpone(s, `edit:${id}`, error, now);
    const next = { ...without(s, edit.key), problem: error };
    const row = s.library.rows[id];
    const back = Object.fromEntries(Object.keys(sent).filter((name) => edit.was && name in edit.was).map((name) => [name, /** @type {any} */ (edit.was)[name]]));
    return [row ? withRow(next, { ...row, ...back }) : next, []];
  },

  removed: (s, { id }) => [forget(without(s, `delete:${id}`), id), []],
  removeFailed: (s, { id, error, now = 0 }) => postpone(s, `delete:${id}`, error, now),
  wake: (s) => [s, []],

  query: (s, { text }) => [{ ...s, search: { query: text, hits: text.trim() ? s.search.hits : null } }, [{ do: "find", query: text.trim() }]],
  found: (s, { query, rows }) => (s.search.query.trim() === query ? [{ ...s, search: { ...s.search, hits: rows } }, []] : [s, []]),
};

/** One of each key, the last. @param {Kenny.News[]} news */
const latest = (news) => [...new Map(news.map((one) => [one.key, one])).values()];

/** What came while nobody looked is unread from where it was. @param {Kenny.State} s @param {Kenny.Library} now @returns {Kenny.State} */
function noticed(s, now) {
  const { rows, epoch } = s.library;
  if (epoch === null || rows === now.rows) return s;
  const grown = Object.values(now.rows).filter((row) => rows[row.id] !== row && !(row.id in s.seen) && (row.messageCount ?? 0) > (rows[row.id]?.messageCount ?? 0));
  if (!grown.length) return s;
  const seen = copy(s.seen);
  for (const { id } of grown) seen[id] = rows[id]?.messageCount ?? 0;
  return { ...s, seen };
}
