// Whose page this is: the line to the server, who signed in or out in this browser, which of its tabs does the work of those that are gone.
import { gettext } from "./gettext.js";
import { empty } from "./library.js";
import { copy } from "./maps.js";
import { hurry } from "./writes.js";

/** Of the account nothing is left on the page; what waits to be sent is kept by the browser for the same account alone. @param {Kenny.State} s @param {"locked" | "stranger"} link @returns {Kenny.State} */
export const locked = (s, link) => ({
  ...s, link, current: null, library: empty(), talks: copy(), homes: copy(), outbox: [], held: [], drafts: copy(), undo: [], writes: copy(), kept: copy(), news: [],
  seen: copy(), problem: null, search: { query: "", hits: null },
});

/** @type {Kenny.News} */
export const MEMORY = { key: "memory", kind: "memory", id: "", title: "" };

/** The account of this page left the browser. @param {Kenny.State} s */
export const isLocked = ({ link }) => link === "locked" || link === "stranger";

/** @type {Kenny.Handlers} */
export const handlers = {
  link: (s, { link }) => {
    if (s.link === link) return [s, []];
    if (link === "locked" || link === "stranger") return [locked(s, link), [{ do: "close" }]];
    if (s.link === "signed-out") return [s, []];
    if (link === "lost" || (link === "offline" && s.link !== "lost")) return [{ ...s, link, cut: true }, s.cut ? [] : [{ do: "announce", text: gettext("The connection is lost") }]];
    if (link !== "offline" && s.link === "offline") return [hurry({ ...s, link }), []]; // the network is back
    return [{ ...s, link }, []];
  },
  /** The same person gave the password again. */
  signedIn: (s) => (s.link === "signed-out" ? [hurry({ ...s, link: "connecting" }), [{ do: "announce", text: gettext("Signed in again") }, { do: "reconnect" }]] : [s, []]),
  leads: (s, { on }) => [{ ...s, leads: on }, []],
  /** Only one tab takes over what was made in tabs that are gone. */
  alive: (s, { tabs }) => {
    const isGone = (/** @type {string | undefined} */ tab) => tab !== s.tab && !tabs.includes(tab);
    if (!s.leads || ![...s.outbox, ...Object.values(s.writes)].some(({ tab }) => isGone(tab))) return [s, []];
    const writes = copy(s.writes);
    for (const write of Object.values(writes)) if (isGone(write.tab)) writes[write.key] = { ...write, tab: s.tab, due: 0, out: false };
    return [{ ...s, writes, outbox: s.outbox.map((parcel) => (isGone(parcel.tab) ? { ...parcel, tab: s.tab, sent: false } : parcel)) }, []];
  },
  /** Somebody may have signed out: the server knows. */
  ask: (s) => [s, [{ do: "pull" }]],
  durable: (s, { on }) => [{ ...s, durable: on, news: on ? s.news : [...s.news, MEMORY] }, []],
};
