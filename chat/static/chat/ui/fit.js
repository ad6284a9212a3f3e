// Keeps the composer above a keyboard that lies over the page. Where the browser shrinks the page itself (see the viewport's
// interactive-widget) nothing is covered and nothing is done; a page that is pinched larger is left alone.

/** @param {VisualViewport | null} view @param {HTMLElement} root */
export function fit(view, root = document.documentElement) {
  if (!view) return;
  const measure = () => {
    const covered = view.scale > 1.01 ? 0 : Math.max(0, Math.round(root.clientHeight - view.height));
    root.style.setProperty("--covered", `${covered}px`);
    if (covered && scrollY) scrollTo(0, 0); // iOS pushes the page up to show the field; now it need not
  };
  view.addEventListener("resize", measure);
  view.addEventListener("scroll", measure);
  measure();
}
