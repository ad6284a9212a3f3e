// The whole page as a pure function: (state, event) -> [state, effects]. No page, no clock, no network, no chance.
import { handlers as account, isLocked } from "./account.js";
import { handlers as again } from "./again.js";
import { handlers as choice } from "./choice.js";
import { handlers as clock } from "./clock.js";
import { handlers as connection } from "./connection.js";
import { handlers as conversation } from "./conversation.js";
import { handlers as elsewhere } from "./elsewhere.js";
import { handlers as emptying } from "./emptying.js";
import { handlers as gates } from "./gates.js";
import { handlers as kept } from "./kept.js";
import { empty, handlers as library } from "./library.js";
import { copy } from "./maps.js";
import { handlers as opening } from "./opening.js";
import { flush } from "./outbox.js";
import { NONE, handlers as preferences } from "./preferences.js";
import { handlers as undo } from "./undo.js";
import { flushWrites } from "./writes.js";

/** @param {Pick<Kenny.Config, "account" | "static" | "limits"> & { tab?: string, preferences?: Partial<Kenny.Preferences> }} config @returns {Kenny.State} */
export const initial = ({ account, static: digest, limits, tab = "", preferences: own = {} }) => ({
  preferences: { ...NONE, ...own },
  account, limits, static: digest, stale: false, link: "connecting", current: null, library: empty(), talks: copy(), homes: copy(), outbox: [], held: [],
  drafts: copy(), offer: null, choice: null, handing: null, undo: [], problem: null, search: { query: "", hits: null },
  tab, leads: false, cut: false, clockIsOff: false, settling: false, durable: true, writes: copy(), kept: copy(), news: [], seen: copy(),
});

/** @type {Kenny.Handlers} */
const handlers = { ...account, ...again, ...choice, ...clock, ...connection, ...conversation, ...elsewhere, ...emptying, ...gates, ...kept, ...library, ...opening, ...preferences, ...undo };

/**
 * Takes one event. An event nobody knows changes nothing: an old page outlives a new server. Nor does any once the account has left: an answer that
 * was on its way belongs to somebody who is gone, and what became of a write is found out by that account's next page.
 * @param {Kenny.State} state @param {Kenny.Event} event @returns {Kenny.Step}
 */
export function reduce(state, event) {
  const handler = handlers[event.type];
  if (!handler || isLocked(state)) return [state, []];
  const [next, effects] = handler(state, event);
  if (event.type === "elsewhere") return [next, effects]; // what another tab did is its own to send
  const [written, first] = flushWrites(next, event["now"] ?? 0); // deletes go before the list is asked for
  const [sent, last] = flush(written, event["now"] ?? 0);
  return [sent, [...first, ...effects, ...last]];
}
