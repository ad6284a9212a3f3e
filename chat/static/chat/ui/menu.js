// The menu of one conversation, and its title edited in place.
import { ask, clone, onClick } from "./dom.js";
import { titleOf } from "../core/search.js";
import { fill, gettext } from "../core/gettext.js";

/** @param {HTMLElement} button @param {Kenny.Row} row @param {HTMLElement} title the element a new title is written in place of */
export function openMenu(button, row, title) {
  const menu = clone("t-menu");
  const items = /** @type {HTMLElement[]} */ ([...menu.querySelectorAll("[role=menuitem]")]);
  label(menu, "pin", row.pinned ? gettext("Unpin") : gettext("Pin"));
  label(menu, "archive", row.archived ? gettext("Unarchive") : gettext("Archive"));
  menu.setAttribute("aria-label", fill(gettext("Options for %(title)s"), { title: titleOf(row) }));
  for (const item of items) {
    onClick(item, () => { menu.hidePopover(); ask(button, { ...events(row, title)[item.dataset["do"] ?? ""], type: typeOf(item) }); });
  }
  menu.addEventListener("keydown", (event) => {
    const at = items.indexOf(/** @type {HTMLElement} */ (document.activeElement));
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1 }[event.key];
    if (to !== undefined) { event.preventDefault(); items.at(to % items.length)?.focus(); }
    if (event.key === "Tab") menu.hidePopover();
  });
  menu.addEventListener("toggle", (event) => {
    if (/** @type {ToggleEvent} */ (event).newState !== "closed") return;
    button.setAttribute("aria-expanded", "false");
    if (menu.contains(document.activeElement) || document.activeElement === document.body) button.focus();
    menu.remove();
  });
  button.after(menu);
  button.setAttribute("aria-expanded", "true");
  menu.showPopover();
  place(menu, button.getBoundingClientRect());
  items[0]?.focus();
}

/** @param {HTMLElement} item */
const typeOf = (item) => ({ pin: "change", archive: "change" })[item.dataset["do"] ?? ""] ?? item.dataset["do"] ?? "";

/** @param {Kenny.Row} row @param {HTMLElement} title @returns {Record<string, object>} */
const events = (row, title) => ({
  rename: { id: row.id, at: title, title: titleOf(row) }, pin: { id: row.id, change: { pinned: !row.pinned } },
  archive: { id: row.id, change: { archived: !row.archived } }, export: { id: row.id, title: titleOf(row) }, remove: { id: row.id },
});

/** @param {HTMLElement} menu @param {string} name @param {string} text */
function label(menu, name, text) {
  const item = menu.querySelector(`[data-do="${name}"]`);
  if (item) item.textContent = text;
}

/** @param {HTMLElement} menu @param {DOMRect} by */
function place(menu, by) {
  const { width, height } = menu.getBoundingClientRect();
  menu.style.left = `${Math.max(8, Math.min(by.left, innerWidth - width - 8))}px`;
  menu.style.top = `${by.bottom + height + 8 > innerHeight ? Math.max(8, by.top - height - 4) : by.bottom + 4}px`;
}

/** Writes a title in place: Enter saves, Escape leaves it, empty keeps the old. @param {HTMLElement} title @param {string} old @param {(now: string) => void} save */
export function renameIn(title, old, save) {
  const input = /** @type {HTMLInputElement} */ (clone("t-rename"));
  input.value = old;
  title.hidden = true;
  title.after(input);
  let over = false;
  const end = (/** @type {boolean} */ keep) => {
    if (over) return;
    over = true;
    const [text, held] = [input.value.trim(), document.activeElement === input];
    input.remove();
    title.hidden = false;
    if (held) title.focus();
    if (keep && text && text !== old) save(text);
  };
  input.addEventListener("keydown", (event) => {
    event.stopPropagation();
    if (event.key === "Escape" || (event.key === "Enter" && !event.isComposing)) { event.preventDefault(); end(event.key === "Enter"); }
  });
  input.addEventListener("blur", () => end(true));
  input.focus();
  input.select();
}
