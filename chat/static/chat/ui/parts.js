// The parts of an answer in order: text, thinking, calls, gates. What stays is never touched; finished calls in a row become one line.
import { clone, place, say, slot } from "./dom.js";
import { folded } from "../core/parts.js";
import { fill, ngettext, number } from "../core/gettext.js";

/** @typedef {{ face: string, el: HTMLElement, show: (part: any) => void }} PartView */

/**
 * @param {HTMLElement} box @param {Record<string, () => { el: HTMLElement, show: (part: any) => void }>} faces how each kind of part is drawn
 * @returns {{ show: (parts: Kenny.Part[]) => void }}
 */
export function partsIn(box, faces) {
  /** @type {Map<string, PartView>} */
  const views = new Map();
  /** @type {Map<string, { el: HTMLElement, list: HTMLElement, what: HTMLElement }>} */
  const runs = new Map();
  const view = (/** @type {string} */ key, /** @type {Kenny.Part} */ part) => {
    const face = part.kind === "tool" && part.state === "waiting" ? "gate" : part.kind;
    let known = views.get(key);
    if (known?.face !== face) {
      const next = { face, .../** @type {() => any} */ (faces[face])() };
      if (known) replace(known.el, next.el);
      views.set(key, (known = next));
    }
    /** @type {PartView} */ (known).show(part);
    return /** @type {PartView} */ (known).el;
  };
  const run = (/** @type {string} */ key, /** @type {HTMLElement[]} */ els) => {
    const known = runs.get(key) ?? runOf();
    runs.set(key, known);
    say(known.what, fill(ngettext("Used %(n)s tool", "Used %(n)s tools", els.length), { n: number(els.length) }));
    only(known.list, els);
    return known.el;
  };
  return {
    show(parts) {
      const keys = new Map(parts.map((part, i) => [part, part.kind === "tool" ? `call ${part.callId}` : `part ${i}`]));
      const els = new Map(parts.map((part) => [part, view(keys.get(part) ?? "", part)]));
      const elOf = (/** @type {Kenny.Part} */ part) => /** @type {HTMLElement} */ (els.get(part));
      const held = box.contains(document.activeElement) ? /** @type {HTMLElement} */ (document.activeElement) : null;
      only(box, folded(parts).map((item) => (Array.isArray(item) ? run(keys.get(/** @type {Kenny.Part} */ (item[0])) ?? "", item.map(elOf)) : elOf(item))));
      const left = new Set(keys.values());
      for (const name of views.keys()) if (!left.has(name)) views.delete(name);
      for (const [name, { el }] of runs) if (!el.isConnected) runs.delete(name);
      if (held && held !== document.activeElement && held.isConnected) refocus(held);
    },
  };
}

/** @returns {{ el: HTMLElement, list: HTMLElement, what: HTMLElement }} */
function runOf() {
  const el = clone("t-run");
  return { el, list: slot(el, "list"), what: slot(el, "what") };
}

/** Makes these the only children. @param {HTMLElement} parent @param {HTMLElement[]} els */
function only(parent, els) {
  for (let at = place(parent, els); at;) { const next = at.nextElementSibling; at.remove(); at = next; }
}

/** The focus goes with what had it, or to the line that now stands for it. @param {HTMLElement} held */
function refocus(held) {
  const run = held.closest("details.run:not([open])");
  (run?.querySelector("summary") ?? held).focus({ preventScroll: true });
}

/** A decided card leaves; whoever pressed its button goes on with what stands in its place. @param {HTMLElement} old @param {HTMLElement} now */
function replace(old, now) {
  const held = old.contains(document.activeElement);
  old.replaceWith(now);
  if (held) now.querySelector("summary")?.focus({ preventScroll: true });
}
