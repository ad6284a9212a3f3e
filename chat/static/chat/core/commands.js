// The commands that keys reach. No key works in a text field unless it has a modifier.

/** @type {{ id: string, key: string, ctrl: boolean, shift: boolean }[]} */
export const COMMANDS = [
  { id: "new", key: "o", ctrl: true, shift: true },
  { id: "focus", key: "escape", ctrl: false, shift: true },
];

/** @param {{ key: string, ctrl: boolean, shift: boolean, alt: boolean }} pressed @returns {string | null} */
export const commandOf = ({ key, ctrl, shift, alt }) =>
  (alt ? undefined : COMMANDS.find((c) => c.key === key.toLowerCase() && c.ctrl === ctrl && c.shift === shift))?.id ?? null;
