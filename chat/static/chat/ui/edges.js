// What a message is by its place: the first of a day, or one of the last, which can be edited or answered anew.
import { clone, slot } from "./dom.js";
import { dayName, dayOf, iso } from "../core/times.js";

/**
 * @param {(message: Kenny.Message) => HTMLElement | undefined} elementOf @param {Kenny.Message[]} all @param {Kenny.Message[]} shown the last of them
 * @param {boolean} isResting nothing runs or waits
 */
export function edges(elementOf, all, shown, isResting) {
  markLast(isResting ? [lastOf(shown, "user"), lastOf(shown, "assistant")].map((message) => message && elementOf(message)) : []);
  let before = all.slice(0, all.length - shown.length).findLast(asked)?.at ?? null;
  for (const message of shown) {
    if (!asked(message)) continue;
    const el = elementOf(message);
    const at = before !== null && dayOf(before) === dayOf(message.at ?? 0) ? null : message.at;
    if (el && days.get(el) !== at) { day(el, at); days.set(el, at); }
    before = message.at;
  }
}

/** The day that each message names: most name none, and with every word that streams in they are asked again. @type {WeakMap<HTMLElement, number | null>} */
const days = new WeakMap();

/** @param {(HTMLElement | undefined)[]} elements */
function markLast(elements) {
  for (const el of document.querySelectorAll(".turn.last")) if (!elements.includes(/** @type {HTMLElement} */ (el))) el.classList.remove("last");
  for (const el of elements) el?.classList.add("last");
}

/** Days are told by what a person said. @param {Kenny.Message} message */
const asked = (message) => message.role === "user" && message.at !== null;

/** @param {Kenny.Message[]} shown @param {string} role */
const lastOf = (shown, role) => shown.findLast((message) => message.role === role);

/** @param {HTMLElement} el @param {number | null} at */
function day(el, at) {
  const line = el.querySelector(":scope > .day");
  if (at === null) { line?.remove(); return; }
  if (line) { name(line, at); return; }
  const made = clone("t-day");
  name(made, at);
  el.prepend(made);
}

/** @param {Element} line @param {number} at */
function name(line, at) {
  const time = /** @type {HTMLTimeElement} */ (slot(line, "day"));
  const [words, when] = [dayName(at), iso(at).slice(0, 10)];
  if (time.textContent !== words) time.textContent = words;
  time.dateTime = when;
}
