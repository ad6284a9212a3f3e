// What to send again when an answer failed: the last message of a person, read from the stored list.

/**
 * @param {{ role: string, content: string | { type: string, text?: string, source?: { media_type: string, data?: string } }[] }[]} messages
 * @returns {{ index: number, text: string, images: Kenny.Upload[] } | null}
 */
export function lastOfPerson(messages) {
  const index = messages.findLastIndex((m) => m.role === "user" && (typeof m.content === "string" || m.content.some((b) => b.type !== "tool_result")));
  const message = messages[index];
  if (!message) return null;
  if (typeof message.content === "string") return { index, text: message.content, images: [] };
  const blocks = message.content.filter((block, i, all) => !(i === 0 && all.length > 1 && block.text?.startsWith("<kenny-note>")));
  const text = blocks.flatMap((block) => (block.type === "text" ? [/** @type {string} */ (block.text)] : [])).join("\n\n");
  const images = blocks.flatMap(({ type, source }) => (type === "image" && source?.data ? [upload(source.media_type, source.data)] : []));
  return { index, text, images };
}

/** @param {string} mediaType @param {string} data @returns {Kenny.Upload} */
const upload = (mediaType, data) => ({ name: "image", mediaType, data, url: "" });
