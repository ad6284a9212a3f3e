// Deletes that wait for the person. A row goes at once and its delete is written down; the server is told when its time for Undo is over. Each has a time of its own.
import { fill, gettext } from "./gettext.js";
import { forget, withRow } from "./library.js";
import { drop, put } from "./maps.js";
import { titleOf } from "./search.js";
import { mayHaveGone, without } from "./writes.js";

/** What can be brought back, newest first: not what another device deleted meanwhile. @param {Kenny.State} s */
export const restorable = (s) => s.undo.filter(({ row }) => row.id in s.library.gone).toReversed();

/** Deleted here a moment ago, and Undo can still bring it back. @param {Kenny.State} s @param {string | null} id */
export const isGone = (s, id) => id !== null && restorable(s).some(({ row }) => row.id === id);

/** @type {Kenny.Handlers} */
export const handlers = {
  remove: (s, { id, now = 0 }) => {
    const row = s.library.rows[id];
    if (!row) return [s, []];
    const was = s.current === id;
    const library = { ...s.library, rows: drop(s.library.rows, id), gone: put(s.library.gone, id, row) };
    const key = `delete:${id}`;
    const writes = put(s.writes, key, { key, kind: "delete", id, tab: s.tab, due: 0, tries: 0, out: false, at: now, row, ...(row.version !== undefined || mayHaveGone(s, id) ? {} : { silent: true }) });
    const text = fill(gettext("%(title)s was deleted. Undo is there for ten seconds."), { title: titleOf(row) });
    const effects = [{ do: "announce", text }, ...(was ? [{ do: "go", id: null }] : [])];
    return [{ ...s, library, writes, undo: [...s.undo, { row, was }], current: was ? null : s.current }, effects];
  },
  /** Brings back the one that is named, else the newest. */
  undo: (s, { id }) => {
    const back = restorable(s).find((one) => id === undefined || one.row.id === id);
    const row = back && s.library.gone[back.row.id];
    if (!back || !row) return [s, []];
    const next = { ...without(withRow(s, row), `delete:${row.id}`), undo: s.undo.filter((one) => one !== back) };
    next.library = { ...next.library, gone: drop(next.library.gone, row.id) };
    const effects = [{ do: "announce", text: gettext("Restored") }, ...(back.was && s.current === null ? [{ do: "visit", id: row.id }] : []), { do: "focusRow", id: row.id }];
    return [next, effects];
  },
  /** The time of one is over, or, without an id, the time of all: its delete may go. */
  undoOver: (s, { id }) => {
    const over = s.undo.filter(({ row }) => id === undefined || row.id === id);
    if (!over.length) return [s, []];
    const next = { ...s, undo: s.undo.filter((one) => !over.includes(one)) };
    const silent = over.filter(({ row }) => s.writes[`delete:${row.id}`]?.silent);
    return [silent.reduce((some, { row }) => forget(without(some, `delete:${row.id}`), row.id), next), []];
  },
};
