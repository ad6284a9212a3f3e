// What the page asks the server for beside the messages themselves: the last one as it is stored, what may be chosen, a conversation to go on in.
import { newId, shown } from "./files.js";
import { lastOfPerson } from "../core/resend.js";
import { view } from "../core/talk.js";

/**
 * The last message as it is to go again, null when the conversation is no more what the page shows.
 * @param {{ messages: Parameters<typeof lastOfPerson>[0], version: number }} conversation @param {Kenny.Talk | undefined} talk
 */
function asStored({ messages, version }, talk) {
  const stored = lastOfPerson(messages);
  const shownLast = talk ? view(talk).findLast((message) => message.role === "user") : undefined;
  if (stored && (!shownLast || shownLast.text === stored.text)) return { text: stored.text, images: stored.images.map(shown), truncateAt: stored.index, version };
  // One that was to replace another, and whose turn failed before a word came, left the list as it was.
  const turn = talk?.turns.at(-1);
  if (!turn || talk?.version !== version || turn.cut === null) return null;
  return { text: turn.user.text, images: turn.uploads, truncateAt: turn.cut, version };
}

/**
 * @param {import("./run.js").World} world @param {(error: Kenny.Failure) => Kenny.Failure} fail
 * @returns {Record<string, (effect: any) => void>}
 */
export function again({ call, tell, state }, fail) {
  let moving = false;
  return {
    /** The last message of a person, to be edited or answered once more. What is shown must be what is stored. */
    again: async ({ id, edit }) => {
      const answer = await call("GET", `/api/conversations/${encodeURIComponent(id)}`);
      if (!answer.ok) { tell({ type: "problem", error: fail(answer.error) }); return; }
      const what = asStored(answer.data, state().talks[id]);
      if (!what) tell({ type: "outdated", id });
      else tell(edit ? { type: "editing", id, ...what } : { type: "resend", id, turnId: newId("t-"), ...what });
    },
    offer: async () => {
      const answer = await call("GET", "/api/chat/models");
      if (answer.ok) tell({ type: "offered", offer: answer.data });
      else fail(answer.error); // every model can still be asked: nothing waits for this list
    },
    handOver: async ({ id }) => {
      if (moving) return;
      moving = true;
      const answer = await call("POST", "/api/chat/handover", { body: { conversationId: id }, patience: 90_000 });
      moving = false;
      tell(answer.ok ? { type: "handedOver", id, to: answer.data.conversationId } : { type: "handOverFailed", error: fail(answer.error) });
    },
  };
}
