// A conversation as Markdown.
import { replay } from "./replay.js";
import { gettext } from "./gettext.js";

/** @param {Kenny.Replay} talk @returns {string} */
export function markdown(talk) {
  const messages = replay(talk.transcript).map((message) =>
    message.role === "user" ? `## You\n\n${message.text}\n` : `## Claude\n\n${message.parts.map(part).filter(Boolean).join("\n\n")}\n`);
  return `# ${talk.title || gettext("New chat")}\n\n${messages.join("\n")}`;
}

/** @param {Kenny.Part} one */
function part(one) {
  if (one.kind === "text") return one.text.trim();
  if (one.kind === "thinking") return one.text.trim().replace(/^/gm, "> ");
  const result = one.state === "done" ? one.text : (one.error ?? one.text);
  return `**${one.tool}** (${one.state})\n\n${fence(JSON.stringify(one.args, null, 2), "json")}${result ? `\n\n${fence(result, "")}` : ""}`;
}

/** A fence longer than any in the text. @param {string} text @param {string} name */
function fence(text, name) {
  const longest = Math.max(2, ...[...text.matchAll(/`{3,}/g)].map((run) => run[0].length));
  const ticks = "`".repeat(longest + 1);
  return `${ticks}${name}\n${text}\n${ticks}`;
}
