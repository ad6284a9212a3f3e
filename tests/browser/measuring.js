// What a test measures on a page: which text is cut, what lies over what, which colours a ring has. Loaded as one expression.
(() => {
  const scrolls = (style) => /auto|scroll/.test(style.overflowX + style.overflowY);
  const hides = (style) => /hidden|clip/.test(style.overflowX + style.overflowY);
  const top = () => document.querySelector("dialog:modal") ?? document.body;

  /** Whether a person can see and use it here and now. */
  function seen(el) {
    if (el.closest("[inert], .hide, [hidden], .skip:not(:focus), .visually-hidden, .skip-to-content-link")) return false;
    if (!el.checkVisibility({ opacityProperty: true, visibilityProperty: true, contentVisibilityAuto: true })) return false;
    return top().contains(el) || Boolean(el.closest("[popover]"));
  }

  /** The part of a box that its ancestors and the window leave to be seen. */
  function clipped(el, box) {
    let [left, right, above, below] = [Math.max(box.left, 0), Math.min(box.right, innerWidth), Math.max(box.top, 0), Math.min(box.bottom, innerHeight)];
    for (let up = el; up && up !== document.documentElement; up = up.parentElement) {
      const style = getComputedStyle(up);
      if (style.position === "fixed") break;
      if (!scrolls(style) && !hides(style)) continue;
      const by = up.getBoundingClientRect();
      [left, right, above, below] = [Math.max(left, by.left), Math.min(right, by.right), Math.max(above, by.top), Math.min(below, by.bottom)];
    }
    return right - left > 1 && below - above > 1 ? { left, right, top: above, bottom: below } : null;
  }

  function name(el) {
    const words = (el.getAttribute("aria-label") || el.textContent || el.getAttribute("placeholder") || "").trim().replace(/\s+/g, " ").slice(0, 40);
    return `${el.tagName.toLowerCase()}${el.className && typeof el.className === "string" ? `.${el.className.split(" ").join(".")}` : ""} "${words}"`;
  }

  function texts() {
    const out = [];
    const walk = document.createTreeWalker(top(), NodeFilter.SHOW_TEXT);
    while (walk.nextNode()) {
      const node = walk.currentNode;
      if (!node.data.trim() || !node.parentElement || !seen(node.parentElement)) continue;
      const range = document.createRange();
      range.selectNodeContents(node);
      for (const box of range.getClientRects()) {
        const rest = clipped(node.parentElement, box);
        if (rest && box.width > 1) out.push({ el: node.parentElement, box: rest });
      }
    }
    return out;
  }

  const controls = () => [...document.querySelectorAll("a[href], button, input, textarea, select, summary, [role=menuitem], [role=option]")]
    .filter((el) => el.type !== "hidden" && !el.disabled && seen(el));

  const cuts = (el) => el.scrollWidth > el.clientWidth + 1 || el.scrollHeight > el.clientHeight + 1;

  return {
    /** Elements that hide a part of their text for good: no scrolling, no ellipsis that the title attribute or an accessible name makes good. */
    cut() {
      const found = [...top().querySelectorAll("*")].filter((el) => {
        if (!seen(el) || !el.clientWidth || el.matches("svg, svg *, img")) return false;
        const style = getComputedStyle(el);
        if (!hides(style) || scrolls(style) || !cuts(el)) return false;
        return style.textOverflow !== "ellipsis" && el.innerText?.trim();
      });
      return found.map(name);
    },
    /** What makes the page itself scroll sideways. */
    wide() {
      const room = document.documentElement.clientWidth;
      const boxes = [...top().querySelectorAll("*")].filter((el) => seen(el) && el.getBoundingClientRect().right > room + 1 && clipped(el.parentElement, el.getBoundingClientRect())?.right > room + 1);
      const inner = [...document.querySelectorAll(".scroll, .list, dialog")].filter((el) => seen(el) && el.scrollWidth > el.clientWidth + 1);
      if (inner.length) return inner.map(name);
      return document.documentElement.scrollWidth > room + 1 ? [`the page, ${document.documentElement.scrollWidth} px`, ...boxes.map(name)] : [];
    },
    /** Texts that lie upon one another. */
    overlaps() {
      const all = texts();
      const found = new Set();
      all.forEach((one, i) => all.slice(i + 1).forEach((other) => {
        if (one.el === other.el || one.el.contains(other.el) || other.el.contains(one.el)) return;
        const wide = Math.min(one.box.right, other.box.right) - Math.max(one.box.left, other.box.left);
        const high = Math.min(one.box.bottom, other.box.bottom) - Math.max(one.box.top, other.box.top);
        if (wide < 3 || high < 5) return;
        const hit = document.elementFromPoint((one.box.left + one.box.right) / 2, (one.box.top + one.box.bottom) / 2);
        const over = document.elementFromPoint((other.box.left + other.box.right) / 2, (other.box.top + other.box.bottom) / 2);
        const floats = (el) => el.closest("[popover], .menu, .skip, chat-notices, .jump, dialog"); // what is meant to lie above
        if (floats(one.el) !== floats(other.el) && (floats(hit ?? one.el) || floats(over ?? one.el))) return;
        found.add(`${name(one.el)} and ${name(other.el)}`);
      }));
      return [...found];
    },
    /** Controls whose middle something else lies upon. */
    covered() {
      return controls().filter((el) => {
        const box = clipped(el, el.getBoundingClientRect());
        if (!box) return false;
        const hit = document.elementFromPoint((box.left + box.right) / 2, (box.top + box.bottom) / 2);
        if (!hit) return true;
        return !(el.contains(hit) || hit.contains(el) || hit.closest("label")?.control === el || el.closest("li")?.contains(hit) || hit.closest("[popover], .jump")); // these lie above what can be scrolled
      }).map(name);
    },
    /** Controls smaller than `least` both ways; a link inside a sentence is as large as its line. */
    small(least) {
      return controls().filter((el) => {
        if (el.matches("p a, li a, span a, .md a") && getComputedStyle(el).display === "inline") return false;
        const box = (el.closest("label, .row") ?? el).getBoundingClientRect();
        const own = el.closest(".row") && !el.matches("a") ? el.getBoundingClientRect() : box;
        return own.width < least - 0.5 || own.height < least - 0.5;
      }).map((el) => `${name(el)} ${Math.round(el.getBoundingClientRect().width)}x${Math.round(el.getBoundingClientRect().height)}`);
    },
    /** Of the focused element: where it is, its name, and the contrast of its ring with what it lies on. */
    focused() {
      const el = document.activeElement;
      if (!el || el === document.body) return null;
      const parts = [["skip", ".skip"], ["sidebar", "chat-sidebar"], ["bar", "main .bar"], ["transcript", "chat-transcript"], ["dock", "chat-notices"], ["composer", "chat-composer"], ["dialog", "dialog"]];
      return { part: parts.find(([, where]) => el.closest(where))?.[0] ?? "page", name: name(el), ring: ring(el) };
    },
    moving: () => document.getAnimations().filter((one) => one.playState === "running").map((one) => name(one.effect.target)),
  };

  function ring(el) {
    const form = el.closest("chat-composer form");
    const tried = [[el, getComputedStyle(el)], [el, getComputedStyle(el, "::after")], ...(form ? [[form, getComputedStyle(form)]] : [])];
    const shown = tried.map(([at, style]) => {
      const outline = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2 ? { colour: style.outlineColor, inside: parseFloat(style.outlineOffset) < 0 } : null;
      const shadow = at === form && /^rgb/.test(style.boxShadow) ? { colour: style.borderColor, inside: false } : null;
      const border = outline ?? shadow;
      return border ? contrast(rgb(border.colour), ground(border.inside ? at : at.parentElement)) : 0;
    });
    return Math.max(...shown);
  }

  function rgb(colour) {
    const canvas = Object.assign(document.createElement("canvas"), { width: 1, height: 1 }).getContext("2d");
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  }

  function ground(el) {
    for (let up = el; up; up = up.parentElement) {
      const colour = rgb(getComputedStyle(up).backgroundColor);
      if (colour[3] > 250) return colour;
    }
    return [255, 255, 255, 255];
  }

  function contrast(a, b) {
    const light = (c) => { const [r, g, b2] = c.map((v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4)); return 0.2126 * r + 0.7152 * g + 0.0722 * b2; };
    const [low, high] = [light(a), light(b)].sort((x, y) => x - y);
    return (high + 0.05) / (low + 0.05);
  }
})()
