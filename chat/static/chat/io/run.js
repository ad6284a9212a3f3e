// Turns effects into calls and answers with events.
import { newId } from "./files.js";
import { body } from "../core/outbox.js";
import { lastOfPerson } from "../core/resend.js";

const LIST = "/api/conversations";
const EVERY = 60_000;
const TYPED = 250;

/** @param {string} id */
const one = (id) => `${LIST}/${encodeURIComponent(id)}`;

/**
 * @param {{ call: import("./api.js").Api, tell: (event: Kenny.Event) => void, send: (frame: Kenny.Outgoing) => void, state: () => Kenny.State }} world
 * @returns {Record<string, (effect: any) => void>}
 */
export function runner({ call, tell, send, state }) {
  const fail = (/** @type {Kenny.Failure} */ error) => {
    if (error.code === "unauthenticated") tell({ type: "link", link: "signed-out" });
    if (error.code === "account_mismatch") tell({ type: "link", link: "stranger" });
    return error;
  };
  let [pulling, pullAgain] = [false, false];
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let typed;

  const pull = async () => {
    if (pulling) { pullAgain = true; return; }
    pulling = true;
    do {
      pullAgain = false;
      const { cursor } = state().library;
      const answer = await call("GET", cursor ? `${LIST}?since=${encodeURIComponent(cursor)}` : LIST);
      if (answer.ok) tell({ type: "listed", answer: answer.data });
      else if (!["unreachable", "slow"].includes(fail(answer.error).code)) tell({ type: "problem", error: answer.error });
    } while (pullAgain);
    pulling = false;
  };
  setInterval(() => { if (!document.hidden) void pull(); }, EVERY);

  const load = async (/** @type {{ id: string }} */ { id }) => {
    const answer = await call("GET", `/api/chat/history/${encodeURIComponent(id)}?render=tree`);
    tell(answer.ok ? { type: "loaded", id, answer: answer.data } : { type: "loadFailed", id, error: fail(answer.error) });
  };
  const held = async () => {
    const answer = await call("GET", "/api/chat/pending");
    if (answer.ok) tell({ type: "heldListed", calls: answer.data.pending });
    else fail(answer.error);
  };
  const post = async (/** @type {{ parcel: Kenny.Parcel }} */ { parcel }) => {
    const images = parcel.images.map(({ mediaType, data }) => ({ mediaType, data }));
    const answer = await call("POST", "/api/chat/stream", { body: { ...body(parcel), images }, stream: true, headers: { Accept: "text/event-stream" } });
    tell(answer.ok ? { type: "posted", turnId: parcel.turnId } : { type: "postFailed", turnId: parcel.turnId, error: fail(answer.error) });
  };
  const patch = async (/** @type {{ id: string, change: object, before: Kenny.Row }} */ { id, change, before }) => {
    const answer = await call("PATCH", one(id), { body: change });
    tell(answer.ok ? { type: "changed", row: answer.data, before } : { type: "changeFailed", before, error: fail(answer.error) });
  };
  const remove = async (/** @type {{ id: string }} */ { id }) => {
    const answer = await call("DELETE", one(id));
    const done = answer.ok || answer.error.code === "deleted";
    tell(done ? { type: "removed", id } : { type: "removeFailed", id, error: fail(/** @type {any} */ (answer).error) });
  };
  const find = (/** @type {{ query: string }} */ { query }) => {
    clearTimeout(typed);
    if (!query) return;
    typed = setTimeout(async () => {
      const answer = await call("GET", `${LIST}?q=${encodeURIComponent(query)}`);
      if (answer.ok) tell({ type: "found", query, rows: answer.data.conversations });
    }, TYPED);
  };
  const resend = async (/** @type {{ id: string }} */ { id }) => {
    const answer = await call("GET", one(id));
    if (!answer.ok) { tell({ type: "problem", error: fail(answer.error) }); return; }
    const shown = state().talks[id]?.turns.at(-1);
    const stored = lastOfPerson(answer.data.messages);
    // A turn that failed before anything was stored is sent anew; one that was stored is replaced.
    const known = stored && (!shown || shown.user.text === stored.text);
    const what = known ? { text: stored.text, images: stored.images, truncateAt: stored.index, version: answer.data.version } : { text: shown?.user.text ?? "", images: [] };
    tell({ type: "resend", id, turnId: newId("t-"), ...what });
  };
  return {
    send: ({ frame }) => send(frame), pull: () => void pull(), held: () => void held(), load, post, patch, delete: remove, find, resend,
    check: ({ id }) => tell({ type: "check", id }),
  };
}
