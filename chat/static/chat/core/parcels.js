// Messages that wait, from another page or tab: each has its place in its conversation, which may be known here by nothing else.
import { withRow } from "./library.js";
import { put } from "./maps.js";
import { isDeleting } from "./sync.js";
import { add, blank, change } from "./talk.js";
import { begin } from "./turn.js";

/** @param {string} text */
export const firstWords = (text) => text.trim().replace(/\n.*/s, "").slice(0, 80);

/** @param {string} id @param {string} title @param {number} now @returns {Kenny.Row} */
export const newRow = (id, title, now) => ({ id, title, agentId: null, pinned: false, archived: false, updatedAt: now });

/** Takes a message with its row and its turn. @param {Kenny.State} s @param {Kenny.Parcel} parcel @returns {Kenny.State} */
export function keepTalk(s, parcel) {
  const { turnId, conversationId: id, text } = parcel;
  const known = s.outbox.some((other) => other.turnId === turnId);
  const outbox = known ? s.outbox.map((other) => (other.turnId === turnId ? parcel : other)) : [...s.outbox, parcel];
  const next = id in s.library.rows || isDeleting(s.writes, id) ? s : withRow(s, { ...newRow(id, firstWords(text), parcel.at), ...(parcel.settings ? { settings: parcel.settings } : {}), ...(parcel.known ? { version: 1, fresh: true } : {}), agentId: parcel.agentId ?? null });
  const talk = next.talks[id] ?? blank(id, { title: next.library.rows[id]?.title ?? "" });
  const status = parcel.problem ? /** @type {const} */ ("unsent") : "queued";
  const shown = talk.turns.some((turn) => turn.id === turnId)
    ? change(talk, turnId, (turn) => (turn.seq ? turn : { ...turn, status, problem: parcel.problem ?? null }))
    : add(talk, begin(turnId, { status, problem: parcel.problem ?? null, user: { text, images: parcel.images.map(({ url, mediaType }) => ({ url, mediaType, width: null, height: null })) } }));
  return { ...next, outbox, homes: put(s.homes, turnId, id), talks: put(next.talks, id, shown) };
}

/** It went, or was taken back: where nothing of its answer has been seen its place goes too. @param {Kenny.State} s @param {string} turnId @returns {Kenny.State} */
export function withoutTurn(s, turnId) {
  const id = s.homes[turnId] ?? "";
  const outbox = s.outbox.filter((parcel) => parcel.turnId !== turnId);
  const talk = s.talks[id];
  if (!talk) return { ...s, outbox };
  const turns = talk.turns.filter((turn) => turn.id !== turnId || turn.seq > 0);
  return { ...s, outbox, talks: turns.length === talk.turns.length ? s.talks : put(s.talks, id, { ...talk, turns }) };
}
