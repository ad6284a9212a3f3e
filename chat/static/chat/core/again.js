// The last message once more: as it was, or edited. The answer that follows replaces the old one.
import { gettext } from "./gettext.js";
import { drop, put } from "./maps.js";
import { withoutTurn } from "./parcels.js";
import { add, cutLast, liveTurn } from "./talk.js";
import { begin } from "./turn.js";

/** Whether the last message can be edited or answered anew: nothing runs, and nothing waits to be sent. @param {Kenny.Talk | undefined} talk */
export const isResting = (talk) => talk?.loaded === "yes" && !liveTurn(talk) && talk.turns.at(-1)?.status !== "unsent";

/** @type {Kenny.Handlers} */
export const handlers = {
  retry: (s) => (s.current && !liveTurn(s.talks[s.current]) ? [s, [{ do: "again", id: s.current, edit: false }]] : [s, []]),
  editLast: (s) => (s.current && isResting(s.talks[s.current]) && !s.drafts[s.current]?.edit ? [s, [{ do: "again", id: s.current, edit: true }]] : [s, []]),
  /** The message as it is stored: it goes into the box, and what stood there waits. */
  editing: (s, { id, text, images, truncateAt, version }) => {
    const { edit: _edit, ...before } = s.drafts[id] ?? { text: "", images: [] };
    return [{ ...s, drafts: put(s.drafts, id, { text, images, edit: { truncateAt, version, before } }) }, [{ do: "announce", text: gettext("You are editing your last message.") }, { do: "focus" }]];
  },
  stopEditing: (s) => {
    const id = s.current;
    const before = id && s.drafts[id]?.edit?.before;
    if (!before) return [s, []];
    return [{ ...s, drafts: before.text || before.images.length ? put(s.drafts, id, before) : drop(s.drafts, id) }, [{ do: "focus" }]];
  },
  /** What is stored is not what was shown here: it is shown first. */
  outdated: (s, { id }) => [{ ...s, problem: MOVED }, [{ do: "load", id }, { do: "announce", text: MOVED.message, urgent: true }]],
  resend: (s, { id, turnId, text, images, truncateAt, version, edited = false, now = 0 }) => {
    const talk = s.talks[id];
    if (!talk || liveTurn(talk)) return [s, []];
    const pictures = images.map((/** @type {Kenny.Upload} */ i) => ({ url: i.url, mediaType: i.mediaType, width: null, height: null }));
    const turn = begin(turnId, { status: "sending", user: { text, images: pictures }, cut: truncateAt, onto: version, uploads: images });
    const parcel = { turnId, conversationId: id, text, images, sent: false, tab: s.tab, at: now, known: true, truncateAt, version, edited };
    return [{ ...s, talks: put(s.talks, id, add(cutLast(talk), turn)), outbox: [...s.outbox, parcel], homes: put(s.homes, turnId, id) }, [{ do: "toEnd" }]];
  },
  handOver: (s) => (s.current && !s.handing ? [{ ...s, handing: s.current }, [{ do: "handOver", id: s.current }, { do: "announce", text: gettext("Writing what the new conversation must know…") }]] : [s, []]),
  handedOver: (s, { id, to }) => [{ ...s, handing: null }, [{ do: "pull" }, ...(s.current === id ? [{ do: "visit", id: to }, { do: "focus" }] : [])]],
  handOverFailed: (s, { error }) => [{ ...s, handing: null, problem: error }, []],
};

const MOVED = { code: "conflict", message: gettext("This conversation has changed meanwhile. It was loaded again.") };
const KEPT = { code: "conflict", message: gettext("This conversation has changed meanwhile. It was loaded again, and your words are in the message box.") };

/** What was being edited is sent: the message it replaces goes. @param {Kenny.State} s @param {string} id @param {NonNullable<Kenny.Draft["edit"]>} edit @param {any} event @returns {Kenny.Step} */
export function sendEdited(s, id, edit, event) {
  const talk = s.talks[id];
  if (!talk || liveTurn(talk)) return [{ ...s, problem: { code: "busy", message: gettext("Claude is answering in this conversation. Send your change when the answer is there.") } }, []];
  const { truncateAt, version } = edit;
  return /** @type {Kenny.Handlers[string]} */ (handlers["resend"])({ ...s, drafts: drop(s.drafts, id) }, { ...event, id, truncateAt, version, edited: true });
}

/**
 * The server did not take a message that was to replace another: the conversation is shown as it is, and words that were changed are kept.
 * @param {Kenny.State} s @param {Kenny.Parcel} parcel @param {Kenny.Failure} error @returns {Kenny.Step}
 */
export function takenBack(s, parcel, error) {
  const { conversationId: id, text, images } = parcel;
  const keep = parcel.edited && !s.drafts[id];
  const problem = error.code === "conflict" ? (keep ? KEPT : MOVED) : error;
  const next = { ...s, problem, drafts: keep ? put(s.drafts, id, { text, images }) : s.drafts };
  return [withoutTurn(next, parcel.turnId), [{ do: "load", id }, { do: "announce", text: problem.message, urgent: true }]];
}
