// The line above the transcript, the window's title and the drawer on a phone.
import { onClick, slot } from "./dom.js";
import { openMenu } from "./menu.js";
import { titleOf } from "../core/search.js";
import { fill, gettext } from "../core/gettext.js";

/** @returns {(state: Kenny.State) => void} */
export function bar() {
  const main = /** @type {HTMLElement} */ (document.getElementById("main"));
  const icon = /** @type {HTMLLinkElement | null} */ (document.querySelector("link[rel=icon]"));
  const calm = icon?.getAttribute("href");
  const [title, options] = [slot(main, "title"), slot(main, "options")];
  /** @type {Kenny.Row | undefined} */
  let row;
  onClick(options, () => { if (row) openMenu(options, row, title); });
  return (state) => {
    const talk = state.current ? state.talks[state.current] : undefined;
    row = state.current ? state.library.rows[state.current] : undefined;
    const text = row ? titleOf(row) : (talk?.loaded === "missing" ? gettext("Not found") : talk?.title) || gettext("New chat");
    if (!title.hidden && title.textContent !== text) title.textContent = text;
    options.hidden = !row;
    options.setAttribute("aria-label", fill(gettext("Options for %(title)s"), { title: text }));
    const waiting = Object.values(state.library.rows).some((other) => other.live?.status === "held");
    const whole = `${waiting ? "● " : ""}${text} · kenny`;
    if (document.title !== whole) document.title = whole;
    const picture = waiting ? icon?.dataset["waiting"] : calm;
    if (icon && picture && icon.getAttribute("href") !== picture) icon.href = picture;
    document.body.dataset["link"] = state.link;
  };
}

/** On a phone the list is a drawer before the page. @returns {{ open: () => void, close: () => void }} */
export function drawer() {
  const [button, side] = [document.querySelector("[data-drawer]"), document.getElementById("sidebar")];
  const narrow = matchMedia("(max-width: 47.99rem)");
  const set = (/** @type {boolean} */ open) => {
    document.body.classList.toggle("drawer", open);
    button?.setAttribute("aria-expanded", String(open));
    // All but the title, so that the page keeps its main part and its heading.
    for (const part of document.querySelectorAll("main > :not(.bar), .bar button")) /** @type {HTMLElement} */ (part).inert = open;
  };
  const close = () => { if (document.body.classList.contains("drawer")) set(false); };
  const open = () => { if (narrow.matches) set(true); };
  button?.addEventListener("click", () => { open(); /** @type {HTMLElement | null} */ (side?.querySelector("button"))?.focus(); });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !event.defaultPrevented && document.body.classList.contains("drawer")) { close(); /** @type {HTMLElement} */ (button).focus(); }
  });
  document.addEventListener("click", (event) => { if (event.target === document.querySelector(".page") || event.target === document.body) close(); });
  narrow.addEventListener("change", close);
  return { open, close };
}
