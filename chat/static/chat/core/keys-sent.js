// Every key this client writes to the server, in one place: the writers take from here, and a test stores and reads back each of them.

/** Keys of a PATCH. */
export const CHANGED = /** @type {const} */ (["title", "pinned", "archived", "settings", "agentId", "updatedAt"]);

/** Keys of a send, by socket or by POST. */
export const SENT = /** @type {const} */ (["conversationId", "turnId", "message", "agentId", "images", "truncateAt", "version", "settings"]);

/** Only these, and only where there is a value. @param {readonly string[]} keys @param {Record<string, unknown>} from @returns {Record<string, unknown>} */
export const only = (keys, from) => Object.fromEntries(keys.filter((key) => from[key] !== undefined).map((key) => [key, from[key]]));
