// Preferences on their way to the account; the language also to this browser, which asks for the next page in it.

const YEAR = 31_536_000;

/** @param {string} name @param {string} value "" forgets it */
export const setCookie = (name, value) => {
  document.cookie = `${name}=${value}; path=/; max-age=${value ? YEAR : 0}; samesite=lax${location.protocol === "https:" ? "; secure" : ""}`;
};

/** @param {{ call: import("./api.js").Api, tell: (event: Kenny.Event) => void, offered: (offer: any) => void }} world @returns {Record<string, (effect: any) => void>} */
export const preferring = ({ call, tell, offered }) => ({
  prefer: async ({ change, before }) => {
    const answer = await call("PATCH", "/api/preferences", { body: change });
    tell(answer.ok ? { type: "preferred", preferences: answer.data, change } : { type: "preferFailed", before, error: answer.error });
  },
  /** Without the server's lists, the choice made is still shown. */
  offers: async () => { const answer = await call("GET", "/api/chat/models"); if (answer.ok) offered(answer.data); },
  language: ({ language }) => { setCookie("language", language ?? ""); location.reload(); },
});
