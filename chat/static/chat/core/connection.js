// The socket's life and its frames: which conversation a frame belongs to, what a hint asks for, what a refusal means.
import { locked } from "./account.js";
import { gettext, translated } from "./gettext.js";
import { delivered, refused, reopen, withTurn } from "./outbox.js";
import { buried, withRow } from "./library.js";
import { put } from "./maps.js";
import { add, change, liveTurn, receive } from "./talk.js";
import { begin, isGap } from "./turn.js";
import { letGo, undecided, unsure } from "./gates.js";
import { spoken } from "./spoken.js";
import { hurry } from "./writes.js";

/** The frame that follows a conversation from where the page is. @param {Kenny.Talk} talk @returns {Kenny.Outgoing} */
export function watch(talk) {
  const turn = liveTurn(talk);
  const from = turn && turn.seq > 0 ? { turnId: turn.id, after: turn.seq } : {};
  return { type: "watch", ref: `watch:${talk.id}`, conversationId: talk.id, ...from, render: true };
}

/** Made here, and its first message is still to be sent. @param {Kenny.State} s @param {Kenny.Talk} talk */
const isUnknown = (s, talk) => talk.turns.every((turn) => turn.seq === 0) && talk.id in s.library.rows && s.library.rows[talk.id]?.version === undefined;

/** @type {Kenny.Handlers} */
export const handlers = {
  problem: (s, { error }) => [{ ...s, problem: error }, []],
  frame: (s, { frame, now = 0 }) => (frames[frame.type] ?? turnEvent)(s, { ...frame, now }),
};

/** @type {Kenny.Handlers} */
const frames = {
  hello: (s, f) => {
    if (String(f.account) !== s.account) return [locked(s, "stranger"), [{ do: "close" }]];
    const settling = s.outbox.length > 0 || Object.keys(s.writes).length > 0; // the list comes first: it may say that they are void
    const next = hurry(reopen({ ...unsure(s), link: "open", cut: false, settling, stale: s.stale || (Boolean(f.static) && f.static !== s.static) }));
    const talk = s.current ? s.talks[s.current] : undefined;
    /** @type {Kenny.Effect[]} */
    const effects = [{ do: "pull" }, { do: "held" }, ...(s.offer ? [] : [{ do: "offer" }])];
    if (s.cut) effects.push({ do: "announce", text: gettext("Connected again") });
    if (talk && !isUnknown(next, talk)) effects.push({ do: "send", frame: watch(talk) });
    if (talk?.loaded === "failed") effects.push({ do: "load", id: talk.id });
    return [next, effects];
  },
  ack: (s, f) => {
    const [kind, id] = split(f.ref);
    if (kind === "confirm") return [letGo(s, id), [{ do: "held" }]];
    if (kind !== "send" || !s.outbox.some((parcel) => parcel.turnId === id)) return [s, []];
    return [withTurn(withHome(delivered(s, id), id, f.conversationId), f.conversationId, id, { status: "running" }), []];
  },
  error: (s, f) => (f.ref === undefined ? turnEvent(s, f) : refusal(s, f)),
  changed: (s) => [s, [{ do: "pull" }]],
  deleted: (s, f) => [buried(s, f.id), [{ do: "pull" }]],
  live: (s, f) => {
    const row = s.library.rows[f.conversationId];
    const live = ["running", "held"].includes(f.status) ? { turnId: f.turnId, status: f.status } : null;
    const held = f.status === "held" || s.held.some((call) => call.conversationId === f.conversationId);
    return [hurry(row ? withRow(s, { ...row, live }) : s), [{ do: "pull" }, ...(held ? [{ do: "held" }] : [])]];
  },
};

/** @param {unknown} ref @returns {[string, string]} */
const split = (ref) => { const [kind = "", ...id] = String(ref).split(":"); return [kind, id.join(":")]; };

/** @param {Kenny.State} s @param {string} turnId @param {string | undefined} id @returns {Kenny.State} */
const withHome = (s, turnId, id) => (id && s.homes[turnId] !== id ? { ...s, homes: put(s.homes, turnId, id) } : s);

/** An event of a turn; deltas name only their turn. @param {Kenny.State} state @param {Kenny.Frame} f @returns {Kenny.Step} */
function turnEvent(state, f) {
  if (f.type === "restart" && f.turnId === undefined) return restart(state, f);
  if (typeof f.turnId !== "string") return [state, []];
  const s = withHome(state, f.turnId, f.conversationId);
  const id = s.homes[f.turnId];
  const talk = id ? s.talks[id] : undefined;
  if (!id || !talk || talk.loaded === "deleted") return [s, []];
  const known = talk.turns.find((turn) => turn.id === f.turnId);
  if (isGap(known ?? begin(f.turnId), f)) return askAgain(s, talk, f.turnId);
  const next = receive(talk, f);
  const effects = next === talk ? [] : spoken(talk, next, f, s.current === id, s.preferences.announcements === "ends");
  if (f.type === "done" && f.done && (f.stopReason !== "end_turn" || next.turns.some((turn) => turn.id === f.turnId && turn.lenient))) effects.push({ do: "load", id }); // what was shown may be more than what is kept
  return [delivered({ ...s, talks: put(s.talks, id, next) }, f.turnId), effects];
}

/** A crash took events that were shown. The frame need not name its turn: one conversation is watched at a time. @param {Kenny.State} s @param {Kenny.Frame} f @returns {Kenny.Step} */
function restart(s, f) {
  const turn = s.current ? liveTurn(s.talks[s.current]) : undefined;
  return turn && s.current ? turnEvent(s, { ...f, turnId: turn.id, conversationId: s.current }) : [s, []];
}

/** Something is missing: the turn is asked for from its start. @param {Kenny.State} s @param {Kenny.Talk} talk @param {string} turnId @returns {Kenny.Step} */
function askAgain(s, talk, turnId) {
  const known = talk.turns.some((turn) => turn.id === turnId) ? talk : add(talk, begin(turnId));
  const talks = put(s.talks, talk.id, change(known, turnId, (turn) => ({ ...turn, asking: true })));
  const from = { conversationId: talk.id };
  return [{ ...s, talks }, [
    { do: "send", frame: { type: "unwatch", ...from } },
    { do: "send", frame: { type: "watch", ref: `watch:${talk.id}`, ...from, turnId, after: 0, render: true } },
  ]];
}

/** @param {Kenny.State} s @param {Kenny.Reply} f @returns {Kenny.Step} */
function refusal(s, f) {
  const [kind, id] = split(f.ref);
  const error = { code: f.code ?? "bad_request", message: f.message ? translated(f.message) : gettext("That did not work."), ...(f.retryAfter ? { retryAfter: f.retryAfter } : {}) };
  const home = s.homes[id] ?? "";
  if (kind === "send") return error.code === "deleted" ? [buried(s, home), []] : refused(s, id, error, /** @type {number} */ (f.now));
  if (kind === "confirm") return undecided(s, id, f);
  if (kind === "stop") return [withTurn({ ...s, problem: error }, home, id, { stopping: false }), []];
  if (kind === "watch" && error.code === "deleted") return [buried(s, id), []];
  if (kind === "watch" && error.code === "not_found") return [forgetTurns(s, id), s.library.rows[id]?.version === undefined ? [] : [{ do: "load", id }]];
  return [s, []];
}

/** @param {Kenny.State} s @param {string} id */
function forgetTurns(s, id) {
  const talk = s.talks[id];
  return talk ? { ...s, talks: put(s.talks, id, { ...talk, turns: talk.turns.filter((turn) => turn.seq === 0) }) } : s;
}
