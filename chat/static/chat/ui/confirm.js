// The card that asks: what would run, whole, and two buttons. It never takes the focus and knows no default.
import { ask, clone, onClick, say, slot } from "./dom.js";
import { showArgs } from "./args.js";
import { fill, gettext, language } from "../core/gettext.js";

const GUARD = 400; // ms after it appeared, so that a click meant for something else decides nothing

/** @returns {{ el: HTMLElement, show: (part: Kenny.ToolPart) => void }} */
export function gateCard() {
  const el = clone("t-gate");
  const approve = /** @type {HTMLButtonElement} */ (slot(el, "approve"));
  const deny = /** @type {HTMLButtonElement} */ (slot(el, "deny"));
  /** @type {Kenny.ToolPart | null} */
  let shown = null;
  let ready = false;
  const paint = () => {
    if (!shown) return;
    const offline = document.body.dataset["link"] !== "open";
    for (const button of [approve, deny]) button.disabled = !ready || offline || shown.deciding !== null;
    approve.textContent = shown.deciding === "approve" ? gettext("Approving…") : gettext("Approve");
    deny.textContent = shown.deciding === "deny" ? gettext("Denying…") : gettext("Deny");
    say(slot(el, "why"), shown.problem ?? (offline ? gettext("No connection: a decision is taken only while connected.") : null));
  };
  for (const [button, yes] of /** @type {const} */ ([[approve, true], [deny, false]])) {
    onClick(button, () => { if (shown && ready) ask(el, { type: "decide", callId: shown.callId, approve: yes }); });
  }
  setTimeout(() => { ready = true; paint(); }, GUARD);
  new MutationObserver(paint).observe(document.body, { attributeFilter: ["data-link"] });
  return {
    el,
    show(part) {
      if (part === shown) return;
      shown = part;
      say(slot(el, "tool"), part.tool);
      showArgs(slot(el, "args"), part.args);
      if (part.gate?.expiresAt) say(slot(el, "until"), fill(gettext("Open until %(time)s"), { time: until(part.gate.expiresAt) }));
      paint();
    },
  };
}

const format = new Intl.DateTimeFormat(language(), { month: "short", day: "numeric", hour: "2-digit", minute: "2-digit", hourCycle: "h23" });

/** @param {number} ms */
const until = (ms) => format.format(ms);
