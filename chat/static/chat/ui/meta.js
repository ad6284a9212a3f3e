// The line below a message: when it was said, what it used, what can be done with it.
import { ask, onClick, say, slot } from "./dom.js";
import { wayOut } from "./outcome.js";
import { used, usedInFull } from "../core/figures.js";
import { gettext } from "../core/gettext.js";
import { iso, long, time } from "../core/times.js";

/** @typedef {(message: Kenny.Message) => void} Show */

/** @param {HTMLElement} el a person's message @returns {Show} */
export function userMeta(el) {
  /** @type {Kenny.Message | null} */
  let shown = null;
  const button = (/** @type {string} */ name, /** @type {() => Kenny.Event} */ event) => onClick(slot(el, name), () => ask(el, event()));
  button("again", () => ({ type: "again", turnId: shown?.turnId }));
  button("cancel", () => ({ type: "cancel", turnId: shown?.turnId }));
  button("copy", () => ({ type: "copy", text: slot(el, "text").textContent ?? "", from: slot(el, "copy") }));
  button("edit", () => ({ type: "editLast" }));
  return (message) => {
    if (message === shown) return; // with every word that streams in, each message is shown again
    shown = message;
    const unsent = message.status === "unsent";
    const state = unsent ? `${gettext("Not sent.")} ${message.problem ?? ""}` : message.status === "queued" ? gettext("Waiting to be sent") : message.status === "sending" ? gettext("Sending") : null;
    say(slot(el, "state"), state);
    slot(el, "again").hidden = !unsent;
    slot(el, "cancel").hidden = !state || message.status === "sending";
    slot(el, "cancel").textContent = unsent ? gettext("Delete") : gettext("Cancel");
    slot(el, "acts").hidden = message.status !== null;
    slot(el, "copy").hidden = !message.text;
    sayTime(slot(el, "time"), message.at);
    el.classList.toggle("unsent", unsent);
  };
}

/** @param {HTMLElement} el an answer @returns {Show} */
export function answerMeta(el) {
  /** @type {Kenny.Message | null} */
  let shown = null;
  onClick(slot(el, "copy"), () => ask(el, { type: "copyMessage", message: shown, from: slot(el, "copy") }));
  onClick(slot(el, "again"), () => ask(el, { type: "retry" }));
  return (message) => {
    if (message === shown) return;
    shown = message;
    slot(el, "meta").hidden = message.mark !== null || message.busy;
    slot(el, "copy").hidden = !message.text;
    slot(el, "again").hidden = message.outcome !== null && wayOut(message.outcome) !== null;
    sayTime(slot(el, "time"), message.at);
    say(slot(el, "used"), used(message.used));
    slot(el, "used").title = message.used ? usedInFull(message.used) : "";
  };
}

/** Short in the text, in full for who asks. @param {HTMLElement} el @param {number | null} at */
function sayTime(el, at) {
  say(el, at === null ? null : time(at));
  if (at !== null) Object.assign(el, { dateTime: iso(at), title: long(at) });
}
