// Preferences on their way to the account; the language also to this browser, which asks for the next page in it.

const YEAR = 31_536_000;

/** @param {string} name @param {string} value "" forgets it */
export const setCookie = (name, value) => {
  document.cookie = `${name}=${value}; path=/; max-age=${value ? YEAR : 0}; samesite=lax${location.protocol === "https:" ? "; secure" : ""}`;
};

/** @param {{ account: string, call: import("./api.js").Api, tell: (event: Kenny.Event) => void, offered: (offer: any) => void }} world @returns {Record<string, (effect: any) => void>} */
export function preferring({ account, call, tell, offered }) {
  const others = new BroadcastChannel(`kenny:preferences:${account}`); // the tabs of the same person
  others.onmessage = ({ data }) => tell({ type: "preferred", preferences: data, change: {} });
  return {
    prefer: async ({ change, before }) => {
      const answer = await call("PATCH", "/api/preferences", { body: change });
      if (!answer.ok) { tell({ type: "preferFailed", before, error: answer.error }); return; }
      // Only what was sent: an answer may be older than a change made since.
      const preferences = Object.fromEntries(Object.keys(change).map((name) => [name, answer.data[name]]));
      others.postMessage(preferences);
      tell({ type: "preferred", preferences, change });
    },
    /** Without the server's lists, the choice made is still shown. */
    offers: async () => { const answer = await call("GET", "/api/chat/models"); if (answer.ok) offered(answer.data); },
    language: ({ language }) => { setCookie("language", language ?? ""); location.reload(); },
  };
}
