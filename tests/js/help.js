// What the tests share: golden frames, a state fed with events, turns as the wire tells them.
import { readFileSync } from "node:fs";
import { initial, reduce } from "../../chat/static/chat/core/state.js";

export const golden = (name) => JSON.parse(readFileSync(new URL(`../contracts/${name}.json`, import.meta.url), "utf8"));
export const hello = golden("hello");
export const fresh = () => initial({ account: "1", static: hello.static, limits: hello.limits });

/** Feeds events; returns the state and all effects. */
export function feed(events, from = fresh()) {
  let [state, all] = [from, []];
  for (const event of events) {
    const [next, effects] = reduce(state, event);
    [state, all] = [next, [...all, ...effects]];
  }
  return [state, all];
}

export const frame = (data) => ({ type: "frame", frame: data });
export const online = frame(hello);
export const sent = (effects, type) => effects.filter((e) => e.do === "send" && e.frame.type === type).map((e) => e.frame);
export const empty = (more = {}) => ({ id: "c-1", title: "t", agentId: "workspace", updatedAt: 1, version: 1, transcript: [], ...more });
export const opened = [online, { type: "open", id: "c-1" }, { type: "loaded", id: "c-1", answer: empty() }];

/** Events of a turn, numbered from 1, as they come over the wire. */
export const turn = (turnId, events) => events.map((event, i) => frame({
  ...(event.type.endsWith("_delta") ? {} : { conversationId: "c-1" }), turnId, seq: i + 1, ...event,
}));
export const p = (text) => ["p", null, text];

/** What a reader sees of messages, without where it came from. */
export const seen = (messages) => messages.map(({ key, role, text: _, images, parts }) => ({
  key, role, words: role === "user" ? _ : null, images,
  parts: parts.map((part) => {
    if (part.kind === "text") return { kind: "text", nodes: part.nodes };
    if (part.kind === "thinking") return { kind: "thinking", text: part.text, open: part.open };
    const { callId, tool, args, state, text, images: shown, error } = part;
    return { callId, tool, args, state, text, images: shown, error };
  }),
}));

/** A seeded chance, so that a failure can be repeated. */
export function chance(seed) {
  let x = seed >>> 0;
  return (below) => { x = (Math.imul(x, 1664525) + 1013904223) >>> 0; return Math.floor((x / 2 ** 32) * below); };
}
