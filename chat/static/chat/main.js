// Wires io -> core -> ui. The only module with effects at import.
import "./io/words.js";
import { initial, reduce } from "./core/state.js";
import { acting } from "./io/acts.js";
import { api } from "./io/api.js";
import { device } from "./io/device.js";
import { newId } from "./io/files.js";
import { preferring } from "./io/prefer.js";
import { renewal } from "./io/renewal.js";
import { runner } from "./io/run.js";
import { signIn } from "./io/signin.js";
import { connect } from "./io/socket.js";
import { announcer } from "./ui/announce.js";
import { bar } from "./ui/bar.js";
import { listen } from "./ui/clicks.js";
import { dialogs } from "./ui/dialogs.js";
import { doors, keptWords } from "./ui/doors.js";
import { drawer } from "./ui/drawer.js";
import { fit } from "./ui/fit.js";
import { listenToKeys } from "./ui/keys.js";
import { inbox } from "./ui/inbox.js";
import { fillOffers, settings } from "./ui/settings.js";
import { listenToTheme, showTheme } from "./ui/theme.js";
import "./ui/composer.js";
import "./ui/notices.js";
import "./ui/sidebar.js";
import "./ui/transcript.js";

const $ = (/** @type {string} */ name) => /** @type {any} */ (document.querySelector(name));
/** @type {Kenny.Config} */
const config = JSON.parse($("#config").textContent);
const call = api(config, (times) => tell({ type: "clock", ...times }));
/** @type {import("./io/acts.js").Ui} */
const ui = { sidebar: $("chat-sidebar"), transcript: $("chat-transcript"), notices: $("chat-notices"), composer: $("chat-composer") };
const speak = announcer($("#polite"), $("#urgent"));
const [showBar, showInbox, side] = [bar(), inbox(), drawer()];
listenToTheme();
const preferences = settings();
const tab = newId("");

let [state, painting] = [initial({ ...config, tab }), false];
/** @type {Awaited<ReturnType<typeof device>> | undefined} */
let home;
const renew = renewal(() => state);

function paint() {
  painting = false;
  showBar(state);
  showInbox(state);
  ui.sidebar.show(state, Date.now());
  ui.transcript.show(state);
  ui.notices.show(state);
  ui.composer.show(state);
  door.show(state);
  kept.show(state);
  preferences.show(state);
  renew();
}

/** @param {Kenny.Event} event */
function tell(event) {
  const [next, effects] = reduce(state, { now: Date.now(), ...event });
  const moved = next !== state;
  state = next;
  home?.keep(event);
  for (const effect of effects) (run[effect.do] ?? (() => undefined))(effect);
  if (moved || effects.length) soon();
}

function soon() { // once a frame; a hidden tab draws no frames, but its title still tells
  if (painting) return;
  painting = true;
  if (document.hidden) setTimeout(paint, 250);
  else requestAnimationFrame(paint);
}

const socketUrl = `${location.origin.replace(/^http/, "ws")}/ws/chat?account=${encodeURIComponent(config.account)}`;
const pathId = () => { const id = /^\/c\/([^/]+)$/.exec(location.pathname)?.[1]; return id ? decodeURIComponent(id) : null; };
const go = (/** @type {string | null} */ id) => {
  history[history.state?.drawer ? "replaceState" : "pushState"](null, "", id ? `/c/${encodeURIComponent(id)}` : "/"); // Back does not open the drawer again
};
const visit = (/** @type {string | null} */ id) => { if (id !== pathId()) go(id); tell({ type: "open", id }); side.close(); };

/** @type {Record<string, (effect: any) => void>} */
const run = {
  ...preferring({ account: config.account, call, tell, offered: fillOffers }),
  ...runner({ call, tell, send: (frame) => socket.send(frame), state: () => state }),
  recall: async ({ id }) => tell({ type: "recalled", id, talk: await home?.recall(id) }), reconnect: () => socket.renew(),
  announce: ({ text, urgent }) => speak(text, urgent), close: () => socket.close(), toEnd: () => ui.transcript.toEnd(),
  focus: () => ui.composer.focus(), go: ({ id }) => go(id), visit: ({ id }) => visit(id),
  focusRow: ({ id }) => requestAnimationFrame(() => requestAnimationFrame(() => ui.sidebar.focusRow(id))),
};
const door = doors({
  username: config.username, leave: async (all) => home?.leave(all),
  signIn: async (password) => { const why = await signIn(config, password); if (!why) tell({ type: "signedIn" }); return why; },
});
const kept = keptWords();
home = await device({ config, tab, tell, state: () => state, isWriting: () => document.hasFocus() && document.activeElement?.id === "message", theme: showTheme });
tell({ type: "restored", ...await home.restore() });
const socket = connect(socketUrl, tell);
const acts = {
  ...dialogs({ state: () => state, openDrawer: side.open, closeDrawer: side.close, settings: () => { preferences.open(); run["offers"]?.({}); } }),
  ...acting({ call, tell, state: () => state, ui, speak, config, visit, paint, run, retry: () => socket.retry(), theme: (name) => home?.tellTheme(name) }),
};

document.addEventListener("kenny", (event) => { const { detail } = /** @type {CustomEvent} */ (event); (acts[detail.type] ?? tell)(detail); });
listenToKeys(() => state);
listen();
fit(visualViewport);
addEventListener("popstate", () => { if (!side.wentBack()) tell({ type: "open", id: pathId() }); });
addEventListener("pagehide", () => { if (!state.durable) tell({ type: "undoOver" }); }); // what is kept goes with the next page, anything else now
addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); }); // a page from the browser's memory may be another account's
setInterval(soon, 60_000);
// What would do nothing before this point was disabled until now.
for (const el of document.querySelectorAll("[data-wakes]")) /** @type {HTMLButtonElement} */ (el).disabled = false;
tell({ type: "open", id: pathId() });
run["pull"]?.({});
if (pathId() === null && !matchMedia("(pointer: coarse)").matches) ui.composer.focus();
