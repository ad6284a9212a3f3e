// What a screen reader hears of a turn: whole blocks, start and end, and at once that an approval is needed.
import { words } from "./tree.js";

/** @type {Record<string, string>} */
const ENDS = { end_turn: "Answer complete", stopped: "Stopped", interrupted: "The answer was interrupted", failed: "The answer failed" };

/**
 * @param {Kenny.Talk} before @param {Kenny.Talk} after @param {Kenny.Frame} f @param {boolean} watched
 * @returns {Kenny.Effect[]}
 */
export function spoken(before, after, f, watched) {
  if (f.type === "pending") return [{ do: "announce", text: `Approval needed for ${f.tool} in ${after.title || "this conversation"}`, urgent: true }];
  if (!watched) return [];
  if (f.type === "user_text") return [{ do: "announce", text: "Claude is answering" }];
  if (f.type === "block") return before === after ? [] : [{ do: "announce", text: words(f.nodes ?? []) }];
  if (f.type === "error") return [{ do: "announce", text: f.message, urgent: true }];
  if (f.type === "decided") return [{ do: "announce", text: f.approve ? `Approved by ${f.by}` : `Denied by ${f.by}` }];
  return f.type === "done" && f.done ? [{ do: "announce", text: ENDS[f.stopReason] ?? "The answer ended" }] : [];
}
