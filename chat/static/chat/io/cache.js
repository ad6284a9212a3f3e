// What this browser keeps for one account, in IndexedDB "kenny:ACCOUNT". All of it can be lost but drafts and what waits to be sent.
import { leaving } from "./leaving.js";

export const STORES = /** @type {const} */ (["conversations", "messages", "outbox", "drafts", "meta"]);
const READ = /** @type {const} */ (["conversations", "messages", "meta"]); // what the server has too
const PATIENCE = 2_000;

/** @param {string} account */
export const nameOf = (account) => `kenny:${account}`;

/** @template T @param {IDBRequest<T>} request @returns {Promise<T>} */
const answer = (request) => new Promise((resolve, reject) => { request.onsuccess = () => resolve(request.result); request.onerror = () => reject(request.error); });

/** @param {IDBTransaction} work @returns {Promise<void>} */
const over = (work) => new Promise((resolve, reject) => {
  work.oncomplete = () => resolve();
  work.onabort = work.onerror = () => reject(work.error ?? new DOMException("aborted", "AbortError"));
});

/** @param {string} name @returns {Promise<IDBDatabase>} */
export const open = (name) => new Promise((resolve, reject) => {
  const request = indexedDB.open(name, 1); // throws where storage is forbidden
  const late = setTimeout(() => reject(new Error("late")), PATIENCE);
  request.onupgradeneeded = () => { for (const store of STORES) if (!request.result.objectStoreNames.contains(store)) request.result.createObjectStore(store); };
  request.onsuccess = () => { clearTimeout(late); resolve(request.result); };
  request.onerror = () => { clearTimeout(late); reject(request.error); };
});

/** Drops what the server has too; drafts and what waits to be sent stay for the same account. With `all`, or when nothing is left, the database goes. @param {IDBDatabase} db @param {boolean} all */
export async function clear(db, all) {
  const names = [...(all ? STORES : READ)].filter((name) => db.objectStoreNames.contains(name));
  const work = db.transaction(names, "readwrite");
  for (const name of names) work.objectStore(name).clear();
  await over(work);
  const left = db.transaction(["outbox", "drafts"]);
  const counts = await Promise.all(["outbox", "drafts"].map((name) => answer(left.objectStore(name).count())));
  db.close();
  if (counts.every((count) => count === 0)) indexedDB.deleteDatabase(db.name);
}

/** @typedef {{ rows: Kenny.Row[], list: object | null, entries: Kenny.Stored[], durable: boolean }} Restored */
/** @typedef {{ all: () => Promise<Restored>, recall: (id: string) => Promise<unknown>, now: (changes: Kenny.Stored[]) => Promise<Kenny.Stored[]>, write: (changes: Kenny.Stored[]) => void,
 *   replace: (rows: Kenny.Row[], list: object) => void, leave: (all: boolean) => Promise<void> }} Cache */

/** Keeps nothing: where IndexedDB is blocked, missing or full. @returns {Cache} */
const memory = () => ({
  all: async () => ({ rows: [], list: null, entries: [], durable: false }), recall: async () => null, now: async (changes) => changes, write: () => undefined, replace: () => undefined, leave: async () => undefined,
});

/** @param {string} account @param {string} digest of the modules: transcripts are kept in their shape @param {() => void} failed called once, when nothing can be kept any more @returns {Promise<Cache>} */
export async function cache(account, digest, failed) {
  try {
    const db = await open(nameOf(account));
    return kept(db, digest, failed);
  } catch {
    return memory();
  }
}

/** @param {IDBDatabase} db @param {string} digest @param {() => void} failed @returns {Cache} */
function kept(db, digest, failed) {
  let closed = false;
  const last = leaving(db.name);
  db.onversionchange = () => { closed = true; db.close(); };
  /** @param {readonly string[]} stores @param {(store: (name: string) => IDBObjectStore) => void} fill */
  const within = async (stores, fill) => {
    const work = db.transaction([...stores], "readwrite");
    fill((name) => work.objectStore(name));
    work.commit();
    await over(work);
  };
  /** Transcripts go first when there is no room. @param {readonly string[]} stores @param {(store: (name: string) => IDBObjectStore) => void} fill */
  const attempt = async (stores, fill) => {
    if (closed) return;
    try {
      await within(stores, fill).catch(async () => { await within(["messages"], (store) => { store("messages").clear(); }); await within(stores, fill); });
    } catch {
      if (!closed) failed();
      closed = true;
    }
  };
  /** @param {Kenny.Stored[]} changes */
  const write = (changes) => attempt([...new Set(changes.map(({ store }) => store))], (store) => {
    for (const { store: name, key, value } of changes) if (value === undefined) store(name).delete(key); else store(name).put(value, key);
  });
  return {
    all: async () => {
      const { changes, forget } = last.left();
      if (changes.length) await write(changes).then(forget);
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
    write: (changes) => { void write(changes).then(last.writing(changes)); },
    replace: (rows, list) => void attempt(["conversations", "meta"], (store) => {
      store("conversations").clear();
      for (const row of rows) store("conversations").put(row, row.id);
      store("meta").put(list, "list");
    }),
    leave: async (all) => { if (closed) return; closed = true; await clear(db, all); },
  };
}
