// Render trees as data: [tag, attrs, ...children], text is a string. Nothing here knows the page.
import { fill, gettext, ngettext } from "./gettext.js";

/**
 * Continues a list of nodes as the server says: [first that differs, how it goes on, ...new ones after it].
 * What did not change keeps its identity, so the page can skip it.
 * @param {Kenny.Node[]} old @param {Kenny.Delta} delta @returns {Kenny.Node[]}
 */
export function grow(old, [at, how, ...rest]) {
  const kept = old.slice(0, at);
  const last = old[at];
  if (typeof how === "string") kept.push((typeof last === "string" ? last : "") + how);
  else if (how && Array.isArray(last)) kept.push([last[0], last[1], ...grow(children(last), how.in)]);
  return [...kept, ...rest];
}

/** @param {Kenny.Node} node @returns {Kenny.Node[]} */
export const children = (node) => (typeof node === "string" ? [] : /** @type {Kenny.Node[]} */ (node.slice(2)));

/** Whether two trees show the same. @param {unknown} a @param {unknown} b @returns {boolean} */
export function same(a, b) {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((item, i) => same(item, b[i]));
  if (!a || !b || typeof a !== "object" || typeof b !== "object") return false;
  const [left, right] = [/** @type {Record<string, unknown>} */ (a), /** @type {Record<string, unknown>} */ (b)];
  const keys = Object.keys(left);
  return keys.length === Object.keys(right).length && keys.every((key) => same(left[key], right[key]));
}

const BREAKS = new Set(["p", "h1", "h2", "h3", "h4", "h5", "h6", "li", "tr", "br", "hr", "blockquote"]);

/** The words of a tree for a screen reader: code is named, never read out. @param {Kenny.Node[]} nodes @returns {string} */
export function words(nodes) {
  return nodes.map(speak).join("").replace(/\s+/g, " ").trim();
}

/** @param {Kenny.Node} node @returns {string} */
function speak(node) {
  if (typeof node === "string") return node;
  if (node[0] === "pre") return ` ${codeLabel(node)}. `;
  if (node[0] === "math") return node[1]?.["alttext"] ?? "";
  const inner = children(node).map(speak).join(node[0] === "tr" ? " " : "");
  return BREAKS.has(node[0]) ? `${inner} ` : inner;
}

/** @param {Exclude<Kenny.Node, string>} node */
function codeLabel(node) {
  const lines = raw(node).replace(/\n$/, "").split("\n").length;
  const name = node[1]?.["data-lang"];
  const n = fill(ngettext("%(n)s line", "%(n)s lines", lines), { n: lines });
  return name ? fill(gettext("Code, %(language)s, %(lines)s"), { language: name, lines: n }) : fill(gettext("Code, %(lines)s"), { lines: n });
}

/** All text of a node as it stands. @param {Kenny.Node} node @returns {string} */
export const raw = (node) => (typeof node === "string" ? node : children(node).map(raw).join(""));
