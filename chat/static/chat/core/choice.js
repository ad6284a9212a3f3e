// Model, effort and agent: of the open conversation, or of the one that the next message begins.
import { handlers as library } from "./library.js";

const EFFORTS = ["low", "medium", "high", "xhigh", "max"];

/** What is chosen; "" is the server's own choice. @param {Kenny.State} s @returns {Kenny.Picked} */
export function chosen(s) {
  const row = s.current ? s.library.rows[s.current] : undefined;
  if (!row) return { model: s.preferences.model ?? "", effort: "", agent: s.preferences.agentId ?? "", ...s.choice };
  const { model, effort } = /** @type {Record<string, unknown>} */ (row.settings ?? {});
  return { model: text(model), effort: text(effort), agent: row.agentId ?? "" };
}

/** @param {unknown} value */
const text = (value) => (typeof value === "string" ? value : "");

/** The efforts a model takes; of one that nobody listed, all. @param {Kenny.State} s @param {string} model @returns {string[]} */
export const effortsOf = (s, model) => entryOf(s, model || (s.offer?.default ?? ""))?.efforts ?? EFFORTS;

/** @param {Kenny.State} s @param {string} model */
export const entryOf = (s, model) => s.offer?.models.find((entry) => entry.id === model);

/** What a new conversation is begun with: nothing where nothing was chosen. @param {Kenny.State} s */
export function begun(s) {
  const { model, effort, agent } = chosen({ ...s, current: null });
  const settings = { ...(model ? { model } : {}), ...(effort ? { effort } : {}) };
  return { ...(model || effort ? { settings } : {}), ...(agent ? { agentId: agent } : {}) };
}

/** A conversation that the server has not got is made by its first message, with what is chosen now. @param {Kenny.State} s @param {Kenny.Row} row @param {object} choice @returns {Kenny.State} */
const withFirst = (s, row, choice) => (row.version !== undefined ? s
  : { ...s, outbox: s.outbox.map((parcel) => (parcel.conversationId === row.id && (!parcel.sent || parcel.problem) ? { ...parcel, ...choice } : parcel)) });

/** @type {Kenny.Handlers} */
export const handlers = {
  choose: (s, { change, now }) => {
    const next = { ...chosen(s), ...change };
    if (next.effort && !effortsOf(s, next.model).includes(next.effort)) next.effort = "";
    const row = s.current ? s.library.rows[s.current] : undefined;
    if (!s.current || !row) return [{ ...s, choice: next }, []];
    const { model: _model, effort: _effort, ...others } = /** @type {Record<string, unknown>} */ (row.settings ?? {});
    const settings = { ...others, ...(next.model ? { model: next.model } : {}), ...(next.effort ? { effort: next.effort } : {}) };
    const agent = next.agent && next.agent !== row.agentId ? { agentId: next.agent } : {};
    return /** @type {Kenny.Handlers[string]} */ (library["change"])(withFirst(s, row, { settings, ...agent }), { type: "change", id: s.current, change: { settings, ...agent }, now });
  },
  offered: (s, { offer }) => [{ ...s, offer }, []],
};
