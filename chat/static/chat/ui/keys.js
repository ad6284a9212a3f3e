// One listener for all keys over the table of commands, and the list of keys that people can look at.
import { ask, clone, say, slot } from "./dom.js";
import { commandOf, COMMANDS, keysOf } from "../core/commands.js";

export const isMac = /Mac|iP(hone|ad)/.test(navigator.platform);

const TEXTS = "input:not([type=checkbox], [type=radio], [type=button], [type=submit]), textarea, select, [contenteditable]";

/** @param {() => Kenny.State} state */
export const listenToKeys = (state) => document.addEventListener("keydown", (event) => {
  if (event.isComposing || event.defaultPrevented) return;
  const inText = event.target instanceof Element && event.target.matches(TEXTS);
  const command = commandOf(state(), { key: event.key, ctrl: event.ctrlKey || event.metaKey, shift: event.shiftKey, alt: event.altKey, inText });
  // A dialog has the keys for itself, but that of the palette closes it.
  const dialog = document.querySelector("dialog[open]");
  if (!command || (dialog && !(dialog.id === "palette" && command.id === "palette"))) return;
  event.preventDefault();
  ask(document, command.event(state()));
});

/** @param {HTMLElement} list */
export const listKeys = (list) => list.replaceChildren(...COMMANDS.filter((command) => command.key).map((command) => {
  const line = clone("t-key");
  say(slot(line, "keys"), keysOf(command, isMac));
  say(slot(line, "what"), command.label(/** @type {any} */ (null)));
  return line;
}));
