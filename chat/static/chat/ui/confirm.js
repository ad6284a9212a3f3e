// The card that asks: what would run, whole, and two buttons. It never takes the focus and knows no default.
import { ask, clone, onClick, say, slot } from "./dom.js";
import { showArgs } from "./args.js";
import { fill, gettext, language } from "../core/gettext.js";

const GUARD = 400; // ms after it appeared, so that a click meant for something else decides nothing

/** @typedef {Pick<Kenny.ToolPart, "callId" | "tool" | "args" | "gate" | "deciding" | "problem">} Gate */

/** @returns {{ el: HTMLElement, show: (gate: Gate) => void }} */
export function gateCard() {
  const el = clone("t-gate");
  const [approve, deny] = [/** @type {HTMLButtonElement} */ (slot(el, "approve")), /** @type {HTMLButtonElement} */ (slot(el, "deny"))];
  const reason = /** @type {HTMLInputElement} */ (slot(el, "reason"));
  /** @type {Gate | null} */
  let shown = null;
  let ready = false;
  const paint = () => {
    if (!shown) return;
    if (shown.deciding && el.contains(document.activeElement)) el.focus({ preventScroll: true }); // a button that is disabled would lose it
    const offline = document.body.dataset["link"] !== "open";
    for (const button of [approve, deny]) button.disabled = !ready || offline || shown.deciding !== null;
    reason.disabled = shown.deciding !== null;
    approve.textContent = shown.deciding === "approve" ? gettext("Approving…") : gettext("Approve");
    deny.textContent = shown.deciding === "deny" ? gettext("Denying…") : gettext("Deny");
    say(slot(el, "why"), shown.problem ?? (offline ? gettext("No connection: a decision is taken only while connected.") : null));
  };
  for (const [button, yes] of /** @type {const} */ ([[approve, true], [deny, false]])) {
    onClick(button, () => { if (shown && ready) ask(el, { type: "decide", callId: shown.callId, approve: yes, reason: yes ? "" : reason.value }); });
  }
  guard(el, (on) => { ready = on; paint(); });
  const link = new MutationObserver(() => { if (el.isConnected) paint(); else link.disconnect(); });
  link.observe(document.body, { attributeFilter: ["data-link"] });
  return {
    el,
    show(gate) {
      if (gate === shown) return;
      shown = gate;
      say(slot(el, "tool"), gate.tool);
      showArgs(slot(el, "args"), gate.args);
      if (gate.gate?.expiresAt) say(slot(el, "until"), fill(gettext("Open until %(time)s"), { time: until(gate.gate.expiresAt) }));
      paint();
    },
  };
}

/** Closed for a moment when the card is made and whenever it comes into sight. @param {HTMLElement} el @param {(ready: boolean) => void} told */
function guard(el, told) {
  /** @type {ReturnType<typeof setTimeout>} */
  let timer;
  const close = () => { clearTimeout(timer); told(false); timer = setTimeout(() => told(true), GUARD); };
  let seen = false;
  const sight = new IntersectionObserver((entries) => {
    const now = entries.at(-1)?.isIntersecting ?? false;
    if (now && !seen) close();
    seen = now;
    if (!el.isConnected) sight.disconnect();
  });
  sight.observe(el);
  close();
}

const format = new Intl.DateTimeFormat(language(), { month: "short", day: "numeric", hour: "2-digit", minute: "2-digit", hourCycle: "h23" });

/** @param {number} ms */
const until = (ms) => format.format(ms);
