// What waits for an approval in all conversations: a count in the bar, and each call with its buttons in a dialog.
import { ask, clone, keyed, onClick, say, slot } from "./dom.js";
import { gateCard } from "./confirm.js";
import { fill, gettext, ngettext, number } from "../core/gettext.js";
import { titleOf } from "../core/search.js";

/** @returns {(state: Kenny.State) => void} */
export function inbox() {
  const button = slot(document, "inbox");
  const dialog = /** @type {HTMLDialogElement} */ (document.getElementById("inbox"));
  const list = slot(dialog, "held");
  /** @type {Map<string, HeldView>} */
  const views = new Map();
  /** @type {Kenny.State | null} */
  let shown = null;
  const draw = (/** @type {Kenny.State} */ { held, library }) => {
    keyed(list, views, held, (call) => call.callId, () => heldCall(dialog, (id) => { const row = library.rows[id]; return row ? titleOf(row) : gettext("New chat"); }));
    if (!held.length) dialog.close();
  };
  onClick(button, () => { if (shown) draw(shown); dialog.showModal(); });
  dialog.addEventListener("close", () => { list.replaceChildren(); views.clear(); });
  return (state) => {
    if (shown?.held === state.held && shown.library === state.library) return;
    shown = state;
    const n = state.held.length;
    say(button, n ? fill(ngettext("%(n)s approval waiting", "%(n)s approvals waiting", n), { n: number(n) }) : null);
    if (dialog.open) draw(state);
  };
}

/** @typedef {{ el: HTMLElement, show: (call: Kenny.Held) => void }} HeldView */

/** @param {HTMLDialogElement} dialog @param {(id: string) => string} titled @returns {HeldView} */
function heldCall(dialog, titled) {
  const el = clone("t-held");
  const where = slot(el, "where");
  const card = gateCard();
  let id = "";
  el.append(card.el);
  onClick(where, () => { dialog.close(); ask(document, { type: "visit", id }); });
  return {
    el,
    show(call) {
      id = call.conversationId;
      const title = titled(id);
      where.textContent = title;
      card.el.setAttribute("aria-label", fill(gettext("Held call in %(title)s"), { title }));
      card.show(call);
    },
  };
}
