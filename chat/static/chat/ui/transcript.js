// <chat-transcript>: the messages of the open conversation, the newest fifty first, older ones as one scrolls up.
import { ask, keyed, onClick, say, slot } from "./dom.js";
import { placesIn } from "./places.js";
import { follow } from "./scroll.js";
import { assistantMessage, userMessage } from "./message.js";
import { edges } from "./edges.js";
import { outcomeLine } from "./outcome.js";
import { vacancy } from "./vacant.js";
import { isResting } from "../core/again.js";
import { view } from "../core/talk.js";
import { fill, gettext, ngettext, number } from "../core/gettext.js";

/** @param {Kenny.Message} message */
const keyOf = ({ role, key }) => `${role} ${key}`;

export class Transcript extends HTMLElement {
  /** @type {Map<string, import("./message.js").MessageView>} */ #views = new Map();
  /** @type {Kenny.Talk | undefined} */ #talk;
  /** @type {string | null | undefined} */ #id;
  /** @type {ReturnType<typeof follow> | null} */ #follow = null;
  /** @type {ReturnType<typeof placesIn> | null} */ #places = null;
  #vacancy = vacancy(this);
  #isGone = false;
  #toEnd = false;
  #missed = 0;
  #jumping = "";
  #count = 0;

  connectedCallback() {
    const box = slot(this, "scroll");
    this.#follow = follow(box, slot(this, "log"), (pinned, gap) => this.#jump(pinned, gap));
    this.#places = placesIn(box, (top) => this.#follow?.stay(top));
    onClick(slot(this, "jump"), () => { this.#follow?.toEnd(); box.focus({ preventScroll: true }); });
    box.addEventListener("keydown", (event) => { if (event.key === "End" && event.target === box) { event.preventDefault(); this.#follow?.toEnd(); } });
    box.addEventListener("scroll", () => this.#older(), { passive: true });
    for (const example of this.querySelectorAll("[data-example]")) {
      onClick(/** @type {HTMLElement} */ (example), () => ask(this, { type: "example", text: example.textContent ?? "" }));
    }
  }

  /** Pins the end, once the next picture is drawn. */
  toEnd() { this.#toEnd = true; }

  /** @param {Kenny.State} state */
  show(state) {
    const talk = state.current ? state.talks[state.current] : undefined;
    const isGone = this.#vacancy(state, talk);
    if (talk === this.#talk && state.current === this.#id && isGone === this.#isGone) return this.#end();
    if (state.current !== this.#id) this.#leave();
    [this.#talk, this.#id, this.#isGone] = [talk, state.current, isGone];
    const all = talk && !isGone ? view(talk) : [];
    const shown = talk ? all.slice(-talk.shown) : [];
    say(slot(this, "edge"), all.length > 50 && shown.length === all.length ? gettext("Beginning of the conversation") : null);
    const box = slot(this, "messages");
    keyed(box, this.#views, shown, keyOf, (m) => withOutcome(m.role === "user" ? userMessage() : assistantMessage()));
    edges((m) => this.#views.get(keyOf(m))?.el, all, shown, isResting(talk));
    if (this.#count && !this.#follow?.isPinned()) this.#missed += Math.max(0, all.length - this.#count);
    this.#count = all.length;
    return this.#end();
  }

  #leave() {
    if (this.#id && !this.#follow?.isPinned()) this.#places?.leave(this.#id, this.#views);
    else if (this.#id) ask(this, { type: "newest", id: this.#id });
    for (const { el } of this.#views.values()) el.remove();
    this.#views.clear();
    this.#missed = this.#count = 0;
  }

  #end() {
    if (this.#toEnd && !this.#places?.back(this.#id ?? "", this.#views)) this.#follow?.toEnd();
    this.#toEnd = false;
  }

  /** @param {boolean} pinned @param {number} gap */
  #jump(pinned, gap) {
    if (pinned) this.#missed = 0;
    const seen = `${pinned || gap < 120} ${this.#missed}`;
    if (seen === this.#jumping) return;
    this.#jumping = seen;
    const button = slot(this, "jump");
    const fresh = this.#missed ? fill(ngettext("%(n)s new", "%(n)s new", this.#missed), { n: number(this.#missed) }) : "";
    button.hidden = pinned || gap < 120;
    button.dataset["fresh"] = button.ariaDescription = fresh;
  }

  #older() {
    const box = slot(this, "scroll");
    const talk = this.#talk;
    if (!talk || box.scrollTop > 400 || this.#views.size < talk.shown) return;
    const [first, top] = [this.#views.values().next().value?.el, box.scrollTop];
    const at = first?.offsetTop ?? 0;
    ask(this, { type: "older", id: talk.id, then: () => { if (first && box.scrollTop === top) box.scrollTop = top + first.offsetTop - at; } });
  }
}

/**
 * Puts how a turn ended below its message, outside the article: it is the page's word, not Claude's.
 * @param {import("./message.js").MessageView} view @returns {import("./message.js").MessageView}
 */
function withOutcome(view) {
  const line = outcomeLine();
  view.el.append(line.el);
  /** @type {Kenny.Message | null} */
  let shown = null;
  return { el: view.el, show(message) { if (message !== shown) { view.show(message); line.show(message.outcome); } shown = message; } };
}

customElements.define("chat-transcript", Transcript);
