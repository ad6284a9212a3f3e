// How a turn ended when it did not end well, in one sentence, with Retry where that can help.
import { ask, clone, onClick, say, slot } from "./dom.js";
import { gettext } from "../core/gettext.js";

/** @type {Record<string, string>} */
const ENDS = {
  stopped: gettext("Stopped"), interrupted: gettext("The answer was interrupted: the server was restarted."), failed: gettext("The answer failed."),
  max_tokens: gettext("The answer reached its greatest length."), refusal: gettext("Claude declined to answer this."),
  model_context_window_exceeded: gettext("The conversation is longer than Claude can read."), expired: gettext("The approval was not given in time."),
};
/** Sending the same again helps nothing: the conversation goes on in a new one. */
const FULL = new Set(["context_full", "model_context_window_exceeded"]);
const CALM = new Set(["stopped", "expired", "denied"]);

/** What is offered beside an ending; nothing where it is nobody's fault. @param {Kenny.Outcome} outcome @returns {"retry" | "go-on" | null} */
export function wayOut({ error, stopReason }) {
  if (FULL.has(error?.code ?? "") || FULL.has(stopReason ?? "")) return "go-on";
  return stopReason === null || (!error && CALM.has(stopReason)) ? null : "retry";
}

/** @returns {{ el: HTMLElement, show: (outcome: Kenny.Outcome | null) => void }} */
export function outcomeLine() {
  const el = clone("t-outcome");
  el.hidden = true;
  onClick(slot(el, "retry"), () => ask(el, { type: "retry" }));
  onClick(slot(el, "go-on"), () => ask(el, { type: "handOver" }));
  return {
    el,
    show(outcome) {
      el.hidden = !outcome;
      if (!outcome) return;
      const calm = !outcome.error && CALM.has(outcome.stopReason ?? "");
      el.classList.toggle("calm", calm);
      say(slot(el, "ending"), outcome.error?.message ?? ENDS[outcome.stopReason ?? ""] ?? gettext("The answer ended early."));
      for (const name of ["retry", "go-on"]) slot(el, name).hidden = wayOut(outcome) !== name;
    },
  };
}
