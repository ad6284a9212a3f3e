// Changes of a conversation's metadata that the server has not confirmed: how they add up, and what is left of them when its row comes.
import { put } from "./maps.js";

/** @param {unknown} a @param {unknown} b */
const same = (a, b) => a === b || JSON.stringify(a) === JSON.stringify(b);

/** One time later than all that is known, whatever the clock says. @param {number} now @param {Kenny.Row} row */
export const later = (now, row) => Math.max(now, row.updatedAt + 1);

/**
 * A person changed something. `was` keeps what the server had, for as long as it knows the conversation at all.
 * @param {Kenny.State} s @param {Kenny.Row} row @param {Kenny.Change} change @param {number} now @returns {Record<string, Kenny.Write>}
 */
export function edited({ writes, tab }, row, change, now) {
  const key = `edit:${row.id}`;
  const old = writes[key];
  /** @type {Kenny.Change} */
  const had = Object.fromEntries(Object.keys(change).map((name) => [name, /** @type {any} */ (row)[name]]));
  const was = row.version === undefined ? old?.was : { ...had, ...old?.was };
  return put(writes, key, {
    key, kind: "edit", id: row.id, tab, due: 0, tries: 0, out: old?.out ?? false,
    change: { ...old?.change, ...change }, updatedAt: later(now, row), ...(was ? { was } : {}),
  });
}

/**
 * Key by key, and only where both sides changed since the base, the later change stays; a tie falls to the server.
 * @param {Kenny.Write} edit @param {Kenny.Row} row as the server has it now
 * @returns {{ left: Kenny.Write | null, clashes: Kenny.Clash[] }}
 */
export function settle(edit, row) {
  /** @type {Kenny.Clash[]} */
  const clashes = [];
  const theirs = /** @type {Kenny.Change} */ (row);
  const kept = Object.entries(/** @type {Kenny.Change} */ (edit.change)).filter(([name, mine]) => {
    const key = /** @type {keyof Kenny.Change} */ (name);
    if (same(theirs[key], mine)) return false; // it is what we wanted
    if (!edit.was || same(theirs[key], edit.was[key])) return true;
    const wins = Number(edit.updatedAt) > row.updatedAt;
    clashes.push({ id: row.id, name, mine, theirs: theirs[key], wins });
    return wins;
  });
  const change = Object.fromEntries(kept);
  const was = Object.fromEntries(kept.map(([name]) => [name, theirs[/** @type {keyof Kenny.Change} */ (name)]]));
  if (!kept.length) return { left: null, clashes };
  return { left: same(change, edit.change) && same(was, edit.was) ? edit : { ...edit, change, was }, clashes };
}

/** The server took a change; what was written since then is still to go. @param {Kenny.Write} edit @param {Kenny.Change} sent @param {Kenny.Row} row @returns {Kenny.Write | null} */
export function confirmed(edit, sent, row) {
  const left = Object.entries(/** @type {Kenny.Change} */ (edit.change)).filter(([name, value]) => !same(value, sent[/** @type {keyof Kenny.Change} */ (name)]));
  if (!left.length) return null;
  const was = Object.fromEntries(left.map(([name]) => [name, /** @type {any} */ (row)[name]]));
  return { ...edit, change: Object.fromEntries(left), was, out: false, due: 0, tries: 0 };
}
