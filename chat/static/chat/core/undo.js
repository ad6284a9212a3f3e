// Deletes that wait for the person. A row goes at once; the server is told when its time for Undo is over. Each has a time of its own.
import { fill, gettext } from "./gettext.js";
import { withRow } from "./library.js";
import { drop, put } from "./maps.js";
import { titleOf } from "./search.js";

/** What can be brought back, newest first: not what another device deleted meanwhile. @param {Kenny.State} s */
export const restorable = (s) => s.undo.filter(({ row }) => row.id in s.library.gone).toReversed();

/** @type {Kenny.Handlers} */
export const handlers = {
  remove: (s, { id }) => {
    const row = s.library.rows[id];
    if (!row) return [s, []];
    const was = s.current === id;
    const library = { ...s.library, rows: drop(s.library.rows, id), gone: put(s.library.gone, id, row) };
    const text = fill(gettext("%(title)s was deleted. Undo is there for ten seconds."), { title: titleOf(row) });
    const effects = [{ do: "announce", text }, ...(was ? [{ do: "go", id: null }] : [])];
    return [{ ...s, library, undo: [...s.undo, { row, was }], current: was ? null : s.current }, effects];
  },
  /** Brings back the one that is named, else the newest. */
  undo: (s, { id }) => {
    const back = restorable(s).find((one) => id === undefined || one.row.id === id);
    const row = back && s.library.gone[back.row.id];
    if (!back || !row) return [s, []];
    const next = { ...withRow(s, row), undo: s.undo.filter((one) => one !== back) };
    next.library = { ...next.library, gone: drop(next.library.gone, row.id) };
    const effects = [{ do: "announce", text: gettext("Restored") }, ...(back.was && s.current === null ? [{ do: "visit", id: row.id }] : []), { do: "focusRow", id: row.id }];
    return [next, effects];
  },
  /** The time of one is over, or, without an id, the time of all. */
  undoOver: (s, { id }) => {
    const over = s.undo.filter(({ row }) => id === undefined || row.id === id);
    return over.length ? [{ ...s, undo: s.undo.filter((one) => !over.includes(one)) }, over.map(({ row }) => ({ do: "delete", id: row.id }))] : [s, []];
  },
};
