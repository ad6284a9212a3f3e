// <chat-notices>: the one dock above the composer. Connection, errors and Undo stand here, so that nothing covers anything.
import { ask, clone, onClick, say, slot } from "./dom.js";
import { titleOf } from "../core/search.js";
import { fill, gettext } from "../core/gettext.js";

const UNDO = 10_000; // visible time
const UNDO_AT_MOST = 60_000;
const TICK = 250;

/** @type {Partial<Record<Kenny.Link, { text: string, action?: [string, Kenny.Event | string] }>>} */
const LINKS = {
  offline: { text: gettext("You are offline. Messages wait here and are sent when you are back.") },
  lost: { text: gettext("Reconnecting…"), action: [gettext("Try now"), { type: "reconnect" }] },
  "signed-out": { text: gettext("You are signed out."), action: [gettext("Sign in"), "/accounts/login/"] },
  stranger: { text: gettext("Somebody else signed in in this browser."), action: [gettext("Reload"), { type: "reload" }] },
};

export class Notices extends HTMLElement {
  /** @type {unknown[]} */ #seen = [];
  /** @type {Kenny.State["undo"]} */ #undo = null;

  /** @param {Kenny.State} state */
  show(state) {
    const seen = [state.link, state.stale, state.problem, state.undo];
    if (seen.every((value, i) => value === this.#seen[i])) return;
    this.#seen = seen;
    const held = this.contains(document.activeElement);
    const keep = this.#undo === state.undo ? this.querySelector(".undo") : null;
    const link = LINKS[state.link];
    /** @type {Element[]} */
    const lines = [];
    if (link) lines.push(line("warn", link.text, link.action));
    if (state.stale) lines.push(line("plain", gettext("A new version is ready."), [gettext("Reload"), { type: "reload" }]));
    if (state.problem) lines.push(line("danger", state.problem.message, [gettext("Dismiss"), { type: "problem", error: null }]));
    if (state.undo) lines.push(keep ?? this.#undoBar(state.undo));
    this.#undo = state.undo;
    this.replaceChildren(...lines);
    if (held && keep) slot(keep, "undo").focus();
  }

  /** Counts only time in which it can be seen and nobody is at it. @param {NonNullable<Kenny.State["undo"]>} undo */
  #undoBar(undo) {
    const el = clone("t-undo");
    say(slot(el, "text"), fill(gettext("Deleted “%(title)s”"), { title: titleOf(undo.row) }));
    onClick(slot(el, "undo"), () => ask(el, { type: "undo" }));
    let [seen, all] = [0, 0];
    const timer = setInterval(() => {
      if (this.#undo !== undo) return clearInterval(timer);
      all += TICK;
      if (!document.hidden && !el.matches(":hover, :focus-within")) seen += TICK;
      if (seen < UNDO && all < UNDO_AT_MOST) return undefined;
      clearInterval(timer);
      ask(this, { type: "undoOver" });
      return undefined;
    }, TICK);
    return el;
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
