// The one table of commands: keys, palette and the list of keys read it. No key works in a text field unless it has a modifier.
import { gettext } from "./gettext.js";
import { titleOf } from "./search.js";
import { liveTurn } from "./talk.js";
import { restorable } from "./undo.js";

/** The open conversation, if the list has it. @param {Kenny.State} s */
const open = (s) => (s.current === null ? undefined : s.library.rows[s.current]);
/** @param {Kenny.State} s */
const hasOpen = (s) => open(s) !== undefined;
/** @param {string} type @returns {(s: Kenny.State) => Kenny.Event} */
const just = (type) => () => ({ type });
/** @param {string} type @param {(row: Kenny.Row) => object} [more] @returns {(s: Kenny.State) => Kenny.Event} */
const onOpen = (type, more) => (s) => { const row = open(s); return { type, id: s.current, ...(row ? more?.(row) : {}) }; };

/** @type {Kenny.Command[]} */
export const COMMANDS = [
  { id: "new", label: () => gettext("New chat"), key: "o", ctrl: true, shift: true, event: just("new") },
  { id: "palette", label: () => gettext("Find a conversation or a command"), key: "k", ctrl: true, event: just("palette") },
  { id: "search", label: () => gettext("Search conversations"), key: "/", event: just("searchBox") },
  { id: "focus", label: () => gettext("Go to the message box"), key: "escape", shift: true, event: just("focus") },
  { id: "previous", label: () => gettext("Previous message"), key: "arrowup", alt: true, event: () => ({ type: "step", by: -1 }) },
  { id: "next", label: () => gettext("Next message"), key: "arrowdown", alt: true, event: () => ({ type: "step", by: 1 }) },
  { id: "stop", label: () => gettext("Stop the answer"), event: just("stop"), when: (s) => s.current !== null && liveTurn(s.talks[s.current]) !== undefined },
  { id: "undo", label: () => gettext("Undo the last delete"), key: "z", ctrl: true, isOfText: true, event: just("undo"), when: (s) => restorable(s).length > 0 },
  { id: "recent", label: () => gettext("Recently deleted"), event: just("recent") },
  { id: "rename", label: () => gettext("Rename this conversation"), event: onOpen("rename", (row) => ({ title: titleOf(row) })), when: hasOpen },
  { id: "pin", label: (s) => (open(s)?.pinned ? gettext("Unpin this conversation") : gettext("Pin this conversation")),
    event: onOpen("change", (row) => ({ change: { pinned: !row.pinned } })), when: hasOpen },
  { id: "archive", label: (s) => (open(s)?.archived ? gettext("Unarchive this conversation") : gettext("Archive this conversation")),
    event: onOpen("change", (row) => ({ change: { archived: !row.archived } })), when: hasOpen },
  { id: "export", label: () => gettext("Export this conversation"), event: onOpen("export", (row) => ({ title: titleOf(row) })), when: hasOpen },
  { id: "remove", label: () => gettext("Delete this conversation"), event: onOpen("remove"), when: hasOpen },
  { id: "settings", label: () => gettext("Settings"), key: ",", ctrl: true, event: just("settings") },
  { id: "theme", label: () => gettext("Switch between light and dark"), event: just("switchTheme") },
  { id: "keys", label: () => gettext("List of keys"), key: "/", ctrl: true, event: just("keys") },
  { id: "account", label: () => gettext("Your account"), event: just("account") },
];

/** What can be done now. @param {Kenny.State} s */
export const possible = (s) => COMMANDS.filter((command) => command.when?.(s) ?? true);

/**
 * The command that a key press means. A shifted "/" is one too: on many keyboards it has no key of its own.
 * @param {Kenny.State} s @param {Kenny.Press} pressed @returns {Kenny.Command | undefined}
 */
export const commandOf = (s, { key, ctrl, shift, alt, inText }) => {
  const isBare = !ctrl && !alt && !(shift && key.length > 1);
  if (inText && isBare) return undefined;
  return possible(s).find((c) => c.key === key.toLowerCase() && Boolean(c.ctrl) === ctrl && Boolean(c.alt) === alt
    && (Boolean(c.shift) === shift || key === "/") && !(inText && c.isOfText));
};

/** @type {Record<string, () => string>} */
const NAMES = { escape: () => gettext("Esc"), arrowup: () => "↑", arrowdown: () => "↓" };

/** The keys of a command as they stand on the keyboard. @param {Kenny.Command} command @param {boolean} isMac @returns {string} */
export function keysOf({ key, ctrl, shift, alt }, isMac) {
  if (!key) return "";
  const name = NAMES[key]?.() ?? key.toUpperCase();
  if (isMac) return `${ctrl ? "⌘" : ""}${alt ? "⌥" : ""}${shift ? "⇧" : ""}${name}`;
  return [...(ctrl ? [gettext("Ctrl")] : []), ...(alt ? ["Alt"] : []), ...(shift ? [gettext("Shift")] : []), name].join("+");
}
