// The palette: one box over conversations and commands. The focus stays in the box; the list is told by aria-activedescendant.
import { ask, clone, onClick, say, slot } from "./dom.js";
import { isMac } from "./keys.js";
import { keysOf } from "../core/commands.js";
import { fill, gettext, ngettext } from "../core/gettext.js";
import { offers } from "../core/palette.js";

/** @param {() => Kenny.State} state @returns {() => void} what opens it, or closes it when it is open */
export function palette(state) {
  const dialog = /** @type {HTMLDialogElement} */ (document.getElementById("palette"));
  const box = /** @type {HTMLInputElement} */ (slot(dialog, "box"));
  const [list, told] = [slot(dialog, "list"), slot(dialog, "told")];
  /** @type {{ el: HTMLElement, event: Kenny.Event }[]} */
  let options = [];
  let at = 0;

  const mark = (/** @type {number} */ to) => {
    options[at]?.el.setAttribute("aria-selected", "false");
    at = options.length ? (to + options.length) % options.length : 0;
    const now = options[at]?.el;
    now?.setAttribute("aria-selected", "true");
    now?.scrollIntoView({ block: "nearest" });
    box.setAttribute("aria-activedescendant", now?.id ?? "");
  };
  const choose = (/** @type {number} */ index) => {
    const { event } = options[index] ?? {};
    if (!event) return;
    dialog.close();
    ask(document, event);
  };
  const option = (/** @type {Kenny.PaletteItem} */ choice) => {
    const el = clone("t-option");
    const index = options.length;
    el.id = `option-${index}`;
    say(slot(el, "label"), choice.label);
    say(slot(el, "keys"), choice.command ? keysOf(choice.command, isMac) : null);
    onClick(el, () => choose(index));
    el.addEventListener("pointermove", () => { if (at !== index) mark(index); });
    options.push({ el, event: choice.event });
    return el;
  };
  const show = () => {
    options = [];
    const groups = offers(state(), box.value).map((offer, i) => {
      const el = clone("t-offer");
      const label = slot(el, "label");
      label.id = `offer-${i}`;
      say(label, offer.label);
      el.setAttribute("aria-labelledby", label.id);
      el.append(...offer.choices.map(option));
      return el;
    });
    list.replaceChildren(...groups);
    const n = options.length;
    list.hidden = !n;
    box.setAttribute("aria-expanded", String(n > 0));
    told.textContent = n ? fill(ngettext("%(n)s choice", "%(n)s choices", n), { n }) : gettext("Nothing is called that.");
    mark(0);
  };
  box.addEventListener("input", show);
  box.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") { event.preventDefault(); mark(at + (event.key === "ArrowDown" ? 1 : -1)); }
    if (event.key === "Enter") { event.preventDefault(); choose(at); }
  });
  return () => {
    if (dialog.open) { dialog.close(); return; }
    box.value = "";
    dialog.showModal();
    show();
  };
}
