// The other tabs of this browser: what they change is heard here, and one of them leads. Without Web Locks (plain http) a lease in localStorage does.

const LEASE = 6_000;
const ANSWERS = 500;

/**
 * @typedef {{ changes: (changes: Kenny.Stored[]) => void, left: (all: boolean) => void, account: (account: string) => void, theme: (theme: string) => void,
 *   leads: (on: boolean) => void, alive: (tabs: string[]) => void }} Hearing
 * @typedef {{ post: (message: { type: string, [field: string]: unknown }) => void, roll: () => void, close: () => void }} Tabs
 */

/** @param {string} account @param {string} tab @param {Hearing} hearing @returns {Tabs} */
export function tabs(account, tab, hearing) {
  const own = new BroadcastChannel(`kenny:${account}`);
  const all = new BroadcastChannel("kenny"); // who is signed in at all
  /** @type {Set<string>} */
  let here = new Set();
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let counting;
  let [leaving, closed] = [false, false];
  const post = (/** @type {{ type: string, [field: string]: unknown }} */ message) => { if (!closed) own.postMessage({ ...message, tab }); };
  const roll = () => {
    clearTimeout(counting);
    here = new Set();
    post({ type: "who" });
    counting = setTimeout(() => hearing.alive([...here]), ANSWERS);
  };
  own.onmessage = ({ data }) => {
    if (data.type === "who" && !leaving) post({ type: "here" }); // what waits in a tab that goes is for the others: it is asked while it still hears
    else if (data.type === "here") here.add(data.tab);
    else if (data.type === "changes") hearing.changes(data.changes);
    else if (data.type === "left") hearing.left(Boolean(data.all));
    else if (data.type === "theme") hearing.theme(data.theme);
    else if (data.type === "bye") roll();
  };
  all.onmessage = ({ data }) => hearing.account(String(data.account));
  all.postMessage({ account });
  const release = lead(`kenny:${account}:outbox`, tab, (on) => { hearing.leads(on); if (on) roll(); });
  const bye = () => { leaving = true; post({ type: "bye" }); release(); };
  addEventListener("pagehide", bye);
  const close = () => {
    if (closed) return;
    clearTimeout(counting);
    bye();
    removeEventListener("pagehide", bye);
    closed = true;
    own.close();
    all.close();
  };
  return { post, roll, close };
}

/** Tells when this tab is the one that works for all. @param {string} name @param {string} tab @param {(on: boolean) => void} tell @returns {() => void} ends it */
function lead(name, tab, tell) {
  if (!navigator.locks) return lease(name, tab, tell);
  /** @type {(value?: unknown) => void} */
  let done = () => undefined;
  const until = new Promise((resolve) => { done = resolve; });
  const waiting = new AbortController();
  navigator.locks.request(name, { signal: waiting.signal }, () => { tell(true); return until; }).catch(() => undefined);
  return () => { done(); waiting.abort(); };
}

/** @param {string} name @param {string} tab @param {(on: boolean) => void} tell @returns {() => void} */
function lease(name, tab, tell) {
  let leads = false;
  const look = () => {
    const [who, until] = (read(name) ?? "").split(" ");
    const left = Number(until) - Date.now();
    const mine = who === tab || !(left > 0 && left <= LEASE); // more than a lease: the clock was set back since
    if (mine) write(name, `${tab} ${Date.now() + LEASE}`);
    if (mine !== leads) tell((leads = mine));
  };
  const heard = (/** @type {StorageEvent} */ { key }) => { if (key === name) look(); }; // at once, also where a hidden tab's timers hardly run
  look();
  addEventListener("storage", heard);
  const timer = setInterval(look, LEASE / 3);
  return () => { clearInterval(timer); removeEventListener("storage", heard); if (read(name)?.startsWith(`${tab} `)) forget(name); leads = false; };
}

const read = (/** @type {string} */ name) => { try { return localStorage.getItem(name); } catch { return null; } };
const write = (/** @type {string} */ name, /** @type {string} */ value) => { try { localStorage.setItem(name, value); } catch { /* then every tab leads: what is sent twice has one effect */ } };
const forget = (/** @type {string} */ name) => { try { localStorage.removeItem(name); } catch { /* as above */ } };
