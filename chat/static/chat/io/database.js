// IndexedDB "kenny:ACCOUNT": opening and emptying it, and its requests and transactions as promises.

export const STORES = /** @type {const} */ (["conversations", "messages", "outbox", "drafts", "meta"]);
const READ = /** @type {const} */ (["conversations", "messages", "meta"]); // what the server has too
const PATIENCE = 2_000;

/** @param {string} account */
export const nameOf = (account) => `kenny:${account}`;

/** @template T @param {IDBRequest<T>} request @returns {Promise<T>} */
export const answer = (request) => new Promise((resolve, reject) => { request.onsuccess = () => resolve(request.result); request.onerror = () => reject(request.error); });

/** @param {IDBTransaction} work @returns {Promise<void>} */
export const over = (work) => new Promise((resolve, reject) => {
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
