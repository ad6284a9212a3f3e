// What a person did that needs more than the core: chance, time, files, the clipboard, the address. The core gets what came of it.
import { fill, gettext } from "../core/gettext.js";
import { replay } from "../core/replay.js";
import { renameIn } from "../ui/menu.js";
import { copy } from "./clipboard.js";
import { exported } from "./export.js";
import { newId, read } from "./files.js";

/**
 * @typedef {{ sidebar: import("../ui/sidebar.js").Sidebar, transcript: import("../ui/transcript.js").Transcript,
 *   notices: import("../ui/notices.js").Notices, composer: import("../ui/composer.js").Composer }} Ui
 * @typedef {Record<string, (event: any) => void>} Acts
 * @typedef {{ call: import("./api.js").Api, tell: (event: Kenny.Event) => void, state: () => Kenny.State, ui: Ui, config: Kenny.Config, run: Acts,
 *   speak: (text: string) => void, visit: (id: string | null) => void, paint: () => void, retry: () => void, theme: (name: string) => void }} World
 */

/** @param {World} world @returns {Acts} */
export const acting = (world) => ({ ...going(world), ...writing(world), ...copying(world), ...keeping(world) });

/** @param {World} world @returns {Acts} */
const going = ({ visit, retry, ui, tell, paint, speak, theme }) => ({
  say: ({ text }) => speak(text),
  visit: ({ id }) => visit(id), reconnect: retry, reload: () => location.reload(), focus: () => ui.composer.focus(),
  new: () => { visit(null); ui.composer.focus(); },
  theme: (event) => theme(event.theme),
  older: ({ id, then }) => { tell({ type: "older", id }); paint(); then(); },
});

/** @param {World} world @returns {Acts} */
const writing = ({ tell, state, config, ui }) => ({
  write: ({ text, images }) => tell({ type: "submit", text, images, newId: newId("c-"), turnId: newId("t-") }),
  attach: async ({ files }) => {
    const { images: most } = config.limits;
    const draft = state().drafts[state().current ?? ""] ?? { text: "", images: [] };
    const images = [...draft.images, ...await Promise.all(files.map(read))];
    if (images.length > most) tell({ type: "problem", error: { code: "too_large", message: fill(gettext("A message takes at most %(n)s images."), { n: most }) } });
    tell({ type: "draft", text: state().drafts[state().current ?? ""]?.text ?? draft.text, images: images.slice(0, most) });
  },
  example: ({ text }) => { tell({ type: "draft", text, images: [] }); ui.composer.focus(); },
});

/** @param {World} world @returns {Acts} */
function copying({ call, state, speak }) {
  /** An answer's Markdown: a stream brings trees only, so it is asked for. @param {Kenny.Message} message */
  const source = async (message) => {
    const { current } = state();
    const answer = message.turnId && current ? await call("GET", `/api/chat/history/${encodeURIComponent(current)}`) : null;
    const stored = answer?.ok ? replay(answer.data.transcript)[Number(message.key.slice(1))]?.text : undefined;
    return stored || message.text;
  };
  /** @param {{ text: string, from: HTMLElement }} what */
  const copyText = async ({ text, from }) => {
    const done = await copy(text);
    from.textContent = done ? gettext("Copied") : gettext("Copying is not allowed here");
    speak(from.textContent);
    setTimeout(() => { from.textContent = gettext("Copy"); }, 2000);
  };
  return { copy: copyText, copyMessage: async ({ message, from }) => copyText({ text: await source(message), from }) };
}

/** What is done to a conversation as a whole. @param {World} world @returns {Acts} */
function keeping({ call, tell, ui, run }) {
  const dialog = /** @type {HTMLDialogElement} */ (document.getElementById("export"));
  const name = /** @type {HTMLElement} */ (document.getElementById("export-title"));
  return {
    rename: ({ id, title, at = document.querySelector("main h1") }) => renameIn(at, title, (now) => tell({ type: "change", id, change: { title: now } })),
    remove: ({ id }) => { const next = ui.sidebar.after(id); tell({ type: "remove", id }); run["focusRow"]?.({ id: next }); },
    export: ({ id, title }) => {
      name.textContent = fill(gettext("Export “%(title)s”"), { title });
      Object.assign(dialog.dataset, { id, title });
      dialog.showModal();
    },
    exportAs: async ({ id, title, as }) => { const error = await exported(call, id, title, as); if (error) tell({ type: "problem", error }); },
  };
}
