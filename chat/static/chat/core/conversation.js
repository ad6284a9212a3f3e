// Writing, stopping, deciding: what a person does in one conversation.
import { sendEdited } from "./again.js";
import { begun } from "./choice.js";
import { watch } from "./connection.js";
import { buried, forget, withRow } from "./library.js";
import { drop, put } from "./maps.js";
import { delivered, mustWait, refused, withTurn } from "./outbox.js";
import { firstWords, newRow, withoutTurn } from "./parcels.js";
import { add, blank, liveTurn } from "./talk.js";
import { begin } from "./turn.js";

/** @param {Kenny.State} s @param {Kenny.Talk} talk @returns {Kenny.State} */
const withTalk = (s, talk) => ({ ...s, talks: put(s.talks, talk.id, talk) });

/** Where a message was written: known for as long as the page is the account's. @param {Kenny.State} s @param {string} turnId */
const homeOf = (s, turnId) => /** @type {string} */ (s.homes[turnId]);

/** @type {Kenny.Handlers} */
export const handlers = {
  draft: (s, { text, images }) => {
    const key = s.current ?? "";
    const edit = s.drafts[key]?.edit;
    return [{ ...s, drafts: text || images.length || edit ? put(s.drafts, key, { text, images, ...(edit ? { edit } : {}) }) : drop(s.drafts, key) }, []];
  },
  submit: (s, event) => {
    const { text, images, newId, turnId, now = 0 } = event;
    const edit = s.current ? s.drafts[s.current]?.edit : undefined;
    if (s.current && edit) return sendEdited(s, s.current, edit, event);
    const id = s.current ?? newId;
    const known = s.talks[id] ?? blank(id, { loaded: "yes", title: firstWords(text) });
    const pictures = images.map((/** @type {Kenny.Upload} */ i) => ({ url: i.url, mediaType: i.mediaType, width: null, height: null }));
    const turn = begin(turnId, { status: mustWait(s, id) ? "queued" : "sending", user: { text, images: pictures } });
    const first = s.library.rows[id] ? {} : begun(s);
    const there = s.library.rows[id]?.version === undefined ? {} : { known: true };
    const next = withTalk(s.library.rows[id] ? s : withRow(s, { ...newRow(id, firstWords(text), now), ...first }), add(known, turn));
    const outbox = [...s.outbox, { turnId, conversationId: id, text, images, sent: false, tab: s.tab, at: now, ...first, ...there }];
    const drafts = drop(s.drafts, s.current ?? "");
    return [{ ...next, outbox, drafts, current: id, homes: put(s.homes, turnId, id) }, [...(s.current ? [] : [{ do: "go", id }]), { do: "toEnd" }]];
  },
  posted: (s, { turnId }) => {
    const id = homeOf(s, turnId);
    return [delivered(s, turnId), s.current === id ? [{ do: "send", frame: { ...watch(blank(id)), turnId } }] : []];
  },
  postFailed: (s, { turnId, error, now = 0 }) => (error.code === "deleted" ? [buried(s, homeOf(s, turnId)), []] : refused(s, turnId, error, now)),
  cancel: (s, { turnId }) => {
    const parcel = s.outbox.find((p) => p.turnId === turnId);
    const talk = parcel && s.talks[parcel.conversationId];
    if (!talk || !parcel) return [s, []];
    const bare = withoutTurn(s, turnId);
    const isEmpty = talk.version === 0 && s.library.rows[talk.id]?.version === undefined && (!parcel.tried || Boolean(parcel.problem)) && !talk.history.length && talk.turns.length === 1;
    const next = isEmpty ? { ...forget(bare, talk.id), talks: drop(bare.talks, talk.id), current: null } : bare; // nothing is left of a chat that never was
    const key = isEmpty ? "" : talk.id;
    const drafts = next.drafts[key] ? next.drafts : put(next.drafts, key, { text: parcel.text, images: parcel.images });
    return [{ ...next, drafts }, [...(isEmpty ? [{ do: "go", id: null }] : []), ...(parcel.truncateAt === undefined ? [] : [{ do: "load", id: talk.id }]), { do: "focus" }]];
  },
  again: (s, { turnId }) => [withTurn({ ...s, outbox: s.outbox.map((p) => (p.turnId === turnId ? { ...p, sent: false, problem: null, due: 0, tries: 0, tab: s.tab } : p)) },
    homeOf(s, turnId), turnId, { status: "queued", problem: null }), []],
  stop: (s) => {
    const turn = s.current ? liveTurn(s.talks[s.current]) : undefined;
    if (!turn || !s.current || turn.stopping || turn.status === "queued") return [s, []];
    return [withTurn(s, s.current, turn.id, { stopping: true }), [{ do: "send", frame: { type: "stop", ref: `stop:${turn.id}`, turnId: turn.id } }]];
  },
};
