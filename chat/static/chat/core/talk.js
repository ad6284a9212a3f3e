// One conversation as the page holds it: what was settled when it was loaded, and the turns seen since.
import { advance, begin, isLive } from "./turn.js";
import { messages, outcomeOf, replay } from "./replay.js";

export const PAGE = 50;

/** @param {string} id @param {Partial<Kenny.Talk>} [more] @returns {Kenny.Talk} */
export const blank = (id, more) => ({
  id, loaded: "no", problem: null, title: "", version: 0, loadedVersion: 0, history: [], turns: [], after: null, shown: PAGE, ...more,
});

/** The turn that runs, waits or is on its way. @param {Kenny.Talk | undefined} talk */
export const liveTurn = (talk) => talk?.turns.findLast(isLive);

/** Whether the settled list already holds this turn (as far as it was settled). @param {Kenny.Talk} talk @param {Kenny.Turn} turn */
const isKept = (talk, turn) => turn.since !== null && turn.since <= talk.loadedVersion;

/** @param {Kenny.Talk} talk @param {Kenny.Replay} answer @returns {Kenny.Talk} */
export function load(talk, answer) {
  const next = {
    ...talk, loaded: /** @type {const} */ ("yes"), problem: null, title: answer.title, history: replay(answer.transcript), after: talk.after,
    loadedVersion: answer.version, version: Math.max(talk.version, answer.version),
  };
  const last = talk.turns.at(-1);
  if (last?.status === "over" && isKept(next, last)) next.after = outcomeOf(last);
  next.turns = talk.turns.filter((turn) => isLive(turn) || turn.status === "unsent" || !isKept(next, turn));
  return next;
}

/** @param {Kenny.Talk} talk @param {Kenny.Turn} turn @returns {Kenny.Talk} */
export const add = (talk, turn) => ({ ...talk, turns: [...talk.turns, turn], after: null });

/** @param {Kenny.Talk} talk @param {string} turnId @param {(turn: Kenny.Turn) => Kenny.Turn} change @returns {Kenny.Talk} */
export function change(talk, turnId, change) {
  const at = talk.turns.findIndex((turn) => turn.id === turnId);
  const old = talk.turns[at];
  if (!old) return talk;
  const now = change(old);
  return now === old ? talk : { ...talk, turns: talk.turns.with(at, now) };
}

/** @param {Kenny.Talk} talk @param {Kenny.Frame} frame @returns {Kenny.Talk} */
export function receive(talk, frame) {
  const known = talk.turns.some((turn) => turn.id === frame.turnId);
  const next = change(known ? talk : add(talk, begin(frame.turnId)), frame.turnId, (turn) => advance(turn, frame));
  return frame.type === "done" ? { ...next, version: Math.max(next.version, frame.version) } : next;
}

/** Leaves out the last message of a person and all after it: it is being sent again. @param {Kenny.Talk} talk @returns {Kenny.Talk} */
export function cutLast(talk) {
  const turns = talk.turns.slice(0, -1);
  return talk.turns.length ? { ...talk, turns, history: settled(talk), loadedVersion: -1, after: null }
    : { ...talk, history: cut(talk.history, 1), loadedVersion: -1, after: null };
}

/** @param {Kenny.Message[]} history @param {number} count how many messages of a person go */
function cut(history, count) {
  let end = history.length;
  for (let left = count; left > 0 && end > 0;) if (history[--end]?.role === "user") left -= 1;
  return end === history.length ? history : history.slice(0, end);
}

/** Replaces a message of the list as it was loaded. @param {Kenny.Talk} talk @param {Kenny.Turn} turn */
const replaces = (talk, turn) => talk.loadedVersion >= 0 && turn.cut !== null && turn.since === null;

/** @param {Kenny.Talk} talk */
const settled = (talk) => cut(talk.history, talk.turns.filter((turn) => isKept(talk, turn) || replaces(talk, turn)).length);

/** What was made of an object that never changes: asked again, it is the same, so that the page can tell by identity that nothing moved. @type {WeakMap<object, any>} */
const made = new WeakMap();

/** @template {object} K @template T @param {K} from @param {string} as @param {() => T} make @returns {T} */
function once(from, as, make) {
  const known = made.get(from);
  if (known?.as === as) return known.value;
  const value = make();
  made.set(from, { as, value });
  return value;
}

/** Keyed by its place, so that a reload finds the same elements. @param {Kenny.Message} message @param {number} i @returns {Kenny.Message} */
const placed = (message, i) => once(message, `m${i}`, () => ({ ...message, key: `m${i}` }));

/** Every message in order. @param {Kenny.Talk} talk @returns {Kenny.Message[]} */
export function view(talk) {
  const kept = settled(talk);
  const old = once(kept, "", () => kept.map(placed));
  const fresh = talk.turns.flatMap((turn) => once(turn, "", () => messages(turn, turn.id)));
  const all = [...old, ...fresh.map((message, i) => placed(message, old.length + i))];
  const last = all.at(-1);
  const { after } = talk;
  if (after && last && !last.outcome && !talk.turns.length) all[all.length - 1] = once(after, last.key, () => ({ ...last, outcome: after }));
  return all;
}
