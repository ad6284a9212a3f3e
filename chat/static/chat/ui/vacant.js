// What stands where no messages are: the welcome of a new chat, what is still on its way, what was deleted or never was.
import { ask, onClick, say, slot } from "./dom.js";
import { gettext } from "../core/gettext.js";
import { isGone } from "../core/undo.js";

const STATES = {
  no: gettext("Loading…"), loading: gettext("Loading…"), yes: null, deleted: gettext("This conversation was deleted."),
  missing: gettext("This conversation was not found."), failed: gettext("This conversation could not be loaded."),
};

/** @param {HTMLElement} root @returns {(state: Kenny.State, talk: Kenny.Talk | undefined) => boolean} says whether Undo could still bring the open one back */
export function vacancy(root) {
  const [welcome, text, ways, restore] = [slot(root, "welcome"), slot(root, "state"), slot(root, "ways"), slot(root, "restore")];
  /** @type {string | null} */
  let id = null;
  onClick(restore, () => ask(root, { type: "undo", id }));
  return (state, talk) => {
    id = state.current;
    const gone = isGone(state, id);
    const loaded = gone ? "deleted" : talk?.loaded ?? "yes";
    const isEmpty = !talk || gone || (!talk.history.length && !talk.turns.length);
    welcome.hidden = id !== null;
    say(text, isEmpty ? (loaded === "failed" ? talk?.problem?.message : null) ?? STATES[loaded] : null);
    ways.hidden = !isEmpty || (loaded !== "deleted" && loaded !== "missing");
    restore.hidden = !gone;
    return gone;
  };
}
