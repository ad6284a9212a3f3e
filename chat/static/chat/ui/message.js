// One message: a person's words in a bubble, or Claude's answer as parts in order.
import { ask, clone, onClick, say, slot } from "./dom.js";
import { levels, patch } from "./tree.js";
import { thinkingCard, toolCard } from "./card.js";
import { gateCard } from "./confirm.js";
import { shots } from "./shot.js";
import { gettext } from "../core/gettext.js";

/** @typedef {{ el: HTMLElement, show: (message: Kenny.Message) => void }} MessageView */

/** @returns {MessageView} */
export function userMessage() {
  const el = clone("t-user");
  let turnId = "";
  onClick(slot(el, "again"), () => ask(el, { type: "again", turnId }));
  onClick(slot(el, "cancel"), () => ask(el, { type: "cancel", turnId }));
  return {
    el,
    show(message) {
      turnId = message.turnId ?? "";
      const unsent = message.status === "unsent";
      say(slot(el, "text"), message.text);
      shots(slot(el, "images"), message.images, gettext("Image you sent"));
      const state = unsent ? `${gettext("Not sent.")} ${message.problem ?? ""}` : message.status === "queued" ? gettext("Waiting to be sent") : message.status === "sending" ? gettext("Sending") : null;
      say(slot(el, "state"), state);
      slot(el, "meta").hidden = !state;
      slot(el, "again").hidden = !unsent;
      slot(el, "cancel").hidden = message.status === "sending";
      slot(el, "cancel").textContent = unsent ? gettext("Delete") : gettext("Cancel");
      el.classList.toggle("unsent", unsent);
    },
  };
}

/** @returns {MessageView} */
export function assistantMessage() {
  const el = clone("t-assistant");
  const article = /** @type {HTMLElement} */ (el.querySelector("article"));
  const box = slot(el, "parts");
  /** @type {{ face: string, el: HTMLElement, show: (part: any) => void }[]} */
  const views = [];
  /** @type {Kenny.Message | null} */
  let shown = null;
  onClick(slot(el, "copy"), () => ask(el, { type: "copyMessage", message: shown, from: slot(el, "copy") }));
  return {
    el,
    show(message) {
      if (shown?.parts !== message.parts) drawParts(box, views, message.parts);
      if (message.busy) article.setAttribute("aria-busy", "true");
      else article.removeAttribute("aria-busy");
      const mark = slot(el, "mark");
      mark.hidden = !message.mark;
      mark.classList.toggle("still", message.mark === gettext("Waiting for you"));
      say(slot(el, "doing"), message.mark);
      slot(el, "meta").hidden = message.mark !== null || message.busy || !message.text;
      shown = message;
    },
  };
}

/**
 * @param {HTMLElement} box @param {{ face: string, el: HTMLElement, show: (part: any) => void }[]} views
 * @param {Kenny.Part[]} parts
 */
function drawParts(box, views, parts) {
  parts.forEach((part, i) => {
    const face = part.kind === "tool" && part.state === "waiting" ? "gate" : part.kind;
    let view = views[i];
    if (view?.face !== face) {
      const next = { face, .../** @type {() => any} */ (faces[face])() };
      if (view) replace(view.el, next.el);
      else box.append(next.el);
      views[i] = view = next;
    }
    /** @type {typeof views[number]} */ (view).show(part);
  });
  for (const view of views.splice(parts.length)) view.el.remove();
}

/** A decided card leaves; whoever pressed its button goes on writing. @param {HTMLElement} old @param {HTMLElement} now */
function replace(old, now) {
  const held = old.contains(document.activeElement);
  old.replaceWith(now);
  if (held) now.querySelector("summary")?.focus();
}

/** @type {Record<string, () => { el: HTMLElement, show: (part: any) => void }>} */
const faces = { text: prose, thinking: thinkingCard, tool: toolCard, gate: gateCard };

/** @returns {{ el: HTMLElement, show: (part: Kenny.TextPart) => void }} */
function prose() {
  const el = clone("t-text");
  /** @type {Kenny.Node[]} */
  let shown = [];
  return {
    el,
    show(part) {
      if (part.nodes === shown) return;
      patch(el, shown, part.nodes);
      shown = part.nodes;
      levels(el);
    },
  };
}
