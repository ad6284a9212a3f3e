// What earlier accounts of this browser left: the read cache goes when somebody else is here, what was not sent waits for its owner.
import { clear, nameOf, open } from "./database.js";

/** @param {string} account the one that is signed in, or "" */
export async function sweep(account) {
  try {
    for (const { name } of await indexedDB.databases()) {
      if (!name?.startsWith("kenny:") || name === nameOf(account)) continue;
      await clear(await open(name), false);
    }
  } catch { /* where nothing can be listed or opened, nothing was kept either, or the next start will do it */ }
}
