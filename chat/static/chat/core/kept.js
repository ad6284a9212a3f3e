// "Not sent": words that were typed and have no conversation any more. They stay until the person uses or discards them.
import { drop, put } from "./maps.js";

/** @param {Kenny.State} s @param {string} id @returns {string} */
const titleFor = (s, id) => s.library.rows[id]?.title || s.library.gone[id]?.title || s.talks[id]?.title || "";

/** Takes the words of a conversation that is going: its draft and its messages that have not gone. @param {Kenny.State} s @param {string} id @returns {Kenny.State} */
export function keepWords(s, id) {
  const draft = s.drafts[id];
  const words = [
    ...s.outbox.filter((parcel) => parcel.conversationId === id).map(({ turnId, text, images }) => ({ key: turnId, text, images })),
    ...(draft && (draft.text.trim() || draft.images.length) ? [{ key: `draft-${id}`, ...draft }] : []),
  ];
  if (!words.length) return s;
  const title = titleFor(s, id);
  const kept = words.reduce((all, one) => put(all, one.key, { ...one, title }), s.kept);
  return { ...s, kept, news: [...s.news, { key: `kept-${id}`, kind: "kept", id, title }] };
}

/** @type {Kenny.Handlers} */
export const handlers = {
  reuse: (s, { key }) => {
    const one = s.kept[key];
    if (!one) return [s, []];
    const old = s.drafts[""];
    const text = old?.text.trim() ? `${old.text}\n\n${one.text}` : one.text;
    const next = { ...s, kept: drop(s.kept, key), drafts: put(s.drafts, "", { text, images: [...(old?.images ?? []), ...one.images].slice(0, s.limits.images) }) };
    return [next, [{ do: "visit", id: null }, { do: "focus" }]];
  },
  discard: (s, { key }) => [{ ...s, kept: drop(s.kept, key) }, []],
  dismiss: (s, { key }) => [{ ...s, news: s.news.filter((one) => one.key !== key) }, []],
};
