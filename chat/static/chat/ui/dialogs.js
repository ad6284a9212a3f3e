// What opens a dialog or moves the focus: the commands that need the page and nothing else.
import { listKeys } from "./keys.js";
import { palette } from "./palette.js";
import { switchTheme } from "./theme.js";

const dialog = (/** @type {string} */ id) => /** @type {HTMLDialogElement} */ (document.getElementById(id));

/** @param {{ state: () => Kenny.State, closeDrawer: () => void, openDrawer: () => void, settings: () => void }} world @returns {Record<string, (event: any) => void>} */
export function dialogs({ state, closeDrawer, openDrawer, settings }) {
  const keys = dialog("keys");
  listKeys(/** @type {HTMLElement} */ (keys.querySelector("dl")));
  return {
    palette: palette(state),
    recent: () => dialog("recent").showModal(),
    settings,
    keys: () => keys.showModal(),
    account: () => location.assign("/accounts/"),
    switchTheme,
    searchBox: ({ text }) => {
      const box = /** @type {HTMLInputElement} */ (document.getElementById("search"));
      openDrawer();
      box.focus();
      if (text === undefined) return;
      box.value = text;
      box.dispatchEvent(new Event("input"));
    },
    step: ({ by }) => { closeDrawer(); step(by); },
  };
}

/** From message to message; past the last one is the message box. @param {number} by */
function step(by) {
  const all = /** @type {HTMLElement[]} */ ([...document.querySelectorAll("chat-transcript article")]);
  const held = all.findIndex((message) => message.contains(document.activeElement));
  const to = held === -1 ? (by < 0 ? all.length - 1 : all.length) : Math.max(0, held + by);
  const next = all[to] ?? document.getElementById("message");
  if (next instanceof HTMLElement && next.tagName === "ARTICLE") next.tabIndex = -1;
  next?.focus({ preventScroll: next.tagName !== "ARTICLE" });
}
