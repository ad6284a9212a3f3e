// Where the reader was in the conversations that were left in this tab.

/** @typedef {Map<string, { el: HTMLElement }>} Views */

const SETTLING = 4; // frames

/** @param {HTMLElement} box @param {(top: number) => void} stay @returns {{ leave: (id: string, views: Views) => void, back: (id: string, views: Views) => boolean }} */
export function placesIn(box, stay) {
  /** @type {Map<string, { key: string, above: number }>} */
  const places = new Map();
  const topOf = (/** @type {HTMLElement} */ el) => el.getBoundingClientRect().top - box.getBoundingClientRect().top;

  /** Holds an element in its place for some frames: what was not drawn yet has its real height only then. @param {HTMLElement} el @param {number} above @param {number} frames */
  const hold = (el, above, frames) => {
    if (!el.isConnected) return;
    const off = topOf(el) - above;
    if (Math.abs(off) > 0.5 || frames === SETTLING) stay(box.scrollTop + off);
    if (frames) requestAnimationFrame(() => hold(el, above, frames - 1));
  };
  return {
    leave(id, views) {
      const first = [...views].find(([, { el }]) => topOf(el) + el.offsetHeight > 0);
      if (first) places.set(id, { key: first[0], above: topOf(first[1].el) });
    },
    back(id, views) {
      const place = places.get(id);
      const el = place && views.get(place.key)?.el;
      places.delete(id);
      if (place && el) hold(el, place.above, SETTLING);
      return Boolean(place && el);
    },
  };
}
