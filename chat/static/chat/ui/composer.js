// <chat-composer>: writes, sends, stops. Its text is kept for each conversation; Enter sends, never while a word is being composed.
import { ask, clone, onClick, say, slot } from "./dom.js";
import { liveTurn } from "../core/talk.js";
import { fill, gettext, ngettext, number } from "../core/gettext.js";

/** @type {Kenny.Draft} */
const NOTHING = { text: "", images: [] };

export class Composer extends HTMLElement {
  /** @type {Kenny.Draft} */ #draft = NOTHING;
  #limits = { messageChars: Infinity };

  connectedCallback() {
    const box = this.#box;
    box.addEventListener("input", () => { this.#grow(); this.#changed(box.value, this.#draft.images); });
    box.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.shiftKey || event.isComposing || event.keyCode === 229) return;
      event.preventDefault();
      this.#send();
    });
    this.querySelector("form")?.addEventListener("submit", (event) => { event.preventDefault(); this.#send(); });
    onClick(slot(this, "stop"), () => ask(this, { type: "stop" }));
    const files = /** @type {HTMLInputElement} */ (slot(this, "files"));
    onClick(slot(this, "attach"), () => files.click());
    files.addEventListener("change", () => { this.#files(files.files); files.value = ""; });
    box.addEventListener("paste", (event) => { if (this.#files(event.clipboardData?.files)) event.preventDefault(); });
    const main = document.getElementById("main") ?? this;
    main.addEventListener("dragover", (event) => { if (event.dataTransfer?.types.includes("Files")) event.preventDefault(); });
    main.addEventListener("drop", (event) => { if (event.dataTransfer?.files.length) { event.preventDefault(); this.#files(event.dataTransfer.files); } });
  }

  get #box() { return /** @type {HTMLTextAreaElement} */ (slot(this, "text")); }

  focus() { this.#box.focus(); }

  /** @param {Kenny.State} state */
  show(state) {
    this.#limits = state.limits;
    const draft = state.drafts[state.current ?? ""] ?? NOTHING;
    const box = this.#box;
    if (draft.text !== box.value) { box.value = draft.text; this.#grow(); }
    if (draft.images !== this.#draft.images) this.#previews(draft.images);
    this.#draft = draft;
    const talk = state.current ? state.talks[state.current] : undefined;
    const turn = liveTurn(talk);
    const stop = /** @type {HTMLButtonElement} */ (slot(this, "stop"));
    const stoppable = turn !== undefined && turn.status !== "queued";
    if (stop.contains(document.activeElement) && !stoppable) this.focus();
    stop.hidden = !stoppable;
    stop.disabled = turn?.stopping ?? false;
    stop.textContent = turn?.stopping ? gettext("Stopping…") : gettext("Stop");
    const closed = talk?.loaded === "deleted" || talk?.loaded === "missing";
    box.disabled = closed;
    /** @type {HTMLButtonElement} */ (slot(this, "send")).disabled = closed;
    say(slot(this, "hint"), this.#hint(draft.text, turn));
  }

  /** @param {string} text @param {Kenny.Turn | undefined} turn */
  #hint(text, turn) {
    const over = text.length - this.#limits.messageChars;
    if (over > 0) return fill(ngettext("The message is %(n)s character too long.", "The message is %(n)s characters too long.", over), { n: number(over) });
    if (turn && text) return turn.status === "held" ? gettext("Sent when you have decided") : gettext("Sent when Claude has finished");
    return gettext("Enter sends · Shift+Enter makes a new line");
  }

  #send() {
    const text = this.#box.value;
    if ((!text.trim() && !this.#draft.images.length) || text.length > this.#limits.messageChars || this.#box.disabled) return;
    ask(this, { type: "write", text, images: this.#draft.images });
    this.focus();
  }

  /** @param {string} text @param {Kenny.Upload[]} images */
  #changed(text, images) { ask(this, { type: "draft", text, images }); }

  /** @param {FileList | null | undefined} list @returns {boolean} whether there was an image */
  #files(list) {
    const images = [...(list ?? [])].filter((file) => file.type.startsWith("image/"));
    if (list?.length && !images.length) ask(this, { type: "problem", error: { code: "bad_request", message: gettext("Only images can be sent with a message.") } });
    if (images.length) ask(this, { type: "attach", files: images });
    return images.length > 0;
  }

  /** @param {Kenny.Upload[]} images */
  #previews(images) {
    const list = slot(this, "attached");
    list.hidden = !images.length;
    list.replaceChildren(...images.map((image) => {
      const el = clone("t-attached");
      const img = /** @type {HTMLImageElement} */ (el.querySelector("img"));
      [img.src, img.alt] = [image.url, image.name];
      const remove = slot(el, "remove");
      remove.setAttribute("aria-label", fill(gettext("Remove %(name)s"), { name: image.name }));
      onClick(remove, () => { this.#changed(this.#box.value, images.filter((other) => other !== image)); this.focus(); });
      return el;
    }));
  }

  #grow() { // what field-sizing does by itself where it exists
    if (CSS.supports("field-sizing", "content")) return;
    this.#box.style.height = "auto";
    this.#box.style.height = `${this.#box.scrollHeight}px`;
  }
}

customElements.define("chat-composer", Composer);
