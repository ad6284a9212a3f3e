// What was still on its way into the database when a page went: a transaction ends with its page, localStorage does not. A tab that stays takes it over
// at once, else the account's next page does.

const PRECIOUS = ["outbox", "drafts"];

/** @param {string} name of the account's database */
const prefixOf = (name) => `${name}:leaving:`;

/** @param {string} name @returns {string[]} */
const keysOf = (name) => Object.keys(localStorage).filter((key) => key.startsWith(prefixOf(name)));

/** Nothing of it comes back. @param {string} name */
export function forgetLeft(name) {
  try { for (const key of keysOf(name)) localStorage.removeItem(key); } catch { /* then nothing was left either */ }
}

/** Calls back when a page of the account left something. @param {string} name @param {() => void} tell */
export const hearLeft = (name, tell) => addEventListener("storage", ({ key, newValue }) => { if (newValue && key?.startsWith(prefixOf(name))) tell(); });

/** @param {string} name @param {Kenny.Stored} change each under a key of its own: one too large keeps no other away */
function leave(name, change) {
  try { localStorage.setItem(prefixOf(name) + Math.random(), JSON.stringify(change)); } catch { /* too large or forbidden: the transaction may still make it */ }
}

/** What is no change of ours goes too, and keeps no other away. @param {string} key @returns {Kenny.Stored[]} */
function taken(key) {
  const left = localStorage.getItem(key);
  localStorage.removeItem(key);
  try { const change = JSON.parse(left ?? ""); return PRECIOUS.includes(change?.store) && typeof change.key === "string" ? [change] : []; } catch { return []; }
}

/** @typedef {{ writing: (changes: Kenny.Stored[]) => () => void, take: () => Kenny.Stored[], putBack: (changes: Kenny.Stored[]) => void, drop: () => void }} Leaving */

/** @param {string} name of the account's database @returns {Leaving} */
export function leaving(name) {
  /** @type {Map<string, Kenny.Stored>} */
  const under = new Map();
  addEventListener("pagehide", () => { for (const change of under.values()) leave(name, change); });
  return {
    /** Notes what is being written; to be called back when it is. */
    writing: (changes) => {
      const precious = changes.filter(({ store }) => PRECIOUS.includes(store));
      for (const change of precious) under.set(`${change.store} ${change.key}`, change);
      return () => { for (const change of precious) if (under.get(`${change.store} ${change.key}`) === change) under.delete(`${change.store} ${change.key}`); };
    },
    /** Hands over what pages left, once: what comes later to the same key is newer. */
    take: () => { try { return keysOf(name).flatMap(taken); } catch { return []; } },
    putBack: (changes) => { for (const change of changes) leave(name, change); },
    /** The account removes all it has here: nothing of this page is left either. */
    drop: () => under.clear(),
  };
}
