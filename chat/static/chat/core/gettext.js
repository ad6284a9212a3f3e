// The page's words in the reader's language. The catalogue comes with the page (Django's own); without one, English is shown as written.

/** @type {{ language: string, catalog: Record<string, string | string[]>, plural: (n: number) => number }} */
const known = { language: "en", catalog: {}, plural: (n) => (n === 1 ? 0 : 1) };

/** Takes a catalogue as Django's JSON one has it, and its language. @param {{ catalog?: Record<string, string | string[]>, language?: string }} words */
export function learn(words) { [known.catalog, known.language] = [words.catalog ?? {}, words.language ?? "en"]; }

/** What `Intl` is told: the language of the page, with the reader's region where it is known. */
export const language = () => known.language;

/** A number as the reader writes it. @param {number} n @returns {string} */
export const number = (n) => n.toLocaleString(known.language);

/** @param {string} text @returns {string} */
export function gettext(text) {
  const found = known.catalog[text];
  return typeof found === "string" && found ? found : text;
}

/** What the server said, in the reader's language where it is one of its fixed sentences. @param {string} said @returns {string} */
export const translated = (said) => gettext(said);

/** @param {string} one @param {string} many @param {number} n @returns {string} */
export function ngettext(one, many, n) {
  const form = known.plural(n);
  const found = known.catalog[one];
  return (Array.isArray(found) && found[form]) || (form ? many : one);
}

/** Puts values in the places `%(name)s` of a text. @param {string} text @param {Record<string, string | number>} values @returns {string} */
export const fill = (text, values) => text.replace(/%\((\w+)\)s/g, (place, name) => (name in values ? String(values[name]) : place));
