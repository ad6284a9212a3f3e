// Clicks that mean the same wherever they happen: a new chat, a row, a copy button, a dialog's buttons.
import { ask } from "./dom.js";

/** Listens once for the whole page. */
export const listen = () => document.addEventListener("click", (event) => {
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return; // a new tab, the browser's own
  const at = /** @type {Element} */ (event.target);
  const hit = (/** @type {string} */ name) => /** @type {HTMLElement | null} */ (at.closest(name));
  const [row, copier, as] = [hit("li.row a"), hit("[data-copy]"), hit("[data-as]")];
  const dialog = /** @type {HTMLDialogElement | null} */ (hit("dialog"));
  if (row || hit("[data-new]")) event.preventDefault();
  const command = hit("[data-command]")?.dataset["command"];
  if (command) ask(document, { type: command });
  if (hit("[data-new]")) ask(document, { type: "new" });
  if (row) ask(document, { type: "visit", id: row.closest("li")?.dataset["id"] ?? null });
  if (copier) ask(document, { type: "copy", text: copier.closest("figure")?.querySelector("pre")?.textContent ?? "", from: copier });
  if (dialog && (at === dialog || hit("[data-close]") || as)) dialog.close();
  if (as && dialog) ask(document, { type: "exportAs", id: dialog.dataset["id"], title: dialog.dataset["title"], as: as.dataset["as"] });
});
