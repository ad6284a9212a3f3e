// One row of the list: its link, menu, marks and snippet.
import { ask, clone, onClick, say, slot } from "./dom.js";
import { openMenu } from "./menu.js";
import { fill, gettext } from "../core/gettext.js";
import { titleOf } from "../core/search.js";
import { iso, long, short } from "../core/times.js";

/** @typedef {{ el: HTMLElement, show: (row: Kenny.Row, isCurrent: boolean, now: number, marks: import("../core/marks.js").Mark[]) => void }} RowView */

/** @returns {RowView} */
export function rowView() {
  const el = clone("t-row");
  const [link, options] = [/** @type {HTMLAnchorElement} */ (slot(el, "link")), slot(el, "options")];
  /** @type {Kenny.Row | null} */
  let shown = null;
  /** @type {unknown[]} */
  let seen = [];
  onClick(options, () => { if (shown) openMenu(options, shown, link); });
  link.addEventListener("keydown", (event) => {
    if (event.key === "F2" && shown) { event.preventDefault(); ask(el, { type: "rename", id: shown.id, at: link, title: titleOf(shown) }); }
  });
  return { el, show: (row, isCurrent, now, marks) => {
    const words = marks.map(({ text }) => text).join(" · ");
    const next = [row, isCurrent, Math.floor(now / 60_000), words];
    if (next.every((value, i) => value === seen[i])) return;
    if (row !== shown) draw(el, link, options, row);
    [seen, shown] = [next, row];
    if (isCurrent) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
    say(slot(el, "mark"), words);
    slot(el, "mark").classList.toggle("wait", marks.some(({ code }) => code === "wait" || code === "unsent"));
    say(slot(el, "time"), short(row.updatedAt, now));
  } };
}

/** @param {HTMLElement} el @param {HTMLAnchorElement} link @param {HTMLElement} options @param {Kenny.Row} row */
function draw(el, link, options, row) {
  const title = titleOf(row);
  el.dataset["id"] = row.id;
  link.href = `/c/${encodeURIComponent(row.id)}`;
  say(link, title);
  link.title = title;
  options.setAttribute("aria-label", fill(gettext("Options for %(title)s"), { title }));
  say(slot(el, "agent"), row.agentId ?? "workspace");
  const time = /** @type {HTMLTimeElement} */ (slot(el, "time"));
  [time.dateTime, time.title] = [iso(row.updatedAt), long(row.updatedAt)];
  const snippet = slot(el, "snippet");
  snippet.hidden = !row.snippet?.length;
  snippet.replaceChildren(...(row.snippet ?? []).map(([text, hit]) => {
    const part = document.createElement(hit ? "mark" : "span");
    part.textContent = text;
    return part;
  }));
}
