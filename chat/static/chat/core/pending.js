// What the server has not got: counted for the eye, named before it could be lost, and the marks of each row of the list.
import { gettext } from "./gettext.js";
import { titleOf } from "./search.js";

/** @typedef {{ kind: "message" | "draft" | "kept" | "edit" | "delete", words: string }} Pending */

/** @param {string} text */
const short = (text) => { const line = text.trim().replace(/\s+/g, " "); return line.length > 60 ? `${line.slice(0, 59)}…` : line; };

/** A message has words or an image. @param {{ text: string }} what */
const wordsOf = ({ text }) => short(text) || gettext("an image");

/** Everything that only this browser has, in the order of its weight. @param {Kenny.State} s @returns {Pending[]} */
export function pending(s) {
  /** @type {Pending[]} */
  const out = s.outbox.filter((parcel) => !isDelivered(s, parcel)).map((parcel) => ({ kind: "message", words: wordsOf(parcel) }));
  for (const one of Object.values(s.kept)) out.push({ kind: "kept", words: wordsOf(one) });
  for (const draft of Object.values(s.drafts)) if (draft.text.trim() || draft.images.length) out.push({ kind: "draft", words: wordsOf(draft) });
  for (const write of Object.values(s.writes)) {
    const row = s.library.rows[write.id] ?? s.library.gone[write.id] ?? write.row;
    if (write.kind === "all") out.push({ kind: "delete", words: gettext("all conversations") });
    else if (!write.silent) out.push({ kind: write.kind, words: row ? titleOf(row) : "" });
  }
  return out;
}

/** Its answer is being shown: the server has it. @param {Kenny.State} s @param {Kenny.Parcel} parcel */
const isDelivered = (s, { conversationId, turnId }) => Boolean(s.talks[conversationId]?.turns.some((turn) => turn.id === turnId && turn.seq > 0));

/** How many changes and messages wait for the line, drafts aside: those wait for the person. @param {Kenny.State} s */
export const waiting = (s) => pending(s).filter(({ kind }) => kind === "message" || kind === "edit" || kind === "delete").length;
