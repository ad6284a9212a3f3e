// The dialogs at the door: signing out with something unsent, a session that ended, an account that left.
import { ask, clone, onClick, say, slot } from "./dom.js";
import { fill, gettext, ngettext } from "../core/gettext.js";
import { pending, waiting } from "../core/pending.js";

/** @param {string} id */
const dialogOf = (id) => /** @type {HTMLDialogElement} */ (document.getElementById(id));

/**
 * @param {{ username: string, leave: (all: boolean) => Promise<void>, signIn: (password: string) => Promise<string | null> }} world
 * @returns {{ show: (state: Kenny.State) => void }}
 */
export function doors({ username, leave, signIn }) {
  const [again, locked] = [dialogOf("again"), dialogOf("locked")];
  /** @type {Kenny.State | null} */
  let state = null;
  for (const dialog of [again, locked]) dialog.addEventListener("cancel", (event) => event.preventDefault());
  say(slot(again, "who"), fill(gettext("Give the password of %(name)s to go on. Nothing that you wrote is lost."), { name: username }));
  slot(again, "form").addEventListener("submit", async (event) => {
    event.preventDefault();
    const box = /** @type {HTMLInputElement} */ (slot(again, "password"));
    const why = await signIn(box.value);
    box.value = "";
    say(slot(again, "why"), why);
    if (why) box.focus();
  });
  leaving(() => state, leave);
  return { show: (now) => {
    state = now;
    toggle(again, now.link === "signed-out");
    const isShut = now.link === "locked" || now.link === "stranger";
    if (isShut) say(slot(locked, "title"), now.link === "locked" ? gettext("You signed out") : gettext("Somebody else signed in in this browser"));
    toggle(locked, isShut);
  } };
}

/** @param {HTMLDialogElement} dialog @param {boolean} open */
function toggle(dialog, open) {
  if (open === dialog.open) return;
  if (!open) { dialog.close(); return; }
  for (const other of document.querySelectorAll("dialog[open]")) /** @type {HTMLDialogElement} */ (other).close();
  dialog.showModal();
}

/** Signing out asks first when something here has not reached the server, and names what would be lost. @param {() => Kenny.State | null} state @param {(all: boolean) => Promise<void>} leave */
function leaving(state, leave) {
  const dialog = dialogOf("leave");
  const form = /** @type {HTMLFormElement} */ (document.querySelector('form[action="/accounts/logout/"]'));
  const shared = /** @type {HTMLInputElement} */ (slot(dialog, "shared"));
  const go = async (/** @type {boolean} */ all) => { await leave(all); form.submit(); };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const now = state();
    const left = now ? pending(now) : [];
    if (!left.length) { void go(false); return; }
    const n = left.length;
    say(slot(dialog, "count"), fill(ngettext("%(n)s thing has not reached the server.", "%(n)s things have not reached the server.", n), { n }));
    shared.checked = false;
    show();
    slot(dialog, "rows").replaceChildren(...left.map((one) => { const li = document.createElement("li"); li.textContent = named(one); return li; }));
    dialog.showModal();
  });
  const show = () => { slot(dialog, "stays").hidden = shared.checked; slot(dialog, "goes").hidden = !shared.checked; };
  shared.addEventListener("change", show);
  onClick(slot(dialog, "go"), () => void go(shared.checked));
}

/** @param {import("../core/pending.js").Pending} one */
function named({ kind, words }) {
  if (kind === "message") return fill(gettext("Message “%(words)s”"), { words });
  if (kind === "draft") return fill(gettext("Draft “%(words)s”"), { words });
  if (kind === "kept") return fill(gettext("Not sent “%(words)s”"), { words });
  return kind === "edit" ? fill(gettext("Change of “%(words)s”"), { words }) : fill(gettext("Deleting “%(words)s”"), { words });
}

/** Below the list: what waits for the line, and "Not sent" with its dialog. @returns {{ show: (state: Kenny.State) => void }} */
export function keptWords() {
  const dialog = dialogOf("kept");
  const button = /** @type {HTMLElement} */ (document.querySelector("[data-kept]"));
  /** @type {unknown} */
  let seen;
  onClick(button, () => dialog.showModal());
  document.addEventListener("kenny", (event) => { if (/** @type {CustomEvent} */ (event).detail.type === "showKept") dialog.showModal(); });
  const waits = /** @type {HTMLElement} */ (document.querySelector("[data-waits]"));
  return { show: (state) => {
    const { kept } = state;
    const n = state.link === "open" ? 0 : waiting(state);
    say(waits, n ? fill(ngettext("%(n)s change waits for the connection.", "%(n)s changes wait for the connection.", n), { n }) : null);
    if (kept === seen) return;
    seen = kept;
    const all = Object.values(kept);
    say(button, all.length ? fill(gettext("Not sent (%(n)s)"), { n: all.length }) : null);
    slot(dialog, "none").hidden = all.length > 0;
    slot(dialog, "rows").replaceChildren(...all.map((one) => line(dialog, one)));
  } };
}

/** @param {HTMLDialogElement} dialog @param {Kenny.Kept} one */
function line(dialog, { key, title, text, images }) {
  const el = clone("t-kept");
  say(slot(el, "words"), text.trim() || (images.length ? gettext("an image") : ""));
  say(slot(el, "from"), title ? fill(gettext("from “%(title)s”"), { title }) : null);
  onClick(slot(el, "reuse"), () => { dialog.close(); ask(document, { type: "reuse", key }); });
  onClick(slot(el, "discard"), () => ask(document, { type: "discard", key }));
  return el;
}
