// The offer to take a delete back, the clocks of all that can be taken back, and the dialog that lists them.
import { ask, clone, onClick, say, slot } from "./dom.js";
import { fill, gettext } from "../core/gettext.js";
import { titleOf } from "../core/search.js";
import { restorable } from "../core/undo.js";

const TIME = 10_000; // in which it can be seen and nobody is at it
const AT_MOST = 60_000;
const TICK = 250;

/** @returns {{ el: HTMLElement, show: (state: Kenny.State) => boolean }} `show` says whether there is anything to take back */
export function undoBar() {
  const el = clone("t-undo");
  const dialog = /** @type {HTMLDialogElement} */ (document.getElementById("recent"));
  /** @type {Map<string, { seen: number, all: number }>} */
  const clocks = new Map();
  /** @type {Kenny.Undo[]} */
  let list = [];
  let listed = "";
  onClick(slot(el, "undo"), () => ask(document, { type: "undo" }));
  onClick(slot(el, "recent"), () => ask(document, { type: "recent" }));

  const tick = () => {
    const isSeen = !document.hidden && !dialog.open && !el.matches(":hover, :focus-within");
    for (const [id, clock] of clocks) {
      clock.all += TICK;
      if (isSeen) clock.seen += TICK;
      if (clock.seen >= TIME || clock.all >= AT_MOST) ask(document, { type: "undoOver", id });
    }
  };
  /** @type {ReturnType<typeof setInterval> | undefined} */
  let timer;

  return { el, show: (state) => {
    const ids = new Set(state.undo.map(({ row }) => row.id));
    for (const id of clocks.keys()) if (!ids.has(id)) clocks.delete(id);
    for (const id of ids) if (!clocks.has(id)) clocks.set(id, { seen: 0, all: 0 });
    if (!ids.size) { clearInterval(timer); timer = undefined; } else timer ??= setInterval(tick, TICK);
    list = restorable(state);
    say(slot(el, "text"), list[0] ? fill(gettext("Deleted “%(title)s”"), { title: titleOf(list[0].row) }) : null);
    say(slot(el, "recent"), list.length > 1 ? fill(gettext("Recently deleted (%(n)s)"), { n: list.length }) : null);
    const now = JSON.stringify(list.map(({ row }) => [row.id, row.title]));
    if (now !== listed) fillRecent(dialog, list); // else a focused button stays
    listed = now;
    return list.length > 0;
  } };
}

/** @param {HTMLDialogElement} dialog @param {Kenny.Undo[]} list */
function fillRecent(dialog, list) {
  slot(dialog, "none").hidden = list.length > 0;
  slot(dialog, "rows").replaceChildren(...list.map(({ row }) => {
    const line = clone("t-recent");
    const button = slot(line, "restore");
    say(slot(line, "title"), titleOf(row));
    button.setAttribute("aria-label", fill(gettext("Restore %(title)s"), { title: titleOf(row) }));
    onClick(button, () => { dialog.close(); ask(document, { type: "undo", id: row.id }); });
    return line;
  }));
}
