// Which model answers, with which effort, and which tools it has: of this conversation, or of the one that is about to begin.
import { ask, say, slot } from "./dom.js";
import { chosen, effortsOf, entryOf } from "../core/choice.js";
import { fill, gettext } from "../core/gettext.js";

/** @type {Record<string, string>} */
const EFFORTS = { low: gettext("Low"), medium: gettext("Medium"), high: gettext("High"), xhigh: gettext("Very high"), max: gettext("Greatest") };
/** @type {Record<string, string>} */
const AGENTS = { workspace: gettext("Workspace"), kenny: gettext("Conversations only") };

/** @param {HTMLElement} root @returns {(state: Kenny.State) => void} */
export function picker(root) {
  const names = /** @type {const} */ (["model", "effort", "agent"]);
  const boxes = names.map((name) => /** @type {HTMLSelectElement} */ (slot(root, name)));
  const button = slot(root, "choice");
  /** @type {unknown[]} */
  let seen = [];
  boxes.forEach((box, i) => box.addEventListener("change", () => ask(root, { type: "choose", change: { [names[i] ?? ""]: box.value } })));
  return (state) => {
    const row = state.current ? state.library.rows[state.current] : undefined;
    const now = [state.offer, state.choice, state.preferences, row?.settings, row?.agentId, state.current];
    if (seen.length && now.every((value, i) => value === seen[i])) return;
    seen = now;
    const choice = chosen(state);
    const lists = [models(state, choice), efforts(state, choice), agents(state, choice)];
    boxes.forEach((box, i) => draw(box, lists[i] ?? [], choice[names[i] ?? "model"]));
    say(slot(root, "unlisted"), state.offer ? null : gettext("The list of models could not be loaded. What is chosen still works."));
    const model = entryOf(state, choice.model || (state.offer?.default ?? ""))?.name ?? choice.model;
    const words = [model || gettext("Model"), EFFORTS[choice.effort] ?? choice.effort].filter(Boolean).join(" · ");
    if (button.textContent !== words) button.textContent = words;
    button.setAttribute("aria-label", fill(gettext("%(choice)s: choose model, effort and tools"), { choice: words }));
  };
}

/** @typedef {[value: string, label: string]} Option */

/** @param {Kenny.State} state @param {Kenny.Picked} choice @returns {Option[]} */
function models({ offer }, { model }) {
  const listed = offer?.models ?? [];
  const standard = listed.find((entry) => entry.id === offer?.default)?.name;
  const known = model === "" || listed.some((entry) => entry.id === model);
  const other = /** @type {Option} */ ([model, offer ? fill(gettext("%(name)s (not offered here)"), { name: model }) : model]);
  return [
    ["", standard ? fill(gettext("Default (%(name)s)"), { name: standard }) : gettext("Default")],
    ...listed.map((entry) => /** @type {Option} */ ([entry.id, entry.name])), ...(known ? [] : [other]),
  ];
}

/** @param {Kenny.State} state @param {Kenny.Picked} choice @returns {Option[]} */
function efforts(state, { model, effort }) {
  const all = effortsOf(state, model);
  const names = effort && !all.includes(effort) ? [...all, effort] : all;
  return [["", gettext("Default")], ...names.map((name) => /** @type {Option} */ ([name, EFFORTS[name] ?? name]))];
}

/** @param {Kenny.State} state @param {Kenny.Picked} choice @returns {Option[]} */
function agents({ offer }, { agent }) {
  const ids = offer?.agents.map(({ id }) => id) ?? [];
  const all = agent && !ids.includes(agent) ? [...ids, agent] : ids;
  return (all.length ? all : [""]).map((id) => [id, id ? AGENTS[id] ?? id : gettext("Default")]);
}

/** @param {HTMLSelectElement} box @param {Option[]} options @param {string} value */
function draw(box, options, value) {
  const same = box.length === options.length && options.every(([id, label], i) => box.options[i]?.value === id && box.options[i]?.text === label);
  if (!same) box.replaceChildren(...options.map(([id, label]) => new Option(label, id)));
  box.value = options.some(([id]) => id === value) ? value : (options[0]?.[0] ?? "");
  box.disabled = options.length < 2;
}
