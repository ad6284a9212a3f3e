// What the person prefers on every device. A choice holds at once and is taken back if the server refuses it.

/** @type {Kenny.Preferences} */
export const NONE = { sendKey: null, announcements: null, language: null, model: null, agentId: null };

/** @type {Kenny.Handlers} */
export const handlers = {
  prefer: (s, { change }) => {
    const before = Object.fromEntries(Object.keys(change).map((name) => [name, /** @type {any} */ (s.preferences)[name]]));
    return [{ ...s, preferences: { ...s.preferences, ...change } }, [{ do: "prefer", change, before }]];
  },
  /** The server has it. A page speaks one language: another one comes with the next page. */
  preferred: (s, { preferences, change }) => [
    { ...s, preferences: { ...s.preferences, ...preferences } }, "language" in change ? [{ do: "language", language: preferences.language }] : [],
  ],
  preferFailed: (s, { before, error }) => [{ ...s, preferences: { ...s.preferences, ...before }, problem: error }, []],
};
