// Turns effects into calls and answers with events.
import { again } from "./again.js";
import { CHANGED, only } from "../core/keys-sent.js";
import { body } from "../core/outbox.js";

const LIST = "/api/conversations";
const EVERY = 60_000;
const TYPED = 250;
const PATIENCE = 3_000; // a delete that hangs does not keep the list away
const ODD = { code: "odd", message: "" };
const OFF = ["offline", "signed-out", "stranger", "locked"];

/** @param {string} id */
const one = (id) => `${LIST}/${encodeURIComponent(id)}`;

/**
 * @typedef {{ call: import("./api.js").Api, tell: (event: Kenny.Event) => void, send: (frame: Kenny.Outgoing) => void, state: () => Kenny.State }} World
 * @param {World} world @returns {Record<string, (effect: any) => void>}
 */
export function runner(world) {
  const { call, tell, send, state } = world;
  const fail = (/** @type {Kenny.Failure} */ error) => {
    if (error.code === "unauthenticated") tell({ type: "link", link: "signed-out" });
    if (error.code === "account_mismatch") tell({ type: "link", link: "stranger" });
    return error;
  };
  /** @type {Set<Promise<unknown>>} */
  const deleting = new Set();
  const writes = writer(world, fail, deleting);
  let [pulling, pullAgain] = [false, false];
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let typed;

  const pull = async () => {
    if (pulling || OFF.includes(state().link)) { pullAgain = pulling; return; }
    pulling = true;
    do {
      pullAgain = false;
      if (deleting.size) await Promise.race([Promise.allSettled(deleting), new Promise((done) => { setTimeout(done, PATIENCE); })]);
      const answer = await whole(call, state().library.cursor);
      if (answer.ok) tell({ type: "listed", answer: answer.data });
      else if (!["unreachable", "slow", "unauthenticated", "account_mismatch"].includes(fail(answer.error).code)) tell({ type: "problem", error: answer.error });
      if (!answer.ok) tell({ type: "pullFailed" });
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
  const find = (/** @type {{ query: string }} */ { query }) => {
    clearTimeout(typed);
    if (!query || OFF.includes(state().link)) return;
    typed = setTimeout(async () => {
      const answer = await call("GET", `${LIST}?q=${encodeURIComponent(query)}`);
      tell({ type: "found", query, rows: answer.ok ? answer.data.conversations : [] });
    }, TYPED);
  };
  return {
    send: ({ frame }) => send(frame), pull: () => void pull(), held: () => void held(), load, find, ...writes, ...again(world, fail),
    check: ({ id }) => tell({ type: "check", id }),
    wake: ({ at }) => { setTimeout(() => tell({ type: "wake" }), Math.max(0, at - Date.now()) + Math.random() * 250); },
  };
}

/** All pages of a list as one answer: half a list says nothing. @param {import("./api.js").Api} call @param {string | null} cursor @returns {Promise<import("./api.js").Answer>} */
async function whole(call, cursor) {
  const answer = await call("GET", cursor ? `${LIST}?since=${encodeURIComponent(cursor)}` : LIST);
  let next = answer.ok ? answer.data.next : null;
  while (answer.ok && next) {
    const more = await call("GET", `${LIST}?next=${encodeURIComponent(next)}`);
    if (!more.ok) return more;
    answer.data.conversations.push(...more.data.conversations);
    answer.data.deleted.push(...more.data.deleted);
    next = more.data.next;
  }
  return answer;
}

/** @param {World} world @param {(error: Kenny.Failure) => Kenny.Failure} fail @param {Set<Promise<unknown>>} deleting @returns {Record<string, (effect: any) => void>} */
function writer({ call, tell }, fail, deleting) {
  const under = (/** @type {Promise<unknown>} */ work) => { deleting.add(work); void work.finally(() => deleting.delete(work)); };
  return {
    post: async ({ parcel }) => {
      const images = parcel.images.map((/** @type {Kenny.Upload} */ { mediaType, data }) => ({ mediaType, data }));
      const answer = await call("POST", "/api/chat/stream", { body: { ...body(parcel), images }, stream: true, headers: { Accept: "text/event-stream" } });
      tell(answer.ok ? { type: "posted", turnId: parcel.turnId } : { type: "postFailed", turnId: parcel.turnId, error: fail(answer.error) });
    },
    patch: async ({ id, change, updatedAt, etag }) => {
      const answer = await call("PATCH", one(id), { body: only(CHANGED, { ...change, updatedAt }), headers: etag ? { "If-Match": etag } : {} });
      tell(answer.ok ? { type: "changed", id, row: answer.data, sent: change } : { type: "changeFailed", id, sent: change, error: fail(answer.error) });
    },
    delete: ({ id }) => under(call("DELETE", one(id)).then((answer) => {
      const done = answer.ok ? answer.data?.id === id : answer.error.code === "deleted"; // its own word, not that of something in between
      tell(done ? { type: "removed", id } : { type: "removeFailed", id, error: answer.ok ? ODD : fail(answer.error) });
    })),
    deleteAll: ({ key, before }) => under(call("DELETE", `${LIST}?before=${encodeURIComponent(before)}`).then((answer) =>
      tell(answer.ok && typeof answer.data?.count === "number" ? { type: "removedAll", key } : { type: "removeAllFailed", key, error: answer.ok ? ODD : fail(answer.error) }))),
  };
}
