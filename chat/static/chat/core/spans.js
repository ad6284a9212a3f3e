// How long something took, in few characters.
import { fill, gettext, number } from "./gettext.js";

/** Tenths below ten seconds, then whole ones, then minutes. @param {number} ms @returns {string} */
export function span(ms) {
  const seconds = ms / 1000;
  if (seconds < 9.95) return fill(gettext("%(n)s s"), { n: number(Math.round(seconds * 10) / 10) });
  const whole = Math.round(seconds);
  if (whole < 60) return fill(gettext("%(n)s s"), { n: number(whole) });
  return fill(gettext("%(minutes)s min %(seconds)s s"), { minutes: number(Math.floor(whole / 60)), seconds: number(whole % 60) });
}

/** Whole seconds, at least one. @param {number} ms @returns {string} */
export const seconds = (ms) => span(Math.max(1, Math.round(ms / 1000)) * 1000);
