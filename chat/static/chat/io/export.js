// One conversation as a file: Markdown to read, JSON as it is stored.
import { save } from "./files.js";
import { markdown } from "../core/markdown.js";

/** @param {import("./api.js").Api} call @param {string} id @param {string} title @param {string} as @returns {Promise<Kenny.Failure | null>} */
export async function exported(call, id, title, as) {
  const path = as === "json" ? "/api/conversations/" : "/api/chat/history/";
  const answer = await call("GET", path + encodeURIComponent(id));
  if (!answer.ok) return answer.error;
  const name = title.replace(/[^\p{L}\p{N} ._-]/gu, "").trim().slice(0, 80) || "conversation";
  if (as === "json") save(`${name}.json`, JSON.stringify(answer.data, null, 2), "application/json");
  else save(`${name}.md`, markdown(answer.data), "text/markdown");
  return null;
}
