// What this browser keeps for one account, in IndexedDB "kenny:ACCOUNT". All of it can be lost but drafts and what waits to be sent.
import { answer, clear, nameOf, open, over, STORES } from "./database.js";
import { forgetLeft, leaving } from "./leaving.js";

/** @typedef {{ rows: Kenny.Row[], list: object | null, entries: Kenny.Stored[], durable: boolean }} Restored */
/** @typedef {{ all: () => Promise<Restored>, takeOver: () => Promise<Kenny.Stored[]>, drop: () => void, recall: (id: string) => Promise<unknown>, now: (changes: Kenny.Stored[]) => Promise<Kenny.Stored[]>, write: (changes: Kenny.Stored[]) => void,
 *   replace: (rows: Kenny.Row[], list: object) => void, leave: (all: boolean) => Promise<void> }} Cache */

/** Keeps nothing: where IndexedDB is blocked, missing or full. @param {string} name @returns {Cache} */
const memory = (name) => ({
  takeOver: async () => [], drop: () => undefined, all: async () => ({ rows: [], list: null, entries: [], durable: false }), recall: async () => null, now: async (changes) => changes, write: () => undefined, replace: () => undefined, leave: async (all) => { if (all) forgetLeft(name); },
});

/** @param {string} account @param {string} digest of the modules: transcripts are kept in their shape @param {() => void} failed called once, when nothing can be kept any more @returns {Promise<Cache>} */
export async function cache(account, digest, failed) {
  try {
    const db = await open(nameOf(account));
    return kept(db, digest, failed);
  } catch {
    return memory(nameOf(account));
  }
}

/** @param {IDBDatabase} db @param {string} digest @param {() => void} failed @returns {Cache} */
function kept(db, digest, failed) {
  let [closed, gone] = [false, false];
  const last = leaving(db.name);
  db.onversionchange = () => { closed = gone = true; db.close(); };
  /** @param {readonly string[]} stores @param {(store: (name: string) => IDBObjectStore) => void} fill */
  const within = async (stores, fill) => {
    const work = db.transaction([...stores], "readwrite");
    fill((name) => work.objectStore(name));
    work.commit();
    await over(work);
  };
  /** Transcripts go first when there is no room. @param {readonly string[]} stores @param {(store: (name: string) => IDBObjectStore) => void} fill */
  const attempt = async (stores, fill) => {
    if (closed) return false;
    try {
      await within(stores, fill).catch(async () => { await within(["messages"], (store) => { store("messages").clear(); }); await within(stores, fill); });
      return true;
    } catch {
      if (!closed) failed();
      closed = true;
      return false;
    }
  };
  /** @param {Kenny.Stored[]} changes */
  const write = async (changes) => {
    const written = last.writing(changes);
    const went = await attempt([...new Set(changes.map(({ store }) => store))], (store) => {
      for (const { store: name, key, value } of changes) if (value === undefined) store(name).delete(key); else store(name).put(value, key);
    });
    written();
    return went;
  };
  const takeOver = async () => {
    const changes = last.take();
    if (!changes.length || await write(changes)) return changes;
    last.putBack(changes);
    return [];
  };
  return {
    all: async () => {
      await takeOver();
      const work = db.transaction([...STORES], "readonly");
      const pairs = async (/** @type {Kenny.Stored["store"]} */ name) => {
        const [keys, values] = await Promise.all([answer(work.objectStore(name).getAllKeys()), answer(work.objectStore(name).getAll())]);
        return keys.map((key, i) => ({ store: name, key: String(key), value: values[i] }));
      };
      const [rows, outbox, drafts, meta] = await Promise.all([pairs("conversations"), pairs("outbox"), pairs("drafts"), pairs("meta")]);
      const held = new Map(meta.map(({ key, value }) => [key, value]));
      if (held.get("digest") !== digest) await attempt(["messages", "meta"], (store) => { store("messages").clear(); store("meta").put(digest, "digest"); });
      return { rows: rows.map(({ value }) => value), list: held.get("list") ?? null, entries: [...outbox, ...drafts, ...meta.filter(({ key }) => key.startsWith("seen:"))], durable: true };
    },
    recall: async (id) => (closed ? null : answer(db.transaction("messages").objectStore("messages").get(id)).catch(() => null)),
    now: async (changes) => {
      if (closed || !changes.length) return changes;
      const work = db.transaction([...new Set(changes.map(({ store }) => store))], "readonly");
      return Promise.all(changes.map(async (one) => ({ ...one, value: await answer(work.objectStore(one.store).get(one.key)) }))).catch(() => changes);
    },
    takeOver, drop: last.drop, write: (changes) => void write(changes),
    replace: (rows, list) => void attempt(["conversations", "meta"], (store) => {
      store("conversations").clear();
      for (const row of rows) store("conversations").put(row, row.id);
      store("meta").put(list, "list");
    }),
    leave: async (all) => {
      closed = true;
      if (all) { last.drop(); forgetLeft(db.name); }
      if (!gone) await clear(db, all); // also where it is full
    },
  };
}
