// The arguments of a call, whole, with everything visible that hides.
import { argument, pieces, rows } from "../core/visible.js";

/** @param {HTMLElement} list a dl @param {unknown} args */
export function showArgs(list, args) {
  const key = JSON.stringify(args) ?? "";
  if (list.dataset["shown"] === key) return;
  list.dataset["shown"] = key;
  list.replaceChildren(...rows(args).flatMap(([name, value]) => {
    const { text, kind } = argument(value);
    const term = document.createElement("dt");
    term.append(...seen(name));
    const said = document.createElement("dd");
    said.append(...(text ? seen(text) : [note("empty")]));
    if (kind) said.append(" ", note(kind));
    if (text.length > 400 || text.split("\n").length > 8) said.tabIndex = 0; // it scrolls: the keyboard must reach it
    return [term, said];
  }));
  list.hidden = !list.childElementCount;
}

/** @param {string} text */
const seen = (text) => pieces(text).map((piece) => {
  if (!piece.odd) return piece.text;
  const mark = document.createElement("mark");
  mark.textContent = piece.text;
  return mark;
});

/** @param {string} text */
function note(text) {
  const el = document.createElement("span");
  el.className = "kind";
  el.textContent = text;
  return el;
}
