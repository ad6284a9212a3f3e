// Delete all: the list is empty at once, and one write says up to which cursor, and what beside, until the server has it.
import { gettext } from "./gettext.js";
import { forget } from "./library.js";
import { copy, drop } from "./maps.js";
import { isMine, isPassing, mayHaveGone, postpone } from "./writes.js";

/** @type {Kenny.Handlers} */
export const handlers = {
  removeAll: (s, { now = 0 }) => {
    const all = [...Object.values(s.library.rows), ...Object.values(s.library.gone)];
    const { cursor } = s.library;
    const each = all.filter((row) => row.fresh || mayHaveGone(s, row.id) || (!cursor && row.version !== undefined)).map(({ id }) => id); // these may be younger than the cursor
    const writes = cursor ? copy(s.writes) : deletes(s, each);
    for (const { kind, key } of Object.values(writes)) if (kind === "edit") delete writes[key];
    const key = `all:${s.tab}:${cursor}`; // another tab may name others, and one of a later cursor reaches further
    const old = writes[key];
    if (cursor) writes[key] = { ...deleteOf(s, ""), kind: "all", key, ids: both(old?.ids, all.map(({ id }) => id)), each: both(old?.each, each), before: cursor, at: now };
    const bare = all.reduce((some, { id }) => forget(some, id), s);
    return [{ ...bare, writes, undo: [], current: null }, [{ do: "announce", text: gettext("All conversations were deleted.") }, ...(s.current ? [{ do: "go", id: null }] : [])]];
  },
  /** What may be younger than the cursor gets a delete of its own, and so does what a list still brought: the person saw it go too. */
  removedAll: (s, { key }) => {
    const { ids = [], each = [] } = s.writes[key] ?? {};
    return [{ ...s, writes: drop(deletes(s, [...each, ...ids.filter((id) => id in s.library.gone)]), key) }, [{ do: "pull" }]];
  },
  /** A server that was set back does not know the cursor: each conversation that the person saw go gets a delete of its own. */
  removeAllFailed: (s, { key, error, now = 0 }) => (isPassing(error) ? postpone(s, key, error, now) : [{ ...s, writes: drop(deletes(s, s.writes[key]?.ids ?? []), key) }, []]),
};

/** @param {string[] | undefined} old @param {string[]} more */
const both = (old, more) => [...new Set([...(old ?? []), ...more])];

/** @param {Kenny.State} s @param {string} id @returns {Kenny.Write} */
const deleteOf = (s, id) => ({ key: `delete:${id}`, kind: "delete", id, tab: s.tab, due: 0, tries: 0, out: false });

/** The writes, with a delete of this tab for each of these: another tab's may have been taken back there. @param {Kenny.State} s @param {string[]} ids */
function deletes(s, ids) {
  const writes = copy(s.writes);
  for (const id of ids) {
    const old = writes[`delete:${id}`];
    if (!old || !isMine(s, old)) writes[`delete:${id}`] = deleteOf(s, id);
  }
  return writes;
}
