// The whole page as a pure function: (state, event) -> [state, effects]. No page, no clock, no network, no chance.
import { handlers as connection } from "./connection.js";
import { handlers as conversation } from "./conversation.js";
import { handlers as gates } from "./gates.js";
import { empty, handlers as library } from "./library.js";
import { copy } from "./maps.js";
import { flush } from "./outbox.js";
import { handlers as undo } from "./undo.js";

/** @param {Pick<Kenny.Config, "account" | "static" | "limits">} config @returns {Kenny.State} */
export const initial = ({ account, static: digest, limits }) => ({
  account, limits, static: digest, stale: false, link: "connecting", current: null, library: empty(), talks: copy(), homes: copy(), outbox: [], held: [],
  drafts: copy(), undo: [], problem: null, search: { query: "", hits: null },
});

/** @type {Kenny.Handlers} */
const handlers = { ...connection, ...conversation, ...gates, ...library, ...undo };

/**
 * Takes one event. An event nobody knows changes nothing: an old page outlives a new server.
 * @param {Kenny.State} state @param {Kenny.Event} event @returns {Kenny.Step}
 */
export function reduce(state, event) {
  const handler = handlers[event.type];
  if (!handler) return [state, []];
  const [next, effects] = handler(state, event);
  const [sent, more] = flush(next);
  return [sent, [...effects, ...more]];
}
