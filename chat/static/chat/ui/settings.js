// The settings: what holds for the account on every device, the theme of this browser, and the end of all conversations.
import { ask, onClick, say, slot } from "./dom.js";
import { chooseTheme, theme } from "./theme.js";
import { fill, gettext, ngettext, number } from "../core/gettext.js";

const dialog = (/** @type {string} */ id) => /** @type {HTMLDialogElement} */ (document.getElementById(id));

/** @typedef {HTMLInputElement | HTMLSelectElement} Field */

/** @returns {{ open: () => void, show: (state: Kenny.State) => void }} */
export function settings() {
  const [all, sure] = [dialog("settings"), dialog("remove-all")];
  /** @type {unknown[]} */
  let seen = [];
  all.addEventListener("change", (event) => {
    const { name, value } = /** @type {Field} */ (event.target);
    if (name === "theme") chooseTheme(value);
    else ask(document, { type: "prefer", change: { [name]: value || null } });
  });
  onClick(slot(all, "remove-all"), () => { all.close(); sure.showModal(); });
  onClick(slot(sure, "yes"), () => { sure.close(); ask(document, { type: "removeAll" }); });

  const show = (/** @type {Kenny.State} */ state) => {
    const now = [state.preferences, state.library.rows, theme()];
    if (now.every((value, i) => value === seen[i])) return;
    seen = now;
    for (const field of /** @type {NodeListOf<Field>} */ (all.querySelectorAll("[name]"))) {
      const value = field.name === "theme" ? theme() : /** @type {any} */ (state.preferences)[field.name] ?? "";
      if (field.type === "radio") /** @type {HTMLInputElement} */ (field).checked = field.value === value;
      else choose(/** @type {HTMLSelectElement} */ (field), value);
    }
    const n = Object.keys(state.library.rows).length;
    /** @type {HTMLButtonElement} */ (slot(all, "remove-all")).disabled = n === 0;
    say(slot(all, "count"), n ? fill(ngettext("There is %(n)s conversation.", "There are %(n)s conversations.", n), { n: number(n) }) : gettext("There are none."));
    say(slot(sure, "title"), fill(ngettext("Delete %(n)s conversation?", "Delete all %(n)s conversations?", n), { n: number(n) }));
    say(slot(sure, "yes"), fill(ngettext("Delete %(n)s conversation", "Delete %(n)s conversations", n), { n: number(n) }));
  };
  return { open: () => all.showModal(), show };
}

/** A choice that is not offered any more is still shown. @param {HTMLSelectElement} box @param {string} value */
function choose(box, value) {
  if (value && ![...box.options].some((option) => option.value === value)) box.add(new Option(value, value));
  box.value = value;
}

/** Fills the two lists that the server knows. @param {{ models: { id: string, name: string }[], default: string, agents: { id: string }[] }} offer */
export function fillOffers(offer) {
  const put = (/** @type {string} */ name, /** @type {[string, string][]} */ options) => {
    const box = /** @type {HTMLSelectElement} */ (dialog("settings").querySelector(`[name=${name}]`));
    const { value } = box;
    box.replaceChildren(...options.map(([id, text]) => new Option(text, id)));
    choose(box, value);
  };
  const standard = offer.models.find((model) => model.id === offer.default)?.name ?? offer.default;
  put("model", [["", fill(gettext("Default (%(name)s)"), { name: standard })], ...offer.models.map(({ id, name }) => /** @type {[string, string]} */ ([id, name]))]);
  put("agentId", [["", fill(gettext("Default (%(name)s)"), { name: offer.agents[0]?.id ?? "" })], ...offer.agents.map(({ id }) => /** @type {[string, string]} */ ([id, id]))]);
}
