// When a page that is older than its server may load itself anew: only when nobody would notice and nothing could be lost.
import { pending } from "./pending.js";
import { liveTurn } from "./talk.js";

/** Whether it is idle and empty; that nobody looks is the page's to know. @param {Kenny.State} s @returns {boolean} */
export const mayRenew = (s) => s.stale && s.link === "open" && !pending(s).length && !s.undo.length && !s.problem
  && !Object.values(s.talks).some((talk) => liveTurn(talk));
