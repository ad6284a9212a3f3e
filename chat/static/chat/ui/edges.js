// What a message is by its place: the first of a day, or one of the last, which can be edited or answered anew.
import { clone, slot } from "./dom.js";
import { dayName, dayOf, iso } from "../core/times.js";

/**
 * @param {(message: Kenny.Message) => HTMLElement | undefined} elementOf @param {Kenny.Message[]} all @param {Kenny.Message[]} shown the last of them
 * @param {boolean} isResting nothing runs or waits
 */
export function edges(elementOf, all, shown, isResting) {
  const last = new Set(isResting ? [lastOf(shown, "user"), lastOf(shown, "assistant")] : []);
  let before = all.slice(0, all.length - shown.length).findLast(asked)?.at ?? null;
  for (const message of shown) {
    const el = elementOf(message);
    el?.classList.toggle("last", last.has(message));
    if (!el || !asked(message)) continue;
    day(el, before !== null && dayOf(before) === dayOf(message.at ?? 0) ? null : message.at);
    before = message.at;
  }
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
