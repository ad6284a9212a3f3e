// One message: a person's words in a bubble, or Claude's answer as parts in order.
import { clone, say, slot } from "./dom.js";
import { thinkingCard, toolCard } from "./card.js";
import { gateCard } from "./confirm.js";
import { waitingMark } from "./mark.js";
import { answerMeta, userMeta } from "./meta.js";
import { partsIn } from "./parts.js";
import { levels, patch } from "./tree.js";
import { shots } from "./shot.js";
import { gettext } from "../core/gettext.js";

/** @typedef {{ el: HTMLElement, show: (message: Kenny.Message) => void }} MessageView */

/** @returns {MessageView} */
export function userMessage() {
  const el = clone("t-user");
  const meta = userMeta(el);
  return {
    el,
    show(message) {
      say(slot(el, "text"), message.text);
      shots(slot(el, "images"), message.images, gettext("Image you sent"));
      meta(message);
    },
  };
}

/** @returns {MessageView} */
export function assistantMessage() {
  const el = clone("t-assistant");
  const article = /** @type {HTMLElement} */ (el.querySelector("article"));
  const [parts, mark, meta] = [partsIn(slot(el, "parts"), faces), waitingMark(slot(el, "mark")), answerMeta(el)];
  /** @type {Kenny.Message | null} */
  let shown = null;
  return {
    el,
    show(message) {
      if (shown?.parts !== message.parts) parts.show(message.parts);
      if (message.busy) article.setAttribute("aria-busy", "true");
      else article.removeAttribute("aria-busy");
      mark(message);
      meta(message);
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
