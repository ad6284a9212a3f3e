// On a phone the list of conversations is a drawer over the page: the focus stays in it; Escape, Back and a touch beside it close it.

/** @returns {{ open: () => void, close: () => void, wentBack: () => boolean }} */
export function drawer() {
  const button = /** @type {HTMLElement} */ (document.querySelector("[data-drawer]"));
  const side = /** @type {HTMLElement} */ (document.getElementById("sidebar"));
  const isOpen = () => document.body.classList.contains("drawer");
  const narrow = matchMedia("(max-width: 47.99rem)");
  let leaving = false;

  const show = (/** @type {boolean} */ open) => {
    const held = side.contains(document.activeElement);
    document.body.classList.toggle("drawer", open);
    button.setAttribute("aria-expanded", String(open));
    // All but the title, so that the page keeps its main part and its heading.
    for (const part of document.querySelectorAll(".skip, main > :not(.bar), .bar :is(button, input)")) /** @type {HTMLElement} */ (part).inert = open;
    if (open) /** @type {HTMLElement | null} */ (side.querySelector("button"))?.focus();
    else if (held) button.focus();
  };
  const close = () => {
    if (!isOpen()) return;
    show(false);
    if (history.state?.drawer) { leaving = true; history.back(); }
  };

  const open = () => {
    if (isOpen() || !narrow.matches) return;
    history.pushState({ drawer: true }, "");
    show(true);
  };

  button.addEventListener("click", open);
  document.addEventListener("keydown", (event) => { if (event.key === "Escape" && !event.defaultPrevented && isOpen()) close(); });
  document.addEventListener("click", (event) => {
    const at = /** @type {Element} */ (event.target);
    if (isOpen() && at.isConnected && !at.closest("#sidebar, [data-drawer], dialog, [popover]")) close();
  });
  narrow.addEventListener("change", close);

  return {
    open,
    close,
    /** Whether going back in the browser's history did no more than close the drawer. */
    wentBack() {
      const only = leaving || isOpen();
      leaving = false;
      if (isOpen()) show(false);
      return only;
    },
  };
}
