// What the conversation used, and how full Claude's context is: in words, with a way out before it is too late.
import { ask, onClick, say, slot } from "./dom.js";
import { fullness, spent } from "../core/figures.js";
import { liveTurn, view } from "../core/talk.js";
import { gettext } from "../core/gettext.js";

/** @param {HTMLElement} root @returns {(state: Kenny.State, talk: Kenny.Talk | undefined) => void} */
export function meter(root) {
  const button = /** @type {HTMLButtonElement} */ (slot(root, "go-on"));
  /** @type {Kenny.Talk | undefined} */
  let shown;
  let said = "";
  onClick(button, () => ask(root, { type: "handOver" }));
  return (state, talk) => {
    const isMoving = talk !== undefined && state.handing === talk.id;
    button.disabled = isMoving || liveTurn(talk) !== undefined;
    button.textContent = isMoving ? gettext("Writing the hand-over…") : gettext("Go on in a new conversation");
    if (talk === shown) return;
    const isOther = talk?.id !== shown?.id;
    shown = talk;
    const messages = talk ? view(talk) : [];
    const full = fullness(messages);
    say(slot(root, "spent"), [spent(messages), full?.label].filter(Boolean).join(" · "));
    const gauge = /** @type {HTMLMeterElement} */ (/** @type {unknown} */ (slot(root, "gauge")));
    gauge.hidden = !full;
    gauge.value = full?.percent ?? 0;
    slot(root, "long").hidden = !full?.warning;
    say(slot(root, "warning"), full?.warning);
    // Said when it is reached: opening a long conversation says nothing new.
    if (!isOther && full?.warning && full.warning !== said) ask(root, { type: "say", text: full.warning });
    said = full?.warning ?? "";
  };
}
