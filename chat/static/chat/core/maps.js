// Records by id that are copied when they change. They have no prototype: a conversation may be called "constructor".

/** @template T @param {Record<string, T>} [map] @returns {Record<string, T>} */
export const copy = (map) => /** @type {any} */ ({ __proto__: null, .../** @type {object} */ (map) });

/** @template T @param {Record<string, T>} map @param {string} id @param {T} value @returns {Record<string, T>} */
export const put = (map, id, value) => { const next = copy(map); next[id] = value; return next; };

/** @template T @param {Record<string, T>} map @param {string} id @returns {Record<string, T>} */
export const drop = (map, id) => { const next = copy(map); delete next[id]; return next; };
