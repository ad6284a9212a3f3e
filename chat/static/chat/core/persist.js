// What a browser keeps of the state, as changes of five stores: told to the database and, where other tabs care, to them too.
import { isLive } from "./turn.js";

/** @param {Kenny.Parcel} parcel */
const parcelKey = ({ turnId }) => `message:${turnId}`;

/** What differs between two states. Told apart by identity: what did not change costs nothing. @param {Kenny.State} before @param {Kenny.State} after @returns {Kenny.Stored[]} */
export function changes(before, after) {
  /** @type {Kenny.Stored[]} */
  const out = [];
  const put = (/** @type {Kenny.Stored["store"]} */ store) => (/** @type {string} */ key, /** @type {unknown} */ value) => out.push({ store, key, value });
  differ(byKey(before.outbox, parcelKey), byKey(after.outbox, parcelKey), before.outbox === after.outbox, put("outbox"), unsent);
  differ(before.writes, after.writes, before.writes === after.writes, put("outbox"), resting);
  differ(before.kept, after.kept, before.kept === after.kept, (key, value) => put("outbox")(`kept:${key}`, value));
  differ(before.drafts, after.drafts, before.drafts === after.drafts, put("drafts"));
  differ(before.seen, after.seen, before.seen === after.seen, (key, value) => put("meta")(`seen:${key}`, value));
  const [old, now] = [before.library, after.library];
  const [had, have] = old.rows === now.rows && old.gone === now.gone ? [{}, {}] : [known(old), known(now)];
  differ(had, have, false, put("conversations"));
  if (old.cursor !== now.cursor || old.epoch !== now.epoch) put("meta")("list", listOf(now));
  differ(before.talks, after.talks, before.talks === after.talks, (key, talk) => { if (talk === undefined || isSettled(talk)) put("messages")(key, talk && settled(talk)); });
  for (const id of Object.keys(had)) if (!(id in have)) put("messages")(id, undefined);
  return out;
}

/** The whole list, for a tab that begins to keep it: what an earlier one kept may stand at another cursor. @param {Kenny.State} s @returns {{ rows: Kenny.Row[], list: object }} */
export const snapshot = (s) => ({ rows: Object.values(known(s.library)), list: listOf(s.library) });

/** The rows that belong to the cursor, with those whose delete still waits: a later page finds them as the list had them. @param {Kenny.Library} library @returns {Record<string, Kenny.Row>} */
const known = ({ rows, gone }) => ({ ...gone, ...rows });

/** @param {Kenny.Library} library */
const listOf = ({ cursor, epoch }) => ({ cursor, epoch });

/**
 * Of these, what other tabs are to hear. With a change comes the row as it stands here and the epoch it stands in; with the end of a delete or message the row, or null when there is none any more.
 * @param {Kenny.Stored[]} all @param {Kenny.State} before @param {Kenny.State} after @returns {Kenny.Stored[]}
 */
export function shared(all, before, after) {
  const { rows, gone, epoch } = after.library;
  const rowOf = (/** @type {string | undefined} */ id) => (id === undefined ? {} : { row: rows[id] ?? gone[id] ?? null, epoch }); // of what is deleted and can be brought back there is a row
  return all.filter(({ store, key }) => store === "outbox" || store === "drafts" || key.startsWith("seen:")).map((change) => {
    const { store, key, value } = change;
    if (store !== "outbox") return change;
    if (key.startsWith("edit:")) return { ...change, ...rowOf(key.slice(5)) };
    if (value !== undefined) return change;
    if (key.startsWith("delete:")) return { ...change, ...rowOf(key.slice(7)) };
    return { ...change, ...rowOf(before.outbox.find((parcel) => parcelKey(parcel) === key)?.conversationId) };
  });
}

/**
 * What a tab writes down of what it heard from another: the list, when it keeps it, and the end of what was its own to send; the rest was kept there.
 * @param {Kenny.Stored[]} all @param {Kenny.State} before
 */
export function heard(all, before) {
  const own = new Set([...before.outbox.map((parcel) => ({ key: parcelKey(parcel), tab: parcel.tab })), ...Object.values(before.writes)].flatMap(({ key, tab }) => (tab === before.tab ? [key] : [])));
  return all.filter(({ store, key, value }) => ofTheList({ store, key }) || store === "messages" || (store === "outbox" && value === undefined && own.has(key)));
}

/**
 * What a page found kept and did not take in, for its conversation is deleted: it is kept no longer. What it does not know may be a later version's.
 * @param {Kenny.Stored[]} entries @param {Kenny.State} after @returns {Kenny.Stored[]}
 */
export function overtaken(entries, after) {
  const taken = new Set([...after.outbox.map(parcelKey), ...Object.keys(after.writes)]);
  return entries.filter(({ store, key }) => store === "outbox" && /^(message|edit):/.test(key) && !taken.has(key)).map(({ store, key }) => ({ store, key, value: undefined }));
}

/** Written by one tab alone, so that rows and cursor belong together. @param {{ store: string, key: string }} change */
export const ofTheList = ({ store, key }) => store === "conversations" || key === "list";

/** @template T @param {T[]} list @param {(item: T) => string} keyOf @returns {Record<string, T>} */
const byKey = (list, keyOf) => Object.fromEntries(list.map((item) => [keyOf(item), item]));

/**
 * @template T @param {Record<string, T>} before @param {Record<string, T>} after @param {boolean} same
 * @param {(key: string, value: any) => void} put @param {(value: T) => unknown} [as]
 */
function differ(before, after, same, put, as = (value) => value) {
  if (same) return;
  for (const key of Object.keys(before)) if (!(key in after)) put(key, undefined);
  for (const [key, value] of Object.entries(after)) {
    const old = before[key];
    if (old !== value && !(old && alike(as(old), as(value)))) put(key, as(value));
  }
}

/** Two values whose fields are the same: only how a try stands differs. @param {any} a @param {any} b */
function alike(a, b) {
  if (a === null || b === null || typeof a !== "object" || typeof b !== "object") return a === b;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => a[key] === b[key]);
}

/** A try that is under way says nothing about the next page. @param {Kenny.Parcel} parcel */
const unsent = ({ sent: _sent, due: _due, ...parcel }) => parcel;

/** @param {Kenny.Write} write */
const resting = ({ out: _out, due: _due, tries: _tries, ...write }) => write;

/** @param {Kenny.Talk} talk */
const isSettled = (talk) => talk.loaded === "yes" && talk.version > 0 && !talk.turns.some((turn) => isLive(turn) && turn.seq > 0);

/** What a later page can show without the server. @param {Kenny.Talk} talk */
const settled = ({ title, version, loadedVersion, history, turns, after }) =>
  ({ title, version, loadedVersion, history, turns: turns.filter((turn) => turn.status === "over"), after });
