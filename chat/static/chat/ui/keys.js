// Reads the table of commands from a key press.
import { commandOf } from "../core/commands.js";

/** @param {KeyboardEvent} event */
export const shortcut = (event) =>
  event.isComposing ? null : commandOf({ key: event.key, ctrl: event.ctrlKey || event.metaKey, shift: event.shiftKey, alt: event.altKey });
