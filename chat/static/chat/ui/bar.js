// The line above the transcript and the window's title.
import { onClick, slot } from "./dom.js";
import { openMenu } from "./menu.js";
import { titleOf } from "../core/search.js";
import { isGone } from "../core/undo.js";
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
    const absent = talk?.loaded === "missing" ? gettext("Not found") : talk?.loaded === "deleted" || isGone(state, state.current) ? gettext("Deleted") : "";
    const text = row ? titleOf(row) : absent || talk?.title || gettext("New chat");
    if (!title.hidden && title.textContent !== text) title.textContent = text;
    options.hidden = !row;
    const named = fill(gettext("Options for %(title)s"), { title: text });
    if (options.ariaLabel !== named) options.ariaLabel = named;
    const waiting = Object.values(state.library.rows).some((other) => other.live?.status === "held");
    const whole = `${waiting ? "● " : ""}${text} · kenny`;
    if (document.title !== whole) document.title = whole;
    const picture = waiting ? icon?.dataset["waiting"] : calm;
    if (icon && picture && icon.getAttribute("href") !== picture) icon.href = picture;
    if (document.body.dataset["link"] !== state.link) document.body.dataset["link"] = state.link;
  };
}
