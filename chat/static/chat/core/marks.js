// The marks of a conversation in the list, as words: who waits for whom, and what has not reached the server.
import { gettext } from "./gettext.js";

/** @typedef {{ code: "wait" | "live" | "unsent" | "local" | "unsynced" | "draft" | "unread", text: string }} Mark */

/** @param {Kenny.State} s @param {string} id @returns {Mark[]} */
export function marks(s, id) {
  const row = s.library.rows[id];
  if (!row) return [];
  const own = s.outbox.filter((parcel) => parcel.conversationId === id);
  const draft = s.drafts[id];
  /** @type {(Mark | false)[]} */
  const all = [
    row.live?.status === "held" && { code: "wait", text: gettext("waiting for you") },
    row.live?.status === "running" && { code: "live", text: gettext("answering") },
    own.some((parcel) => parcel.problem) && { code: "unsent", text: gettext("Not sent") },
    row.version === undefined ? { code: "local", text: gettext("Not synced") } : (`edit:${id}` in s.writes || own.some((p) => !p.problem && s.link !== "open")) && { code: "unsynced", text: gettext("Not synced") },
    Boolean(draft && isWritten(draft)) && { code: "draft", text: gettext("Draft") },
    isUnread(s, row) && { code: "unread", text: gettext("Unread") },
  ];
  return all.filter((mark) => mark !== false);
}

/** It has messages that were not there when it was last seen in this browser; what was watched as it came, its count still on the way, was seen. @param {Kenny.State} s @param {Kenny.Row} row */
const isUnread = (s, row) => s.current !== row.id && row.messageCount !== undefined && row.messageCount > (s.seen[row.id] ?? row.messageCount)
  && (s.talks[row.id]?.version ?? 0) < Number(row.version);

/** @param {Kenny.Draft} draft */
const isWritten = ({ text, images }) => Boolean(text.trim() || images.length);

/** Which conversations have a draft, as one value: it changes rarely while one writes. @param {Kenny.State} s */
export const draftsIn = (s) => Object.entries(s.drafts).flatMap(([id, draft]) => (isWritten(draft) ? [id] : [])).join(" ");
