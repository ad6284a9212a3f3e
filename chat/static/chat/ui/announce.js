// Two live regions outside main: one polite, one urgent. Whole sentences, at most one a second.

/** @param {HTMLElement} polite @param {HTMLElement} urgent @returns {(text: string, now?: boolean) => void} */
export function announcer(polite, urgent) {
  /** @type {string[]} */
  const queue = [];
  let waiting = false;
  const next = () => {
    const text = queue.shift();
    waiting = text !== undefined;
    if (text === undefined) return;
    const line = document.createElement("p");
    line.textContent = text;
    polite.replaceChildren(line);
    setTimeout(next, 1000);
  };
  return (text, now = false) => {
    if (!text) return;
    if (now) { urgent.textContent = ""; requestAnimationFrame(() => { urgent.textContent = text; }); return; }
    queue.push(text);
    if (queue.length > 20) queue.splice(0, queue.length - 20); // a listener who is far behind hears the newest
    if (!waiting) { waiting = true; setTimeout(next, 50); }
  };
}
