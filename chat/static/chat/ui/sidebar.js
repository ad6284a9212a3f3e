// <chat-sidebar>: conversations by date, and search. Only rows near the top are made; more come as the end is neared.
import { ask, onClick, say, slot } from "./dom.js";
import { groupsIn } from "./groups.js";
import { fill, gettext } from "../core/gettext.js";
import { draftsIn, marks } from "../core/marks.js";
import { listing } from "../core/search.js";

const PAGE = 200;

export class Sidebar extends HTMLElement {
  #groups = groupsIn(slot(this, "list"));
  /** @type {string} */ #order = "";
  /** @type {unknown[]} */ #seen = [];
  /** @type {Kenny.State | null} */ #state = null;
  #now = 0;
  #limit = PAGE;

  connectedCallback() {
    const search = this.#search;
    search.addEventListener("input", () => this.#query(search.value));
    search.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && search.value) { event.preventDefault(); search.value = ""; this.#query(""); }
    });
    this.addEventListener("keydown", (event) => this.#arrows(event));
    const more = slot(this, "more");
    onClick(more, () => this.#grow(this.#limit + PAGE));
    const near = new IntersectionObserver(([entry]) => {
      if (!entry?.isIntersecting) return;
      this.#grow(this.#limit + PAGE);
      near.unobserve(more); // begun anew, so that it is told again if the end is still near
      near.observe(more);
    }, { root: slot(this, "scroll"), rootMargin: "600px" });
    near.observe(more);
  }

  get #search() { return /** @type {HTMLInputElement} */ (this.querySelector("input[type=search]")); }

  /** @param {Kenny.State} state @param {number} now */
  show(state, now) {
    const seen = [state.library, state.search, state.current, Math.floor(now / 60_000), this.#limit, state.outbox, state.writes, state.seen, state.link === "open", draftsIn(state)];
    if (seen.every((value, i) => value === this.#seen[i])) return;
    [this.#seen, this.#now, this.#state] = [seen, now, state];
    const { parts, more } = listing(state, now, this.#limit);
    const order = JSON.stringify(parts.map((part) => [part.label, part.rows.map((row) => row.id)]));
    if (order !== this.#order) this.#groups.arrange(parts);
    this.#order = order;
    for (const part of parts) for (const row of part.rows) this.#groups.view(row.id)?.show(row, row.id === state.current, now, marks(state, row.id));
    slot(this, "more").hidden = more === 0;
    const query = state.search.query.trim();
    const isAsking = state.search.hits === null && state.link === "open"; // only the server knows the texts
    const nothing = isAsking ? gettext("Searching…") : fill(gettext("No conversation matches “%(query)s”."), { query });
    const none = query ? nothing : gettext("No conversations yet.");
    say(slot(this, "none"), parts.length || !state.library.loaded ? null : none);
  }

  /** Focuses a row, or the button for a new chat. @param {string | null} id */
  focusRow(id) {
    if (id && !this.#groups.view(id) && this.#state) {
      const all = listing(this.#state, this.#now).parts.flatMap((part) => part.rows);
      this.#grow(all.findIndex((row) => row.id === id) + PAGE);
    }
    const row = id ? this.#groups.view(id)?.el.querySelector("a") : null;
    const drawer = /** @type {HTMLElement} */ (document.querySelector("[data-drawer]"));
    // On a phone with the drawer shut, or shutting, what opens it is the nearest.
    const isShut = drawer.checkVisibility() && !document.body.classList.contains("drawer");
    (isShut ? drawer : row ?? /** @type {HTMLElement} */ (this.querySelector("button[data-new]"))).focus();
  }

  /** The row after one, for the focus when that one goes. @param {string} id @returns {string | null} */
  after(id) {
    const ids = [...this.querySelectorAll("li.row")].map((li) => /** @type {HTMLElement} */ (li).dataset["id"] ?? null);
    const at = ids.indexOf(id);
    return ids[at + 1] ?? ids[at - 1] ?? null;
  }

  /** @param {number} limit */
  #grow(limit) {
    this.#limit = limit;
    if (this.#state) this.show(this.#state, this.#now);
  }

  /** @param {string} text */
  #query(text) {
    this.#limit = PAGE;
    ask(this, { type: "query", text });
  }

  /** @param {KeyboardEvent} event */
  #arrows(event) {
    if (!["ArrowDown", "ArrowUp"].includes(event.key) || event.altKey || !(event.target instanceof HTMLElement) || !event.target.matches("li.row a, input[type=search]")) return;
    const stops = /** @type {HTMLElement[]} */ ([this.#search, ...this.querySelectorAll("li.row a")]);
    const next = stops[stops.indexOf(event.target) + (event.key === "ArrowDown" ? 1 : -1)];
    if (next) { event.preventDefault(); next.focus(); }
  }
}

customElements.define("chat-sidebar", Sidebar);
