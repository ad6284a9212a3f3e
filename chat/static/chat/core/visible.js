// What nobody can see, made visible: the text of approval cards. The same rule as the server's; tests/contracts/visible.json holds both to it.

// Invisible although their category says letter, mark or symbol: joiners, fillers, variation selectors, blank Braille.
const BLANK = "\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\u{e0100}-\u{e01ef}";
const HIDDEN = new RegExp(`(?![ \\n\\t])[\\p{Cc}\\p{Cf}\\p{Cn}\\p{Co}\\p{Cs}\\p{Zl}\\p{Zp}\\p{Zs}${BLANK}]`, "u");
// A run this long is padding that pushes the rest out of sight; a literal backslash before u{ could pass for an escape.
const ODD = new RegExp(`( {40,}|\\n{40,}|\\t{40,}|\\\\(?=u\\{)|${HIDDEN.source})`, "u");

/**
 * The text in pieces; `odd` ones stand for what cannot be seen.
 * @param {string} text @returns {{ text: string, odd: boolean }[]}
 */
export const pieces = (text) =>
  text.split(ODD).map((piece, i) => ({ text: i % 2 ? escape(piece) : piece, odd: i % 2 === 1 })).filter((piece) => piece.text);

/** @param {string} text */
export const visible = (text) => pieces(text).map((piece) => piece.text).join("");

/** @param {string} run */
function escape(run) {
  const hex = /** @type {number} */ (run.codePointAt(0)).toString(16);
  return [...run].length > 1 ? `\\u{${hex}*${run.length}}` : `\\u{${hex}}`;
}

/**
 * One argument of a call as it is shown: text as it stands, anything else as JSON with its kind said.
 * @param {unknown} value @returns {{ text: string, kind: string | null }}
 */
export function argument(value) {
  if (typeof value === "string") return { text: value, kind: null };
  const kind = value === null ? "null" : Array.isArray(value) ? "list" : typeof value === "object" ? "object" : typeof value;
  return { text: JSON.stringify(value, null, 2) ?? "", kind };
}

/** The arguments of a call as rows; a call whose arguments are no object is shown as one. @param {unknown} args @returns {[string, unknown][]} */
export const rows = (args) => (args && typeof args === "object" && !Array.isArray(args) ? Object.entries(args) : [["arguments", args]]);

const MAIN = ["path", "query", "from", "id", "url", "command", "name"];

/** The argument that says most, on one line. @param {unknown} args @returns {string} */
export function mainArgument(args) {
  const all = rows(args);
  const [, value] = all.find(([name]) => MAIN.includes(name)) ?? all.find(([, v]) => typeof v === "string") ?? all[0] ?? ["", ""];
  return visible(argument(value).text.replace(/\n.*/s, "")).slice(0, 120);
}

const ANSI = /\u001b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[@-Z\\-_])/g;

/** Output of a tool without terminal colours. @param {string} text */
export const plain = (text) => text.replace(ANSI, "");
