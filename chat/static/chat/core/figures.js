// Tokens, money and how full the context is, in words.
import { fill, gettext, language, number } from "./gettext.js";

const KINDS = ["input_tokens", "output_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"];
/** From these parts of the window on the reader is warned. */
const NEAR = 80;
const FULL = 95;

/** @param {Record<string, number> | undefined} usage */
export const tokensOf = (usage) => KINDS.reduce((sum, kind) => sum + (usage?.[kind] ?? 0), 0);

/** @param {number} millionths of a dollar @returns {string} */
export function money(millionths) {
  const format = new Intl.NumberFormat(language(), { style: "currency", currency: "USD", minimumFractionDigits: 2, maximumFractionDigits: 4 });
  return millionths > 0 && millionths < 100 ? `<${format.format(0.0001)}` : format.format(millionths / 1e6);
}

/** @param {number} tokens @param {number} cost @returns {string} */
const both = (tokens, cost) => fill(gettext("%(tokens)s tokens · %(cost)s"), { tokens: number(tokens), cost: money(cost) });

/** What a turn used. @param {Kenny.Ended | null | undefined} ended @returns {string | null} */
export const used = (ended) => (ended && tokensOf(ended.usage) ? both(tokensOf(ended.usage), ended.cost ?? 0) : null);

/** The same in full, with the model that answered. @param {Kenny.Ended} ended @returns {string} */
export function usedInFull({ usage, model }) {
  const [input = 0, output = 0, written = 0, read = 0] = KINDS.map((kind) => usage[kind] ?? 0);
  return fill(gettext("%(model)s: %(input)s tokens read, %(cached)s of them from the cache, %(output)s written"), {
    model, input: number(input + written + read), cached: number(read), output: number(output),
  });
}

/** The newest turn that ended. @param {Kenny.Message[]} messages */
const newest = (messages) => messages.findLast((message) => message.used)?.used;

/** What the whole conversation used. @param {Kenny.Message[]} messages @returns {string | null} */
export function spent(messages) {
  const sum = newest(messages)?.spent;
  return sum?.tokens ? fill(gettext("This conversation: %(used)s"), { used: both(sum.tokens, sum.cost) }) : null;
}

/**
 * How full the context is, in percent, with a warning in words where it is nearly full; null where nobody knows.
 * @param {Kenny.Message[]} messages @returns {{ percent: number, label: string, warning: string | null } | null}
 */
export function fullness(messages) {
  const { contextTokens, contextWindow } = newest(messages)?.usage ?? {};
  if (!contextTokens || !contextWindow) return null;
  const percent = Math.min(100, Math.floor((contextTokens / contextWindow) * 100));
  const values = { percent: new Intl.NumberFormat(language(), { style: "percent" }).format(percent / 100) };
  const label = fill(gettext("Context %(percent)s full"), values);
  if (percent < NEAR) return { percent, label, warning: null };
  const warning = percent < FULL ? gettext("This conversation is getting long: %(percent)s of what Claude can read is used.")
    : gettext("This conversation is almost too long: %(percent)s of what Claude can read is used. Go on in a new one.");
  return { percent, label, warning: fill(warning, values) };
}
