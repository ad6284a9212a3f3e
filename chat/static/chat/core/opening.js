// Opening a conversation: what this browser keeps of it at once, what the server has as soon as it is there.
import { watch } from "./connection.js";
import { buried } from "./library.js";
import { put } from "./maps.js";
import { blank, liveTurn, load, PAGE } from "./talk.js";

/** @param {Kenny.State} s @param {Kenny.Talk} talk @returns {Kenny.State} */
const withTalk = (s, talk) => ({ ...s, talks: put(s.talks, talk.id, talk) });

/** @param {Kenny.State} s @param {Kenny.Talk} talk */
const isBehind = (s, talk) => { const row = s.library.rows[talk.id]; return row?.version !== undefined && row.version > talk.version; };

/** Known here and not to the server: there is nothing to ask it for. @param {Kenny.State} s @param {string} id */
const isLocal = (s, id) => id in s.library.rows && s.library.rows[id]?.version === undefined;

/** Its messages as they are now have been seen. @param {Kenny.State} s @param {string} id @returns {Kenny.State} */
const read = (s, id) => {
  const count = s.library.rows[id]?.messageCount;
  return count !== undefined && s.seen[id] !== count ? { ...s, seen: put(s.seen, id, count) } : s;
};

/** @type {Kenny.Handlers} */
export const handlers = {
  open: (s, { id }) => {
    const left = s.current && s.current !== id ? [{ do: "send", frame: { type: "unwatch", conversationId: s.current } }] : [];
    if (!id) return [{ ...s, current: null }, left];
    const old = s.talks[id] ?? blank(id, { title: s.library.rows[id]?.title ?? "" });
    const isHere = old.loaded === "yes";
    const talk = isHere ? old : { ...old, loaded: /** @type {const} */ ("loading"), problem: null };
    const next = read({ ...withTalk(s, talk), current: id }, id);
    const more = isHere ? (isBehind(s, old) ? [{ do: "load", id }] : []) : [{ do: "recall", id }];
    return [next, [...left, ...(isLocal(s, id) ? [] : [{ do: "send", frame: watch(talk) }]), ...more, { do: "toEnd" }]];
  },
  /** What this browser kept of it, or null. */
  recalled: (s, { id, talk: kept }) => {
    const talk = s.talks[id];
    if (!talk || talk.loaded !== "loading") return [s, []];
    if (!kept) return isLocal(s, id) ? [withTalk(s, { ...talk, loaded: "yes" }), []] : [s, [{ do: "load", id }]];
    const known = new Set(talk.turns.map((turn) => turn.id));
    const old = /** @type {Kenny.Turn[]} */ (kept.turns).filter((turn) => !known.has(turn.id));
    const next = { ...talk, ...kept, turns: [...old, ...talk.turns], loaded: /** @type {const} */ ("yes"), shown: PAGE };
    const row = s.library.rows[id];
    const isSure = isLocal(s, id) || (s.library.loaded && row?.version === next.version);
    return [withTalk(s, next), isSure ? [] : [{ do: "load", id }]];
  },
  check: (s, { id }) => {
    const talk = s.talks[id];
    const seen = s.current === id ? read(s, id) : s;
    if (talk?.loaded !== "yes" || !isBehind(s, talk)) return [seen, []];
    const turn = liveTurn(talk);
    if (!turn) return [seen, [{ do: "load", id }]];
    const isOver = turn.seq > 0 && !s.library.rows[id]?.live; // its end is on the way, or was lost
    return [seen, isOver ? [{ do: "send", frame: watch(talk) }] : []];
  },
  loaded: (s, { id, answer }) => {
    const talk = s.talks[id];
    return talk && talk.loaded !== "deleted" ? [withTalk(s, load(talk, answer)), []] : [s, []];
  },
  loadFailed: (s, { id, error }) => {
    const talk = s.talks[id];
    if (!talk) return [s, []];
    if (error.code === "deleted") return [buried(s, id), []];
    if (talk.loaded === "yes") return [talk.turns.length || s.link !== "open" ? s : { ...s, problem: error }, []];
    const loaded = error.code === "not_found" ? (talk.turns.length ? "yes" : "missing") : "failed";
    return [withTalk(s, { ...talk, loaded, problem: error }), []];
  },
  /** Left at its end: only the newest messages are made when it is opened again. */
  newest: (s, { id }) => {
    const talk = s.talks[id];
    return talk && talk.shown > PAGE ? [withTalk(s, { ...talk, shown: PAGE }), []] : [s, []];
  },
  older: (s, { id }) => {
    const talk = s.talks[id];
    return talk ? [withTalk(s, { ...talk, shown: talk.shown + PAGE }), []] : [s, []];
  },
};
