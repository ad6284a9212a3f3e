// <chat-sidebar>: conversations by date, search, and each one's menu.
import { ask, clone, keyed, onClick, say, slot } from "./dom.js";
import { openMenu } from "./menu.js";
import { groups, titleOf } from "../core/search.js";
import { iso, long, short } from "../core/times.js";
import { fill, gettext } from "../core/gettext.js";

/** @typedef {{ el: HTMLElement, show: (row: Kenny.Row) => void }} RowView */

export class Sidebar extends HTMLElement {
  /** @type {Map<string, RowView>} */ #rows = new Map();
  /** @type {string} */ #order = "";
  /** @type {unknown[]} */ #seen = [];
  /** @type {string | null} */ #current = null;
  #now = 0;

  connectedCallback() {
    const search = this.#search;
    search.addEventListener("input", () => ask(this, { type: "query", text: search.value }));
    search.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && search.value) { event.preventDefault(); search.value = ""; ask(this, { type: "query", text: "" }); }
    });
    this.addEventListener("keydown", (event) => this.#arrows(event));
  }

  get #search() { return /** @type {HTMLInputElement} */ (this.querySelector("input[type=search]")); }

  /** @param {Kenny.State} state @param {number} now */
  show(state, now) {
    const minute = Math.floor(now / 60_000);
    const seen = [state.library, state.search, state.current, minute];
    if (seen.every((value, i) => value === this.#seen[i])) return;
    [this.#seen, this.#now, this.#current] = [seen, now, state.current];
    const parts = groups(state, now);
    const order = JSON.stringify(parts.map((part) => [part.label, part.rows.map((row) => row.id)]));
    if (order !== this.#order) this.#arrange(parts);
    else for (const part of parts) for (const row of part.rows) this.#rows.get(row.id)?.show(row);
    this.#order = order;
    const query = state.search.query.trim();
    say(slot(this, "none"), parts.length || !state.library.loaded ? null : query ? fill(gettext("No conversation matches “%(query)s”."), { query }) : gettext("No conversations yet."));
  }

  /** Focuses a row, or the button for a new chat. @param {string | null} id */
  focusRow(id) {
    const row = id ? this.#rows.get(id)?.el.querySelector("a") : null;
    (row ?? /** @type {HTMLElement} */ (this.querySelector("button[data-new]"))).focus();
  }

  /** The row after one, for the focus when that one goes. @param {string} id @returns {string | null} */
  after(id) {
    const ids = [...this.querySelectorAll("li.row")].map((li) => /** @type {HTMLElement} */ (li).dataset["id"] ?? null);
    const at = ids.indexOf(id);
    return ids[at + 1] ?? ids[at - 1] ?? null;
  }

  /** @param {Kenny.Group[]} parts */
  #arrange(parts) {
    const focused = this.contains(document.activeElement) ? /** @type {HTMLElement} */ (document.activeElement) : null;
    const old = this.#rows;
    this.#rows = new Map();
    slot(this, "list").replaceChildren(...parts.map((part, i) => {
      const el = clone("t-group");
      const [head, list] = [slot(el, "label"), slot(el, "rows")];
      head.textContent = part.label;
      head.id = `group-${i}`;
      list.setAttribute("aria-labelledby", head.id);
      keyed(list, new Map(), part.rows, (row) => row.id, (row) => {
        const view = old.get(row.id) ?? this.#row();
        this.#rows.set(row.id, view);
        return view;
      });
      return el;
    }));
    if (focused?.isConnected && focused !== document.activeElement) focused.focus();
  }

  /** @returns {RowView} */
  #row() {
    const el = clone("t-row");
    const [link, options] = [/** @type {HTMLAnchorElement} */ (slot(el, "link")), slot(el, "options")];
    /** @type {Kenny.Row | null} */
    let shown = null;
    onClick(options, () => { if (shown) openMenu(options, shown, link); });
    link.addEventListener("keydown", (event) => { if (event.key === "F2" && shown) ask(el, { type: "rename", id: shown.id, at: link, title: titleOf(shown) }); });
    return { el, show: (row) => { shown = row; this.#draw(el, link, options, row); } };
  }

  /** @param {HTMLElement} el @param {HTMLAnchorElement} link @param {HTMLElement} options @param {Kenny.Row} row */
  #draw(el, link, options, row) {
    el.dataset["id"] = row.id;
    link.href = `/c/${row.id}`;
    say(link, titleOf(row));
    link.title = titleOf(row);
    if (row.id === this.#current) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
    options.setAttribute("aria-label", fill(gettext("Options for %(title)s"), { title: titleOf(row) }));
    const mark = row.live?.status === "held" ? gettext("waiting for you") : row.live ? gettext("answering") : row.version === undefined ? gettext("not synced") : null;
    say(slot(el, "mark"), mark);
    slot(el, "mark").classList.toggle("wait", row.live?.status === "held");
    say(slot(el, "agent"), row.agentId ?? "workspace");
    const time = /** @type {HTMLTimeElement} */ (slot(el, "time"));
    say(time, short(row.updatedAt, this.#now));
    [time.dateTime, time.title] = [iso(row.updatedAt), long(row.updatedAt)];
    const snippet = slot(el, "snippet");
    snippet.hidden = !row.snippet?.length;
    snippet.replaceChildren(...(row.snippet ?? []).map(([text, hit]) => { const part = document.createElement(hit ? "mark" : "span"); part.textContent = text; return part; }));
  }

  /** @param {KeyboardEvent} event */
  #arrows(event) {
    if (!["ArrowDown", "ArrowUp"].includes(event.key) || !(event.target instanceof HTMLElement) || !event.target.matches("li.row a, input[type=search]")) return;
    const stops = /** @type {HTMLElement[]} */ ([this.#search, ...this.querySelectorAll("li.row a")]);
    const next = stops[stops.indexOf(event.target) + (event.key === "ArrowDown" ? 1 : -1)];
    if (next) { event.preventDefault(); next.focus(); }
  }
}

customElements.define("chat-sidebar", Sidebar);
