// What was still on its way into the database when a page went: a transaction ends with its page, localStorage does not. The account's next page writes it.

const PRECIOUS = ["outbox", "drafts"];

/** @typedef {{ writing: (changes: Kenny.Stored[]) => () => void, left: () => { changes: Kenny.Stored[], forget: () => void } }} Leaving */

/** @param {string} name of the account's database @returns {Leaving} */
export function leaving(name) {
  /** @type {Map<string, Kenny.Stored>} */
  const under = new Map();
  const prefix = `${name}:leaving:`;
  addEventListener("pagehide", () => {
    if (!under.size) return;
    try { localStorage.setItem(prefix + Math.random(), JSON.stringify([...under.values()])); } catch { /* too large or forbidden: the transaction may still make it */ }
  });
  return {
    /** Notes what is being written; to be called back when it is. */
    writing: (changes) => {
      const precious = changes.filter(({ store }) => PRECIOUS.includes(store));
      for (const change of precious) under.set(`${change.store} ${change.key}`, change);
      return () => { for (const change of precious) if (under.get(`${change.store} ${change.key}`) === change) under.delete(`${change.store} ${change.key}`); };
    },
    left: () => {
      try {
        const names = Object.keys(localStorage).filter((key) => key.startsWith(prefix));
        return {
          changes: names.flatMap((key) => JSON.parse(localStorage.getItem(key) ?? "[]")),
          forget: () => { for (const key of names) localStorage.removeItem(key); },
        };
      } catch { return { changes: [], forget: () => undefined }; }
    },
  };
}
