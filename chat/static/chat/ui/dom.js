// Elements come from <template>s of the page; modules fill their slots with text. No markup string exists here.

/** @param {string} name @returns {HTMLElement} */
export function clone(name) {
  const template = document.getElementById(name);
  const first = template instanceof HTMLTemplateElement ? template.content.firstElementChild : null;
  if (!first) throw new Error(`The page has no template ${name}`);
  return /** @type {HTMLElement} */ (document.importNode(first, true));
}

/** The one element of a slot. @template {HTMLElement} [T=HTMLElement] @param {ParentNode} root @param {string} name @returns {T} */
export function slot(root, name) {
  const found = root.querySelector(`[data-slot="${name}"]`);
  if (!found) throw new Error(`There is no slot ${name}`);
  return /** @type {T} */ (found);
}

/** Tells the page what a person did; main.js listens. @param {EventTarget} from @param {Kenny.Event} event */
export const ask = (from, event) => from.dispatchEvent(new CustomEvent("kenny", { bubbles: true, detail: event }));

/** Writes text and hides the element when there is none. @param {HTMLElement} el @param {string | null | undefined} text */
export function say(el, text) {
  if (el.textContent !== (text ?? "")) el.textContent = text ?? "";
  el.hidden = !text;
}

/** @param {HTMLElement} el @param {() => void} action */
export const onClick = (el, action) => el.addEventListener("click", (event) => { event.preventDefault(); action(); });

/** Puts a child before another. What only moves keeps its focus where the browser can do that: a name that is being written must not end because its row moves. @param {Element} parent @param {Element} child @param {Element | null} before */
function put(parent, child, before) {
  if (child.isConnected && parent.isConnected && "moveBefore" in parent) /** @type {any} */ (parent).moveBefore(child, before);
  else parent.insertBefore(child, before);
}

/** Puts these first among the children, in order, and returns what stands behind them; what stands where it belongs is left alone. @param {Element} parent @param {Element[]} els */
export function place(parent, els) {
  let at = parent.firstElementChild;
  for (const el of els) {
    if (el === at) at = at.nextElementSibling;
    else put(parent, el, at);
  }
  return at;
}

/**
 * Keeps a parent's children in step with a list, by key, without touching what stays.
 * @template T @param {Element} parent @param {Map<string, { el: HTMLElement, show: (item: T) => void }>} known
 * @param {T[]} items @param {(item: T) => string} keyOf @param {(item: T) => { el: HTMLElement, show: (item: T) => void }} make
 */
export function keyed(parent, known, items, keyOf, make) {
  const wanted = new Set(items.map(keyOf));
  for (const [key, view] of known) if (!wanted.has(key)) { view.el.remove(); known.delete(key); }
  place(parent, items.map((item) => {
    const key = keyOf(item);
    const view = known.get(key) ?? make(item);
    known.set(key, view);
    view.show(item);
    return view.el;
  }));
}
