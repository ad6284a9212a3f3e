// <chat-composer>: writes, sends, stops. Its text is kept for each conversation; Enter sends, never while a word is being composed.
import { ask, onClick, say, slot } from "./dom.js";
import { attachments } from "./attach.js";
import { meter } from "./meter.js";
import { picker } from "./picker.js";
import { liveTurn } from "../core/talk.js";
import { isGone } from "../core/undo.js";
import { fill, gettext, ngettext, number } from "../core/gettext.js";

/** @type {Kenny.Draft} */
const NOTHING = { text: "", images: [] };

export class Composer extends HTMLElement {
  /** @type {Kenny.Draft} */ #draft = NOTHING;
  #limits = { messageChars: Infinity };
  /** @type {Kenny.Preferences["sendKey"]} */ #sendKey = null;
  #wasOver = false;
  #attached = attachments(this, (images) => { this.#changed(this.#box.value, images); this.focus(); });
  #meter = meter(this);
  #picker = picker(this);

  connectedCallback() {
    const box = this.#box;
    box.addEventListener("input", () => { this.#grow(); this.#changed(box.value, this.#draft.images); });
    box.addEventListener("keydown", (event) => this.#key(event));
    onClick(slot(this, "unedit"), () => ask(this, { type: "stopEditing" }));
    this.querySelector("form")?.addEventListener("submit", (event) => { event.preventDefault(); this.#send(); });
    onClick(slot(this, "stop"), () => ask(this, { type: "stop" }));
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.isComposing || event.keyCode === 229) return; // a word is being composed: the key is its own
    const isEmpty = !this.#box.value && !this.#draft.images.length;
    if (event.key === "ArrowUp" && isEmpty && !event.shiftKey && !event.altKey) { event.preventDefault(); ask(this, { type: "editLast" }); }
    if (event.key === "Escape" && this.#draft.edit && !event.shiftKey) { event.preventDefault(); ask(this, { type: "stopEditing" }); }
    if (event.key !== "Enter" || event.shiftKey || event.altKey) return;
    const isCtrl = event.ctrlKey || event.metaKey;
    if (this.#sendKey === "ctrl" && !isCtrl) return;
    event.preventDefault();
    this.#send();
  }

  get #box() { return /** @type {HTMLTextAreaElement} */ (slot(this, "text")); }

  focus() { this.#box.focus(); }

  /** @param {Kenny.State} state */
  show(state) {
    [this.#limits, this.#sendKey] = [state.limits, state.preferences.sendKey];
    const draft = state.drafts[state.current ?? ""] ?? NOTHING;
    const box = this.#box;
    if (draft.text !== box.value) { box.value = draft.text; this.#grow(); }
    this.#attached(draft.images);
    this.#draft = draft;
    const talk = state.current ? state.talks[state.current] : undefined;
    const turn = liveTurn(talk);
    const stop = /** @type {HTMLButtonElement} */ (slot(this, "stop"));
    const stoppable = turn !== undefined && turn.status !== "queued";
    if (stop.contains(document.activeElement) && !stoppable) this.focus();
    stop.hidden = !stoppable;
    stop.disabled = turn?.stopping ?? false;
    const label = turn?.stopping ? gettext("Stopping…") : gettext("Stop");
    if (stop.textContent !== label) stop.textContent = label;
    const closed = talk?.loaded === "deleted" || talk?.loaded === "missing" || isGone(state, state.current);
    box.disabled = closed;
    /** @type {HTMLButtonElement} */ (slot(this, "send")).disabled = closed;
    slot(this, "editing").hidden = !draft.edit;
    box.enterKeyHint = this.#sendKey === "ctrl" ? "enter" : "send";
    this.#over(draft.text, turn);
    this.#meter(state, talk);
    this.#picker(state);
  }

  /** What the line below says; too much text is said with its count, and stays. @param {string} text @param {Kenny.Turn | undefined} turn */
  #over(text, turn) {
    const isOver = this.#tooMany(text) > 0;
    const hint = slot(this, "hint");
    say(hint, this.#hint(text, turn));
    hint.classList.toggle("over", isOver);
    this.#box.setAttribute("aria-invalid", String(isOver));
    if (isOver && !this.#wasOver) ask(this, { type: "say", text: hint.textContent });
    this.#wasOver = isOver;
  }

  /** @param {string} text @param {Kenny.Turn | undefined} turn */
  #hint(text, turn) {
    const over = this.#tooMany(text);
    if (over > 0) return fill(ngettext("The message is %(n)s character too long.", "The message is %(n)s characters too long.", over), { n: number(over) });
    if (turn && text) return turn.status === "held" ? gettext("Sent when you have decided") : gettext("Sent when Claude has finished");
    return this.#sendKey === "ctrl" ? gettext("Ctrl+Enter sends · Enter makes a new line") : gettext("Enter sends · Shift+Enter makes a new line");
  }

  /** Characters as the server counts them. @param {string} text */
  #tooMany(text) {
    const most = this.#limits.messageChars;
    return text.length > most ? [...text].length - most : 0;
  }

  #send() {
    const text = this.#box.value;
    if ((!text.trim() && !this.#draft.images.length) || this.#tooMany(text) > 0 || this.#box.disabled) return;
    ask(this, { type: "write", text, images: this.#draft.images });
    this.focus();
  }

  /** @param {string} text @param {Kenny.Upload[]} images */
  #changed(text, images) { ask(this, { type: "draft", text, images }); }

  #grow() { // what field-sizing does by itself where it exists
    if (CSS.supports("field-sizing", "content")) return;
    this.#box.style.height = "auto";
    this.#box.style.height = `${this.#box.scrollHeight}px`;
  }
}

customElements.define("chat-composer", Composer);
