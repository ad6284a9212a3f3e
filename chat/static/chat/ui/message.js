// One message: a person's words in a bubble, or Claude's answer as parts in order.
import { ask, clone, onClick, say, slot } from "./dom.js";
import { thinkingCard, toolCard } from "./card.js";
import { gateCard } from "./confirm.js";
import { waitingMark } from "./mark.js";
import { partsIn } from "./parts.js";
import { levels, patch } from "./tree.js";
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
  const [parts, mark] = [partsIn(slot(el, "parts"), faces), waitingMark(slot(el, "mark"))];
  /** @type {Kenny.Message | null} */
  let shown = null;
  onClick(slot(el, "copy"), () => ask(el, { type: "copyMessage", message: shown, from: slot(el, "copy") }));
  return {
    el,
    show(message) {
      if (shown?.parts !== message.parts) parts.show(message.parts);
      if (message.busy) article.setAttribute("aria-busy", "true");
      else article.removeAttribute("aria-busy");
      mark(message);
      slot(el, "meta").hidden = message.mark !== null || message.busy || !message.text;
      shown = message;
    },
  };
}

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
