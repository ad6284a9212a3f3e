// What was kept by an earlier page or told by another tab, taken into the state.
import { MEMORY } from "./account.js";
import { watch } from "./connection.js";
import { forget, withRow } from "./library.js";
import { copy, drop, put } from "./maps.js";
import { keepTalk, withoutTurn } from "./parcels.js";
import { without } from "./writes.js";

/** @type {Kenny.Handlers} */
export const handlers = {
  /** The browser's own keeping, once, at the start. */
  restored: (s, { rows, list, entries, durable }) => {
    const all = /** @type {Kenny.Row[]} */ (rows).reduce((some, row) => { some[row.id] = row; return some; }, copy(/** @type {Record<string, Kenny.Row>} */ ({})));
    const library = { ...s.library, rows: all, cursor: list?.cursor ?? null, epoch: list?.epoch ?? null, loaded: rows.length > 0 };
    const inOrder = entries.toSorted((/** @type {Kenny.Stored} */ a, /** @type {Kenny.Stored} */ b) => Number(a.key.startsWith("all:")) - Number(b.key.startsWith("all:"))); // a delete of all takes along what was kept beside it
    const next = inOrder.reduce(take, { ...s, library, durable, settling: entries.some((/** @type {Kenny.Stored} */ { store }) => store === "outbox"), news: durable ? s.news : [...s.news, MEMORY] });
    const gone = copy(next.library.gone);
    for (const { kind, id, row } of Object.values(next.writes)) if (kind === "delete" && row) gone[id] ??= row; // the tab that deleted it may bring it back
    return [{ ...next, library: { ...next.library, gone } }, []];
  },
  /** Another tab changed something. A box that is being written in keeps its words. */
  elsewhere: (s, { changes, writing }) => {
    const next = changes.filter((/** @type {Kenny.Stored} */{ store, key }) => !(store === "drafts" && writing && key === (s.current ?? ""))).reduce(take, s);
    const isGone = s.current !== null && s.current in s.library.rows && !(s.current in next.library.rows);
    const sent = changes.some((/** @type {Kenny.Stored} */ { store, key, value }) => store === "outbox" && value === undefined && key.startsWith("message:") && s.homes[key.slice(8)] === s.current);
    const talk = s.current ? next.talks[s.current] : undefined;
    /** @type {Kenny.Effect[]} */
    const effects = isGone ? [{ do: "go", id: null }] : sent && talk ? [{ do: "send", frame: watch(talk) }] : [];
    return [isGone ? { ...next, current: null } : next, effects];
  },
};

/** @param {Kenny.State} s @param {Kenny.Stored} change @returns {Kenny.State} */
function take(s, { store, key, value, row, epoch }) {
  if (store === "drafts") return { ...s, drafts: value ? put(s.drafts, key, value) : drop(s.drafts, key) };
  if (store === "meta") return { ...s, seen: put(s.seen, key.slice(5), value) };
  const [kind, id] = [key.replace(/:.*/s, ""), key.slice(key.indexOf(":") + 1)];
  const isKnown = row && row.id in (kind === "delete" ? s.library.gone : s.library.rows); // not what the server's list took away meanwhile
  const bare = kind === "edit" && !value ? unedited(s, id) : s;
  return takes[kind]?.(row && isKnown ? placed(bare, row, epoch === s.library.epoch) : bare, id, value, row) ?? s;
}

/** A list of this tab has named it: then a list will also say when it goes. @param {Kenny.State} s @param {string} id */
const isListed = ({ library: { rows, gone } }, id) => { const row = rows[id] ?? gone[id]; return row?.version !== undefined && !row.fresh; };

/** @type {Record<string, (s: Kenny.State, id: string, value: any, row: Kenny.Row | null | undefined) => Kenny.State>} */
const takes = {
  message: (s, turnId, parcel, row) => {
    if (parcel) return keepTalk(s, { ...parcel, sent: Boolean(parcel.problem) });
    if (row === undefined) return s; // its end is told after its beginning
    const id = s.homes[turnId] ?? "";
    return row === null && !isListed(s, id) ? forget(withoutTurn(s, turnId), id) : withoutTurn(s, turnId);
  },
  kept: (s, key, one) => ({ ...s, kept: one ? put(s.kept, key, one) : drop(s.kept, key) }),
  edit: (s, id, write, told) => {
    const [row, key] = [s.library.rows[id], `edit:${id}`];
    if (!write) return told === null && !isListed(s, id) ? forget(s, id) : without(s, key);
    return { ...(row ? withRow(s, { ...row, ...write.change }) : s), writes: put(s.writes, key, rested(write)) };
  },
  delete: (s, id, write, row) => {
    const key = `delete:${id}`;
    if (!write && row === undefined) return s;
    const undo = s.undo.filter((one) => one.row.id !== id);
    if (!write) return { ...(row ? without(s, key) : forget(without(s, key), id)), undo };
    const old = s.library.rows[id];
    const library = { ...s.library, rows: drop(s.library.rows, id), gone: old ? put(s.library.gone, id, old) : s.library.gone };
    return { ...s, library, writes: put(s.writes, key, rested(write)) };
  },
  all: (s, rest, write) => {
    if (!write) return without(s, `all:${rest}`);
    const next = /** @type {string[]} */ (write.ids).reduce(forget, s);
    return { ...next, undo: [], writes: put(next.writes, write.key, rested(write)) };
  },
};

/** @param {Kenny.Write} write @returns {Kenny.Write} */
const rested = (write) => ({ ...write, out: false, due: 0, tries: 0 });

/** A change that has ended is no longer on top of the list's row: the row that comes with its end has it, unless this tab knows a later one. @param {Kenny.State} s @param {string} id */
function unedited(s, id) {
  const [row, was] = [s.library.rows[id], s.writes[`edit:${id}`]?.was];
  return row && was ? withRow(s, { ...row, ...was }) : s;
}

/** A row as another tab shows it, unless this one knows a later one or the other's may be from before the server was set back. @param {Kenny.State} s @param {Kenny.Row} row @param {boolean} isSame */
function placed(s, row, isSame) {
  const old = s.library.rows[row.id] ?? s.library.gone[row.id];
  const isOld = (old?.lost && row.version !== undefined && !row.fresh) || (old?.version !== undefined && (!isSame || (row.version ?? -1) < old.version));
  const { fresh: _fresh, ...bare } = row;
  const fresh = row.version !== undefined && (old?.version === undefined || old.fresh) ? { fresh: true, version: row.version || 1 } : {}; // no list of this tab has brought it
  const { library } = withRow(s, old && isOld ? old : { ...bare, ...fresh });
  return { ...s, library: { ...library, gone: drop(library.gone, row.id) } };
}
