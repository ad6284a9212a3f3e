// Times in words. Everything takes `now`, so that a test can stand anywhere.
import { gettext, language } from "./gettext.js";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** @param {Intl.DateTimeFormatOptions} options @returns {(ms: number) => string} */
const format = (options) => { const f = new Intl.DateTimeFormat(language(), options); return (ms) => f.format(ms); };
const clock = format({ hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
const weekday = format({ weekday: "short" });
const date = format({ day: "numeric", month: "short" });
const longDate = format({ day: "numeric", month: "short", year: "numeric" });
const month = format({ month: "long", year: "numeric" });
const day = format({ weekday: "long", day: "numeric", month: "long", year: "numeric" });
const full = format({ dateStyle: "full", timeStyle: "long" });

/** Whole local days between two moments. @param {number} ms @param {number} now */
const daysAgo = (ms, now) => Math.round((new Date(now).setHours(0, 0, 0, 0) - new Date(ms).setHours(0, 0, 0, 0)) / DAY);

/** @param {number} ms @param {number} now */
export function short(ms, now) {
  const days = daysAgo(ms, now);
  if (days <= 0) return clock(ms);
  if (days === 1) return gettext("Yesterday");
  if (days < 7) return weekday(ms);
  return new Date(ms).getFullYear() === new Date(now).getFullYear() ? date(ms) : longDate(ms);
}

/** @param {number} ms @param {number} now */
export function group(ms, now) {
  const days = daysAgo(ms, now);
  if (days <= 0) return gettext("Today");
  if (days === 1) return gettext("Yesterday");
  if (days <= 7) return gettext("Previous 7 days");
  return days <= 30 ? gettext("Previous 30 days") : month(ms);
}

/** The local day a moment is in, as the moment it began. @param {number} ms */
export const dayOf = (ms) => new Date(ms).setHours(0, 0, 0, 0);

/** @param {number} ms */
export const dayName = (ms) => day(ms);

/** @param {number} ms */
export const time = (ms) => clock(ms);

/** @param {number} ms */
export const long = (ms) => full(ms);

/** @param {number} ms */
export const iso = (ms) => new Date(ms).toISOString();

/** A length of time in one unit: "7 minutes", "3 hours", "2 days". @param {number} ms */
export function lasting(ms) {
  const [unit, one] = /** @type {[string, number]} */ (ms < 2 * HOUR ? ["minute", MINUTE] : ms < 2 * DAY ? ["hour", HOUR] : ["day", DAY]);
  return new Intl.NumberFormat(language(), { style: "unit", unit, unitDisplay: "long", maximumFractionDigits: 0 }).format(ms / one);
}
