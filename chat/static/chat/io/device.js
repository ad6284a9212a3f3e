// This browser as one device: what it keeps, what its tabs tell each other, and who signs in or out in it.
import { isLocked } from "../core/account.js";
import { changes, heard, ofTheList, overtaken, shared, snapshot } from "../core/persist.js";
import { cache } from "./cache.js";
import { nameOf } from "./database.js";
import { revived } from "./files.js";
import { hearLeft } from "./leaving.js";
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
  let [ended, restored, asked, clock] = [false, false, false, 0];
  /** @type {Map<string, number>} */
  const mine = new Map(); // when this tab last wrote a key

  const isOpen = () => !ended && !isLocked(state());
  /** Writes down what an event changed, and tells the other tabs. What came from there or from the database is known; only the list is for the tab that leads. @param {Kenny.Event} event */
  const keep = (event) => {
    const after = state();
    if (before === after) return;
    const isFirst = event.type === "restored";
    const all = !isOpen() ? [] : isFirst ? overtaken(event["entries"], after) : changes(before, after);
    restored ||= isFirst;
    if (isFirst) others.roll(); // what a tab that is gone left is known only now
    const isHeard = event.type === "elsewhere";
    const own = isHeard ? heard(all, before) : all;
    const told = shared(own, before, after);
    for (const { store: name, key } of told) mine.set(`${name} ${key}`, clock);
    const write = own.filter((change) => after.leads || !ofTheList(change));
    if (write.length) store.write(write);
    if (told.length && !asked) asked = Boolean(navigator.storage?.persist?.().catch(() => false)); // from the first thing on that only this browser has
    before = after;
    if (told.length) others.post({ type: "changes", changes: told });
    if (isLocked(after)) others.close(); // what was made here is for the account's next page, which also leads
  };
  const takeIn = async (/** @type {Kenny.Stored[]} */ list) => {
    const asked = (clock += 1);
    const values = await store.now(list); // two tabs may have written one key: what is kept by now is true for both
    const still = values.filter(({ store: name, key }) => (mine.get(`${name} ${key}`) ?? 0) < asked);
    if (!still.length || !isOpen()) return;
    tell({ type: "elsewhere", changes: still.map(revived), writing: isWriting() });
    tell({ type: "wake" });
  };
  /** What a tab could not write down before it went is for the one that leads. */
  const takeOver = async () => {
    if (!restored || !isOpen() || !state().leads) return;
    const list = await store.takeOver();
    if (!list.length) return;
    others.post({ type: "changes", changes: list });
    await takeIn(list);
    others.roll();
  };
  hearLeft(nameOf(account), () => void takeOver());
  const others = tabs(account, tab, {
    changes: takeIn,
    left: (all) => { if (all) store.drop(); tell({ type: "link", link: "locked" }); },
    account: (other) => { if (other === "") tell({ type: "ask" }); else tell(other === account ? { type: "signedIn" } : { type: "link", link: "stranger" }); },
    theme,
    leads: (on) => { tell({ type: "leads", on }); if (on && restored && isOpen()) { const { rows, list } = snapshot(state()); store.replace(rows, list); void takeOver(); } },
    alive: (list) => tell({ type: "alive", tabs: list }),
  });
  setInterval(() => { if (state().leads) others.roll(); }, TIME);

  return {
    keep,
    restore: async () => { const all = await store.all().catch(() => ({ rows: [], list: null, entries: [], durable: false })); return { ...all, entries: all.entries.map(revived) }; },
    recall: (/** @type {string} */ id) => store.recall(id).catch(() => null),
    tellTheme: (/** @type {string} */ name) => others.post({ type: "theme", theme: name }),
    /** Before signing out: the read cache goes, with `all` everything; the other tabs lock. @param {boolean} all */
    leave: async (all) => { ended = true; others.post({ type: "left", all }); await store.leave(all).catch(() => undefined); },
  };
}
