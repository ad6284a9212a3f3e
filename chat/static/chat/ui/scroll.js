// Follows the end of the transcript until the reader moves up. No timers: a scroll event is ours when it lands where we wrote.
// Wheel and keys are believed before they move anything: browsers animate them, and what we write would end that at its first pixel.

const NEAR = 24; // px from the end that count as the end

/**
 * @param {HTMLElement} box @param {HTMLElement} content @param {(pinned: boolean, gap: number) => void} told
 * @returns {{ toEnd: () => void, isPinned: () => boolean, stay: (top: number) => void }}
 */
export function follow(box, content, told) {
  let pinned = true, wrote = -1, last = 0, height = 0, drift = 0;
  const end = () => box.scrollHeight - box.clientHeight;
  const pin = (/** @type {boolean} */ on) => { pinned = on; drift = 0; box.style.overflowAnchor = on ? "none" : "auto"; };
  const write = () => { box.scrollTop = end(); wrote = box.scrollTop; last = wrote; height = box.scrollHeight; };
  box.addEventListener("scroll", () => {
    const [top, max] = [box.scrollTop, end()];
    const ours = Math.abs(top - wrote) < 1.5;
    const clamped = box.scrollHeight < height && Math.abs(top - max) < 1.5; // the content shrank: nobody's move
    if (!ours && !clamped) {
      if (top < last) { drift += last - top; if (drift > 3) pin(false); }
      else if (max - top < NEAR) pin(true);
    }
    [last, height] = [top, box.scrollHeight];
    told(pinned, max - top);
  }, { passive: true });
  const up = (/** @type {Event} */ event) => { if (pinned && end() > 0 && !scrollsInside(event.target, box)) pin(false); };
  box.addEventListener("wheel", (event) => { if (event.deltaY < 0 && !event.ctrlKey) up(event); }, { passive: true });
  box.addEventListener("keydown", (event) => { if (["PageUp", "ArrowUp", "Home"].includes(event.key)) up(event); });
  // What the reader opens stays where it is: the end is followed again only if it is still in sight.
  content.addEventListener("click", (event) => {
    if (!pinned || !/** @type {Element} */ (event.target).closest("summary, .more")) return;
    pin(false);
    requestAnimationFrame(() => requestAnimationFrame(() => { if (end() - box.scrollTop < NEAR) { pin(true); write(); } told(pinned, end() - box.scrollTop); }));
  }, { capture: true });
  const grown = new ResizeObserver(() => { if (pinned) write(); told(pinned, end() - box.scrollTop); });
  grown.observe(box);
  grown.observe(content);
  pin(true);
  return {
    toEnd: () => { pin(true); write(); told(true, 0); }, isPinned: () => pinned,
    stay: (top) => { pin(false); box.scrollTop = top; [wrote, last] = [box.scrollTop, box.scrollTop]; told(false, end() - box.scrollTop); },
  };
}

/** Whether something between the target and the box takes an upward move for itself. @param {EventTarget | null} target @param {Element} box */
function scrollsInside(target, box) {
  for (let el = /** @type {Element | null} */ (target); el && el !== box; el = el.parentElement) if (el.scrollTop > 0) return true;
  return false;
}
