// What the palette offers for some words: conversations, commands, and a search of all texts.
import { possible } from "./commands.js";
import { fill, gettext } from "./gettext.js";
import { filter, fold, inOrder, titleOf } from "./search.js";

const RECENT = 6;
const MOST = 30;

/** @param {Kenny.State} state @param {string} query @returns {Kenny.PaletteGroup[]} groups without anything are left out */
export function offers(state, query) {
  const words = fold(query).split(/\s+/).filter(Boolean);
  const rows = filter(inOrder(state.library.rows), query).slice(0, words.length ? MOST : RECENT);
  const commands = possible(state).filter((c) => c.id !== "palette" && words.every((word) => fold(c.label(state)).includes(word)));
  const conversations = rows.map((row) => ({ label: titleOf(row), event: { type: "visit", id: row.id } }));
  const text = query.trim();
  const more = text ? [{ label: fill(gettext("Search all texts for “%(query)s”"), { query: text }), event: { type: "searchBox", text } }] : [];
  return [
    { label: words.length ? gettext("Conversations") : gettext("Recent conversations"), choices: conversations },
    { label: gettext("Commands"), choices: commands.map((command) => ({ label: command.label(state), command, event: command.event(state) })) },
    { label: gettext("Search"), choices: more },
  ].filter((offer) => offer.choices.length);
}
