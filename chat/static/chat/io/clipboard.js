// Copying, also on a plain http address of the local network, where the browser has no clipboard for pages.

/** @param {string} text @returns {Promise<boolean>} */
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const box = document.createElement("textarea");
    const held = document.activeElement;
    box.value = text;
    box.className = "hide";
    document.body.append(box);
    box.select();
    const done = document.execCommand("copy");
    box.remove();
    if (held instanceof HTMLElement) held.focus();
    return done;
  }
}
