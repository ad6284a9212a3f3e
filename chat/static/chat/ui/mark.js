// The pulsing mark of an answer on its way: what Claude is at, and for how long nothing has come.
import { say, slot } from "./dom.js";
import { gettext } from "../core/gettext.js";
import { seconds } from "../core/spans.js";

const QUIET = 10_000; // ms without a frame that are nobody's business
const TICK = 1_000;

/** @param {HTMLElement} mark @returns {(message: Kenny.Message) => void} a message that came again is no news */
export function waitingMark(mark) {
  /** @type {Kenny.Message | null} */
  let shown = null;
  let heard = 0;
  /** @type {ReturnType<typeof setInterval> | undefined} */
  let timer;
  const paint = () => {
    const quiet = shown?.busy ? performance.now() - heard : 0;
    const words = shown?.mark ?? (quiet > QUIET ? gettext("Claude is writing") : null);
    mark.hidden = !words;
    mark.classList.toggle("still", words === gettext("Waiting for you"));
    say(slot(mark, "doing"), words && quiet > QUIET ? `${words} · ${seconds(quiet)}` : words);
    if (shown?.busy && mark.isConnected) timer ??= setInterval(paint, TICK);
    else { clearInterval(timer); timer = undefined; }
  };
  return (message) => {
    if (message === shown) return;
    [shown, heard] = [message, performance.now()];
    paint();
  };
}
