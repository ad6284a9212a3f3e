// Light, dark, and what the system says: a choice of this browser, kept in a cookie, so that the server writes it into the next page.
import { ask, onClick } from "./dom.js";
import { setCookie } from "../io/prefer.js";
import { gettext } from "../core/gettext.js";

const root = document.documentElement;
const button = /** @type {HTMLElement} */ (document.querySelector("[data-theme-switch]"));
const isDark = () => (theme() || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";

/** "light", "dark", or "" for the system's. */
export const theme = () => root.dataset["theme"] ?? "";

/** Shows what another tab chose. @param {string} name */
export function showTheme(name) {
  if (name) root.dataset["theme"] = name;
  else delete root.dataset["theme"];
  button.textContent = isDark() ? gettext("Light theme") : gettext("Dark theme");
}

/** @param {string} name */
export function chooseTheme(name) {
  setCookie("theme", name);
  showTheme(name);
  ask(button, { type: "theme", theme: name });
}

export const switchTheme = () => chooseTheme(isDark() ? "light" : "dark");

/** Begins to listen to the switch and to the system. */
export function listenToTheme() {
  showTheme(theme());
  onClick(button, switchTheme);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => showTheme(theme()));
}
