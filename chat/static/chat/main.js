// Wires io -> core -> ui. The only module with effects at import.
import "./io/words.js";
import { replay } from "./core/replay.js";
import { initial, reduce } from "./core/state.js";
import { api } from "./io/api.js";
import { copy } from "./io/clipboard.js";
import { exported } from "./io/export.js";
import { newId, read } from "./io/files.js";
import { runner } from "./io/run.js";
import { connect } from "./io/socket.js";
import { announcer } from "./ui/announce.js";
import { bar, drawer, themeSwitch } from "./ui/bar.js";
import { listen } from "./ui/clicks.js";
import { renameIn } from "./ui/menu.js";
import { shortcut } from "./ui/keys.js";
import "./ui/composer.js";
import "./ui/notices.js";
import "./ui/sidebar.js";
import "./ui/transcript.js";
import { fill, gettext } from "./core/gettext.js";

const $ = (/** @type {string} */ name) => /** @type {any} */ (document.querySelector(name));
/** @type {Kenny.Config} */
const config = JSON.parse($("#config").textContent);
const call = api(config);
/** @type {{ sidebar: import("./ui/sidebar.js").Sidebar, transcript: import("./ui/transcript.js").Transcript, notices: import("./ui/notices.js").Notices, composer: import("./ui/composer.js").Composer }} */
const ui = { sidebar: $("chat-sidebar"), transcript: $("chat-transcript"), notices: $("chat-notices"), composer: $("chat-composer") };
const speak = announcer($("#polite"), $("#urgent"));
const [showBar, side] = [bar(), drawer()];
themeSwitch();

let [state, painting] = [initial(config), false];

function paint() {
  painting = false;
  showBar(state);
  ui.sidebar.show(state, Date.now());
  ui.transcript.show(state);
  ui.notices.show(state);
  ui.composer.show(state);
}

/** @param {Kenny.Event} event */
function tell(event) {
  const [next, effects] = reduce(state, event);
  const moved = next !== state;
  state = next;
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
const go = (/** @type {string | null} */ id) => history.pushState(null, "", id ? `/c/${encodeURIComponent(id)}` : "/");
const visit = (/** @type {string | null} */ id) => { if (id !== pathId()) go(id); tell({ type: "open", id }); side.close(); };

/** @type {Record<string, (effect: any) => void>} */
const run = {
  ...runner({ call, tell, send: (frame) => socket.send(frame), state: () => state }),
  announce: ({ text, urgent }) => speak(text, urgent), close: () => socket.close(), toEnd: () => ui.transcript.toEnd(),
  focus: () => ui.composer.focus(), go: ({ id }) => go(id), visit: ({ id }) => visit(id),
  focusRow: ({ id }) => requestAnimationFrame(() => requestAnimationFrame(() => ui.sidebar.focusRow(id))),
};
const socket = connect(socketUrl, tell);

/** An answer's Markdown: a stream brings trees only, so it is asked for. @param {Kenny.Message} message */
async function source(message) {
  const answer = message.turnId && state.current ? await call("GET", `/api/chat/history/${encodeURIComponent(state.current)}`) : null;
  const stored = answer?.ok ? replay(answer.data.transcript)[Number(message.key.slice(1))]?.text : undefined;
  return stored || message.text;
}

/** What a person did that needs more than the core: chance, time, files, the address. @type {Record<string, (event: any) => void>} */
const acts = {
  write: ({ text, images }) => tell({ type: "submit", text, images, newId: newId("c-"), turnId: newId("t-"), now: Date.now() }),
  attach: async ({ files }) => {
    const draft = state.drafts[state.current ?? ""] ?? { text: "", images: [] };
    const images = [...draft.images, ...await Promise.all(files.map(read))];
    if (images.length > config.limits.images) tell({ type: "problem", error: { code: "too_large", message: fill(gettext("A message takes at most %(n)s images."), { n: config.limits.images }) } });
    tell({ type: "draft", text: state.drafts[state.current ?? ""]?.text ?? draft.text, images: images.slice(0, config.limits.images) });
  },
  example: ({ text }) => { tell({ type: "draft", text, images: [] }); ui.composer.focus(); },
  older: ({ id, then }) => { tell({ type: "older", id }); paint(); then(); },
  copy: async ({ text, from }) => {
    const done = await copy(text);
    from.textContent = done ? gettext("Copied") : gettext("Copying is not allowed here");
    speak(from.textContent);
    setTimeout(() => { from.textContent = gettext("Copy"); }, 2000);
  },
  copyMessage: async ({ message, from }) => acts["copy"]?.({ text: await source(message), from }),
  rename: ({ id, title, at }) => renameIn(at, title, (now) => tell({ type: "change", id, change: { title: now } })),
  remove: ({ id }) => { const next = ui.sidebar.after(id); tell({ type: "remove", id }); run["focusRow"]?.({ id: next }); },
  export: ({ id, title }) => { $("#export-title").textContent = fill(gettext("Export “%(title)s”"), { title }); Object.assign($("#export").dataset, { id, title }); $("#export").showModal(); },
  exportAs: async ({ id, title, as }) => { const error = await exported(call, id, title, as); if (error) tell({ type: "problem", error }); },
  visit: ({ id }) => visit(id), reconnect: () => socket.retry(), reload: () => location.reload(), focus: () => ui.composer.focus(),
  new: () => { visit(null); ui.composer.focus(); },
};

document.addEventListener("kenny", (event) => { const { detail } = /** @type {CustomEvent} */ (event); (acts[detail.type] ?? tell)(detail); });
document.addEventListener("keydown", (event) => { const act = shortcut(event); if (act) { event.preventDefault(); acts[act]?.({}); } });
listen();
addEventListener("popstate", () => { tell({ type: "open", id: pathId() }); side.close(); });
addEventListener("pagehide", () => tell({ type: "undoOver" })); // a delete does not wait for a page that is gone
setInterval(soon, 60_000);
// What would do nothing before this point was disabled until now.
for (const el of document.querySelectorAll("[data-wakes]")) /** @type {HTMLButtonElement} */ (el).disabled = false;
tell({ type: "open", id: pathId() });
run["pull"]?.({});
if (pathId() === null && !matchMedia("(pointer: coarse)").matches) ui.composer.focus();
