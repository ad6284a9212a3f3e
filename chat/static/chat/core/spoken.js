// What a screen reader hears of a turn: whole blocks, start and end, and at once that an approval is needed.
import { approval } from "./gates.js";
import { words } from "./tree.js";
import { fill, gettext, translated } from "./gettext.js";

/** @type {Record<string, string>} */
const ENDS = { end_turn: gettext("Answer complete"), stopped: gettext("Stopped"), interrupted: gettext("The answer was interrupted"), failed: gettext("The answer failed") };

/**
 * @param {Kenny.Talk} before @param {Kenny.Talk} after @param {Kenny.Frame} f @param {boolean} watched @param {boolean} isBrief only start and end are told
 * @returns {Kenny.Effect[]}
 */
export function spoken(before, after, f, watched, isBrief) {
  if (f.type === "pending") return [{ do: "announce", text: approval(f.tool, after.title), urgent: true }];
  if (!watched) return [];
  if (f.type === "user_text") return [{ do: "announce", text: gettext("Claude is answering") }];
  if (f.type === "block") return before === after || isBrief ? [] : [{ do: "announce", text: words(/** @type {Kenny.Node[]} */ (f.nodes)) }];
  if (f.type === "error") return [{ do: "announce", text: translated(f.message), urgent: true }];
  if (f.type === "decided") return [{ do: "announce", text: f.approve ? fill(gettext("Approved by %(name)s"), { name: f.by }) : fill(gettext("Denied by %(name)s"), { name: f.by }) }];
  return f.type === "done" && f.done ? [{ do: "announce", text: ENDS[f.stopReason] ?? gettext("The answer ended") }] : [];
}
