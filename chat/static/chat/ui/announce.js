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
    polite.replaceChildren(paragraph(text));
    setTimeout(next, 1000);
  };
  return (text, now = false) => {
    if (!text) return;
    if (now) { // each in a paragraph of its own: of two at once both are heard
      const line = paragraph(text);
      urgent.append(line);
      setTimeout(() => line.remove(), 5000);
      return;
    }
    queue.push(text);
    if (queue.length > 20) queue.splice(0, queue.length - 20); // a listener who is far behind hears the newest
    if (!waiting) { waiting = true; setTimeout(next, 50); }
  };
}

/** @param {string} text */
function paragraph(text) {
  const line = document.createElement("p");
  line.textContent = text;
  return line;
}
