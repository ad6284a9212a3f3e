// The groups of the list and their rows. Only what stands elsewhere is moved, so that a focus and an open menu stay.
import { clone, place, slot } from "./dom.js";
import { rowView } from "./row.js";

const KEPT = 1_000; // rows that a search took away mostly come back

/** @param {HTMLElement} root */
export function groupsIn(root) {
  /** @type {Map<string, import("./row.js").RowView>} */
  const views = new Map();
  /** @type {Map<string, { el: HTMLElement, list: HTMLElement }>} */
  const groups = new Map();

  const group = (/** @type {string} */ label) => {
    const known = groups.get(label);
    if (known) return known;
    const el = clone("t-group");
    const [head, list] = [slot(el, "label"), slot(el, "rows")];
    head.textContent = label;
    head.id = `group-${label.replaceAll(/\W+/g, "-")}`;
    list.setAttribute("aria-labelledby", head.id);
    groups.set(label, { el, list });
    return { el, list };
  };
  const view = (/** @type {string} */ id) => {
    const known = views.get(id) ?? rowView();
    views.set(id, known);
    return known;
  };

  return {
    /** The row, if it is shown. @param {string} id */
    view: (id) => { const known = views.get(id); return known?.el.isConnected ? known : undefined; },
    /** @param {Kenny.Group[]} parts */
    arrange: (parts) => {
      const focused = root.contains(document.activeElement) ? /** @type {HTMLElement} */ (document.activeElement) : null;
      const [ids, labels] = [new Set(parts.flatMap((part) => part.rows.map((row) => row.id))), new Set(parts.map((part) => part.label))];
      for (const [id, { el }] of views) if (!ids.has(id)) { el.remove(); if (views.size > KEPT) views.delete(id); }
      for (const [label, { el }] of groups) if (!labels.has(label)) { el.remove(); groups.delete(label); }
      place(root, parts.map(({ label }) => group(label).el));
      for (const { label, rows } of parts) place(group(label).list, rows.map((row) => view(row.id).el));
      if (focused?.isConnected && focused !== document.activeElement) focused.focus();
    },
  };
}
