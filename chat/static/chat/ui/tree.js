// Draws render trees. Nodes are made, never parsed; tags and attributes come from closed sets on this side too.
import { clone, slot } from "./dom.js";
import { mathElement } from "./maths.js";
import { children, same } from "../core/tree.js";
import { fill, gettext } from "../core/gettext.js";

const TAGS = new Set("p br hr h2 h3 h4 h5 h6 em strong s code pre span a ul ol li blockquote table thead tbody tr th td".split(" "));
const ATTRS = new Set(["class", "href", "rel", "start", "data-lang"]);
const BLOCKS = new Set("p h2 h3 h4 h5 h6 li blockquote td th".split(" "));
const SAFE = /^(https?:|mailto:)/i;

/** @param {Kenny.Node} node @returns {globalThis.Node} */
export function make(node) {
  if (typeof node === "string") return document.createTextNode(node);
  const formula = mathElement(node[0], node[1]);
  if (formula) { formula.append(...children(node).map(make)); return formula; }
  const el = document.createElement(TAGS.has(node[0]) ? node[0] : "span");
  for (const [name, value] of Object.entries(node[1] ?? {})) {
    if (ATTRS.has(name) && (name !== "href" || SAFE.test(value))) el.setAttribute(name, value);
  }
  if (BLOCKS.has(node[0])) el.dir = "auto";
  if (node[0] === "a" && el.hasAttribute("href")) { el.setAttribute("target", "_blank"); el.setAttribute("rel", "noopener noreferrer nofollow"); }
  el.append(...children(node).map(make));
  if (node[0] === "pre") return framed(el);
  if (el.className === "math") Object.assign(el, { tabIndex: 0, role: "group", ariaLabel: gettext("Formula"), dir: "ltr" });
  if (node[0] === "table") { const box = clone("t-wide"); box.append(el); return box; }
  return el;
}

/** @param {HTMLElement} pre */
function framed(pre) {
  const figure = clone("t-code");
  const name = pre.dataset["lang"] || gettext("text");
  slot(figure, "name").textContent = name;
  pre.tabIndex = 0;
  pre.setAttribute("role", "group");
  pre.setAttribute("aria-label", fill(gettext("%(language)s code"), { language: name }));
  figure.append(pre);
  return figure;
}

/** The element that holds a node's own children. @param {globalThis.Node} el */
const inner = (el) => (el instanceof Element && el.matches("figure.code, div.wide") ? /** @type {Element} */ (el.lastElementChild) : el);

/**
 * Makes the children of `el`, drawn from `old`, show `now`. What is the same is not touched: selections and positions stay.
 * @param {globalThis.Node} el @param {Kenny.Node[]} old @param {Kenny.Node[]} now
 */
export function patch(el, old, now) {
  for (let i = 0; i < now.length; i += 1) {
    const [before, after, child] = [old[i], /** @type {Kenny.Node} */ (now[i]), el.childNodes[i]];
    if (before === after) continue;
    if (before === undefined || !child) el.appendChild(make(after));
    else if (!continued(child, before, after)) el.replaceChild(make(after), child);
  }
  while (el.childNodes.length > now.length) el.lastChild?.remove();
}

/** @param {globalThis.Node} child @param {Kenny.Node} before @param {Kenny.Node} after @returns {boolean} */
function continued(child, before, after) {
  if (typeof before === "string" || typeof after === "string") {
    if (typeof before !== "string" || typeof after !== "string") return false;
    const data = /** @type {Text} */ (child);
    if (after.startsWith(before)) data.appendData(after.slice(before.length));
    else data.data = after;
    return true;
  }
  if (before[0] !== after[0] || !same(before[1], after[1])) return false;
  patch(inner(child), children(before), children(after));
  return true;
}

/** Gives headings levels without a jump, whatever the text did; the look stays the tag's. @param {Element} root */
export function levels(root) {
  let last = 1;
  for (const heading of root.querySelectorAll("h2,h3,h4,h5,h6")) {
    const own = Number(heading.tagName[1]);
    last = Math.min(own, last + 1);
    if (last === own) heading.removeAttribute("aria-level");
    else heading.setAttribute("aria-level", String(last));
  }
}
