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
  differ(old.rows, now.rows, old.rows === now.rows, put("conversations"));
  if (old.cursor !== now.cursor || old.epoch !== now.epoch) put("meta")("list", listOf(now));
  differ(before.talks, after.talks, before.talks === after.talks, (key, talk) => { if (talk === undefined || isSettled(talk)) put("messages")(key, talk && settled(talk)); });
  if (old.rows !== now.rows) for (const id of Object.keys(old.rows)) if (!(id in now.rows) && !(id in now.gone)) put("messages")(id, undefined);
  return out;
}

/** The whole list, for a tab that begins to keep it: what an earlier one kept may stand at another cursor. @param {Kenny.State} s @returns {{ rows: Kenny.Row[], list: object }} */
export const snapshot = (s) => ({ rows: Object.values(s.library.rows), list: listOf(s.library) });

/** @param {Kenny.Library} library */
const listOf = ({ cursor, epoch }) => ({ cursor, epoch });

/**
 * Of these, what other tabs are to hear; with a change, a delete or a message that went comes the row as it now stands here.
 * @param {Kenny.Stored[]} all @param {Kenny.State} before @param {Kenny.State} after @returns {Kenny.Stored[]}
 */
export function shared(all, before, after) {
  const mine = all.filter(({ store, key }) => store === "outbox" || store === "drafts" || key.startsWith("seen:"));
  const ids = mine.flatMap(({ store, key, value }) => {
    if (store !== "outbox") return [];
    if (/^(edit|delete):/.test(key)) return [key.slice(key.indexOf(":") + 1)];
    const parcel = value === undefined ? before.outbox.find((one) => parcelKey(one) === key) : undefined;
    return parcel ? [parcel.conversationId] : [];
  });
  return [...mine, ...[...new Set(ids)].map((id) => ({ store: /** @type {const} */ ("conversations"), key: id, value: after.library.rows[id] }))];
}

/** What a tab that keeps the list writes down of what it heard from another: the list itself; the rest was kept there. @param {Kenny.Stored[]} all */
export const heard = (all) => all.filter(({ store, key }) => store === "conversations" || store === "messages" || key === "list");

/** @template T @param {T[]} list @param {(item: T) => string} keyOf @returns {Record<string, T>} */
const byKey = (list, keyOf) => Object.fromEntries(list.map((item) => [keyOf(item), item]));

/**
 * @template T @param {Record<string, T>} before @param {Record<string, T>} after @param {boolean} same
 * @param {(key: string, value: any) => void} put @param {(value: T) => unknown} [as]
 */
function differ(before, after, same, put, as = (value) => value) {
  if (same) return;
  for (const key of Object.keys(before)) if (!(key in after)) put(key, undefined);
  for (const [key, value] of Object.entries(after)) if (before[key] !== value) put(key, as(value));
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
