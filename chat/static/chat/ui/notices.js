// <chat-notices>: the one dock above the composer. Connection, errors and Undo stand here, so that nothing covers anything.
import { ask, clone, onClick, say, slot } from "./dom.js";
import { newsLine } from "./news.js";
import { undoBar } from "./undo.js";
import { gettext } from "../core/gettext.js";

/** @type {Partial<Record<Kenny.Link, { text: string, action?: [string, Kenny.Event | string] }>>} */
const LINKS = {
  offline: { text: gettext("You are offline. Messages wait here and are sent when you are back.") },
  lost: { text: gettext("Reconnecting…"), action: [gettext("Try now"), { type: "reconnect" }] },
};

export class Notices extends HTMLElement {
  /** @type {unknown[]} */ #seen = [];
  #undo = undoBar();

  /** @param {Kenny.State} state */
  show(state) {
    const seen = [state.link, state.stale, state.problem, state.undo, state.library.gone, state.news];
    if (seen.every((value, i) => value === this.#seen[i])) return;
    this.#seen = seen;
    const focused = this.contains(document.activeElement) ? /** @type {HTMLElement} */ (document.activeElement) : null;
    const link = LINKS[state.link];
    /** @type {Element[]} */
    const lines = [];
    if (link) lines.push(line("warn", link.text, link.action));
    if (state.stale) lines.push(line("plain", gettext("A new version is ready."), [gettext("Reload"), { type: "reload" }]));
    if (state.problem) lines.push(line("danger", state.problem.message, [gettext("Dismiss"), { type: "problem", error: null }]));
    for (const news of state.news) lines.push(newsLine(news));
    if (this.#undo.show(state)) lines.push(this.#undo.el);
    this.replaceChildren(...lines);
    if (focused?.isConnected) focused.focus();
  }
}

/** @param {string} tone @param {string} text @param {[string, Kenny.Event | string]} [action] */
function line(tone, text, action) {
  const el = clone("t-notice");
  el.classList.add(tone);
  say(slot(el, "text"), text);
  if (!action) return el;
  const [label, what] = action;
  const button = document.createElement(typeof what === "string" ? "a" : "button");
  button.textContent = label;
  if (button instanceof HTMLAnchorElement) button.href = String(what);
  else { button.type = "button"; onClick(button, () => ask(button, /** @type {Kenny.Event} */ (what))); }
  el.append(button);
  return el;
}

customElements.define("chat-notices", Notices);
