// Opening, writing, stopping, deciding: what a person does in one conversation.
import { watch } from "./connection.js";
import { buried, withRow } from "./library.js";
import { drop, put } from "./maps.js";
import { mustWait, without, withTurn } from "./outbox.js";
import { add, blank, cutLast, liveTurn, load, PAGE } from "./talk.js";
import { begin } from "./turn.js";

/** @param {Kenny.State} s @param {Kenny.Talk} talk @returns {Kenny.State} */
const withTalk = (s, talk) => ({ ...s, talks: put(s.talks, talk.id, talk) });

/** @param {Kenny.State} s @param {Kenny.Talk} talk */
const isBehind = (s, talk) => { const row = s.library.rows[talk.id]; return row?.version !== undefined && row.version > talk.version; };

/** @type {Kenny.Handlers} */
export const handlers = {
  open: (s, { id }) => {
    const left = s.current && s.current !== id ? [{ do: "send", frame: { type: "unwatch", conversationId: s.current } }] : [];
    if (!id) return [{ ...s, current: null }, left];
    const old = s.talks[id] ?? blank(id, { title: s.library.rows[id]?.title ?? "" });
    const fresh = old.loaded === "yes" && !isBehind(s, old);
    const talk = fresh || old.loaded === "yes" ? { ...old, shown: PAGE } : { ...old, loaded: /** @type {const} */ ("loading"), problem: null };
    return [{ ...withTalk(s, talk), current: id }, [...left, { do: "send", frame: watch(talk) }, ...(fresh ? [] : [{ do: "load", id }]), { do: "toEnd" }]];
  },
  check: (s, { id }) => {
    const talk = s.talks[id];
    if (talk?.loaded !== "yes" || !isBehind(s, talk)) return [s, []];
    const turn = liveTurn(talk);
    if (!turn) return [s, [{ do: "load", id }]];
    const isOver = turn.seq > 0 && !s.library.rows[id]?.live; // its end is on the way, or was lost
    return [s, isOver ? [{ do: "send", frame: watch(talk) }] : []];
  },
  loaded: (s, { id, answer }) => {
    const talk = s.talks[id];
    return talk && talk.loaded !== "deleted" ? [withTalk(s, load(talk, answer)), []] : [s, []];
  },
  loadFailed: (s, { id, error }) => {
    const talk = s.talks[id];
    if (!talk) return [s, []];
    if (error.code === "deleted") return [buried(s, id), []];
    if (talk.loaded === "yes") return [talk.turns.length ? s : { ...s, problem: error }, []];
    const loaded = error.code === "not_found" ? (talk.turns.length ? "yes" : "missing") : "failed";
    return [withTalk(s, { ...talk, loaded, problem: error }), []];
  },
  older: (s, { id }) => {
    const talk = s.talks[id];
    return talk ? [withTalk(s, { ...talk, shown: talk.shown + PAGE }), []] : [s, []];
  },

  draft: (s, { text, images }) => {
    const key = s.current ?? "";
    return [{ ...s, drafts: text || images.length ? put(s.drafts, key, { text, images }) : drop(s.drafts, key) }, []];
  },
  submit: (s, { text, images, newId, turnId, now }) => {
    const id = s.current ?? newId;
    const known = s.talks[id] ?? blank(id, { loaded: "yes", title: firstWords(text) });
    const pictures = images.map((/** @type {Kenny.Upload} */ i) => ({ url: i.url, mediaType: i.mediaType, width: null, height: null }));
    const turn = begin(turnId, { status: mustWait(s, id) ? "queued" : "sending", user: { text, images: pictures } });
    const next = withTalk(s.library.rows[id] ? s : withRow(s, newRow(id, firstWords(text), now)), add(known, turn));
    const outbox = [...s.outbox, { turnId, conversationId: id, text, images, sent: false }];
    const drafts = drop(s.drafts, s.current ?? "");
    return [{ ...next, outbox, drafts, current: id, homes: put(s.homes, turnId, id) }, [...(s.current ? [] : [{ do: "go", id }]), { do: "toEnd" }]];
  },
  posted: (s, { turnId }) => {
    const id = s.homes[turnId];
    if (!id) return [s, []];
    return [{ ...s, outbox: s.outbox.filter((p) => p.turnId !== turnId) }, s.current === id ? [{ do: "send", frame: { ...watch(blank(id)), turnId } }] : []];
  },
  postFailed: (s, { turnId, error }) => {
    const id = s.homes[turnId] ?? "";
    if (error.code === "deleted") return [buried(s, id), []];
    return [withTurn(s, id, turnId, { status: "unsent", problem: error.message }), []];
  },
  cancel: (s, { turnId }) => {
    const talk = s.talks[s.homes[turnId] ?? ""];
    const parcel = s.outbox.find((p) => p.turnId === turnId);
    if (!talk || !parcel) return [s, []];
    const next = withTalk({ ...s, outbox: s.outbox.filter((p) => p !== parcel) }, without(talk, turnId));
    const key = talk.id;
    return [s.drafts[key] ? next : { ...next, drafts: put(s.drafts, key, { text: parcel.text, images: parcel.images }) }, [{ do: "focus" }]];
  },
  again: (s, { turnId }) => [withTurn({ ...s, outbox: s.outbox.map((p) => (p.turnId === turnId ? { ...p, sent: false } : p)) },
    s.homes[turnId] ?? "", turnId, { status: "queued", problem: null }), []],
  retry: (s) => (s.current ? [s, [{ do: "resend", id: s.current }]] : [s, []]),
  resend: (s, { id, turnId, text, images, truncateAt, version }) => {
    const talk = s.talks[id];
    if (!talk || liveTurn(talk)) return [s, []];
    const pictures = talk.turns.at(-1)?.user.images ?? talk.history.findLast((m) => m.role === "user")?.images ?? [];
    const turn = begin(turnId, { status: "sending", user: { text, images: pictures } });
    const parcel = { turnId, conversationId: id, text, images, sent: false, ...(truncateAt === undefined ? {} : { truncateAt, version }) };
    return [{ ...withTalk(s, add(cutLast(talk), turn)), outbox: [...s.outbox, parcel], homes: put(s.homes, turnId, id) }, [{ do: "toEnd" }]];
  },
  stop: (s) => {
    const turn = s.current ? liveTurn(s.talks[s.current]) : undefined;
    if (!turn || !s.current || turn.stopping || turn.status === "queued") return [s, []];
    return [withTurn(s, s.current, turn.id, { stopping: true }), [{ do: "send", frame: { type: "stop", ref: `stop:${turn.id}`, turnId: turn.id } }]];
  },
};

/** @param {string} text */
const firstWords = (text) => (text.trim().split("\n", 1)[0] ?? "").slice(0, 80);

/** @param {string} id @param {string} title @param {number} now @returns {Kenny.Row} */
const newRow = (id, title, now) => ({ id, title, agentId: null, pinned: false, archived: false, updatedAt: now });
