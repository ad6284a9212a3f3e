// What was kept by an earlier page or told by another tab, taken into the state.
import { MEMORY } from "./account.js";
import { watch } from "./connection.js";
import { forget, withRow } from "./library.js";
import { copy, drop, put } from "./maps.js";
import { keepTalk, withoutTurn } from "./parcels.js";

/** @typedef {(s: Kenny.State, key: string, value: any) => Kenny.State} Take */

/** @type {Kenny.Handlers} */
export const handlers = {
  /** The browser's own keeping, once, at the start. */
  restored: (s, { rows, list, entries, durable }) => {
    const all = /** @type {Kenny.Row[]} */ (rows).reduce((some, row) => { some[row.id] = row; return some; }, copy(/** @type {Record<string, Kenny.Row>} */ ({})));
    const library = { ...s.library, rows: all, cursor: list?.cursor ?? null, epoch: list?.epoch ?? null, loaded: rows.length > 0 };
    return [order(entries).reduce(take, { ...s, library, durable, news: durable ? s.news : [...s.news, MEMORY] }), []];
  },
  /** Another tab changed something. A box that is being written in keeps its words. */
  elsewhere: (s, { changes, writing }) => {
    const next = order(changes).filter(({ store, key }) => !(store === "drafts" && writing && key === (s.current ?? ""))).reduce(take, s);
    const isGone = s.current !== null && s.current in s.library.rows && !(s.current in next.library.rows);
    const sent = changes.some((/** @type {Kenny.Stored} */ { store, key, value }) => store === "outbox" && value === undefined && key.startsWith("message:") && s.homes[key.slice(8)] === s.current);
    const talk = s.current ? next.talks[s.current] : undefined;
    /** @type {Kenny.Effect[]} */
    const effects = isGone ? [{ do: "go", id: null }] : sent && talk ? [{ do: "send", frame: watch(talk) }] : [];
    return [isGone ? { ...next, current: null } : next, effects];
  },
};

/** Rows first, so that a change finds what it changes. @param {Kenny.Stored[]} changes */
const order = (changes) => changes.toSorted((a, b) => Number(b.store === "conversations") - Number(a.store === "conversations"));

/** @param {Kenny.State} s @param {Kenny.Stored} change @returns {Kenny.State} */
function take(s, { store, key, value }) {
  if (store === "drafts") return { ...s, drafts: value ? put(s.drafts, key, value) : drop(s.drafts, key) };
  if (store === "meta") return key.startsWith("seen:") ? { ...s, seen: put(s.seen, key.slice(5), value) } : s;
  if (store === "conversations") return value ? placed(s, value) : key in s.library.rows && s.library.rows[key]?.version === undefined ? forget(s, key) : s;
  const [kind, id] = [key.split(":", 1)[0] ?? "", key.slice(key.indexOf(":") + 1)];
  return takes[kind]?.(s, id, value) ?? s;
}

/** @type {Record<string, Take>} */
const takes = {
  message: (s, turnId, parcel) => (parcel ? keepTalk(s, { ...parcel, sent: Boolean(parcel.problem) }) : withoutTurn(s, turnId)),
  kept: (s, key, one) => ({ ...s, kept: one ? put(s.kept, key, one) : drop(s.kept, key) }),
  edit: (s, id, write) => {
    const row = s.library.rows[id];
    const writes = write ? put(s.writes, `edit:${id}`, rested(write)) : drop(s.writes, `edit:${id}`);
    return { ...(row && write ? withRow(s, { ...row, ...write.change }) : s), writes };
  },
  delete: (s, id, write) => {
    const row = s.library.rows[id];
    if (!write) return row ? { ...s, writes: drop(s.writes, `delete:${id}`) } : forget({ ...s, writes: drop(s.writes, `delete:${id}`) }, id);
    const library = { ...s.library, rows: drop(s.library.rows, id), gone: row ? put(s.library.gone, id, row) : s.library.gone };
    return { ...s, library, writes: put(s.writes, `delete:${id}`, rested(write)) };
  },
  all: (s, _id, write) => {
    if (!write) return { ...s, writes: drop(s.writes, "all") };
    const next = /** @type {string[]} */ (write.ids).reduce(forget, s);
    return { ...next, undo: [], writes: put(next.writes, "all", rested(write)) };
  },
};

/** @param {Kenny.Write} write @returns {Kenny.Write} */
const rested = (write) => ({ ...write, out: false, due: 0, tries: 0 });

/** A row as another tab shows it, unless this one knows a later one. @param {Kenny.State} s @param {Kenny.Row} row */
function placed(s, row) {
  const old = s.library.rows[row.id];
  if (old?.version !== undefined && (row.version ?? 0) < old.version) return s;
  return { ...withRow(s, row), library: { ...withRow(s, row).library, gone: drop(s.library.gone, row.id) } };
}
