// This browser as one device: what it keeps, what its tabs tell each other, and who signs in or out in it.
import { changes, heard, shared, snapshot } from "../core/persist.js";
import { cache } from "./cache.js";
import { revived } from "./files.js";
import { sweep } from "./others.js";
import { tabs } from "./tabs.js";

const TIME = 60_000;

/**
 * @param {{ config: Kenny.Config, tab: string, tell: (event: Kenny.Event) => void, state: () => Kenny.State, isWriting: () => boolean, theme: (theme: string) => void }} world
 */
export async function device({ config, tab, tell, state, isWriting, theme }) {
  const { account } = config;
  const store = await cache(account, config.static, () => tell({ type: "durable", on: false }));
  void sweep(account);
  let before = state();
  let ended = false;

  const isOpen = () => !ended && !["locked", "stranger"].includes(state().link);
  /** Writes down what an event changed, and tells the other tabs. */
  const keep = () => {
    const after = state();
    if (before === after) return;
    const all = isOpen() ? changes(before, after) : [];
    const told = shared(all, before, after);
    before = after;
    const mine = after.leads ? all : all.filter(({ store: name, key }) => name !== "conversations" && key !== "list");
    if (mine.length) store.write(mine);
    if (told.length) others.post({ type: "changes", changes: told });
  };
  const others = tabs(account, tab, {
    changes: (list) => {
      if (!isOpen()) return;
      tell({ type: "elsewhere", changes: list.map(revived), writing: isWriting() });
      tell({ type: "wake" });
    },
    left: () => tell({ type: "link", link: "locked" }),
    account: (other) => { if (other === "") tell({ type: "ask" }); else if (other !== account) tell({ type: "link", link: "stranger" }); },
    theme,
    leads: (on) => { tell({ type: "leads", on }); if (on && state().library.loaded && isOpen()) { const { rows, list } = snapshot(state()); store.replace(rows, list); } },
    alive: (list) => tell({ type: "alive", tabs: list }),
  });
  setInterval(() => { if (state().leads) others.roll(); }, TIME);

  return {
    keep,
    /** What another tab did was kept there; only the list is for the one that leads. */
    heard: () => {
      const after = state();
      const list = after.leads && isOpen() ? heard(changes(before, after)) : [];
      before = after;
      if (list.length) store.write(list);
    },
    restore: async () => { const all = await store.all().catch(() => ({ rows: [], list: null, entries: [], durable: false })); return { ...all, entries: all.entries.map(revived) }; },
    recall: (/** @type {string} */ id) => store.recall(id).catch(() => null),
    tellTheme: (/** @type {string} */ name) => others.post({ type: "theme", theme: name }),
    /** Before signing out: the read cache goes, with `all` everything; the other tabs lock. @param {boolean} all */
    leave: async (all) => { ended = true; await store.leave(all).catch(() => undefined); others.post({ type: "left" }); },
  };
}
