// Cards in an answer: what was thought, what was called and what came back.
import { clone, onClick, say, slot } from "./dom.js";
import { showArgs } from "./args.js";
import { shots } from "./shot.js";
import { mainArgument, plain } from "../core/visible.js";
import { fill, gettext, number } from "../core/gettext.js";
import { seconds, span } from "../core/spans.js";

/** @returns {{ el: HTMLElement, show: (part: Kenny.ThinkingPart) => void }} */
export function thinkingCard() {
  const el = clone("t-thinking");
  const text = slot(el, "text");
  return {
    el,
    show(part) {
      const took = part.ms === null ? gettext("Thought") : fill(gettext("Thought for %(time)s"), { time: seconds(part.ms) });
      say(slot(el, "what"), part.open ? gettext("Thinking…") : took);
      say(slot(el, "last"), part.open ? (part.text.trimEnd().split("\n").at(-1) ?? "").slice(-120) : "");
      const shown = text.textContent ?? "";
      if (part.text.startsWith(shown)) text.append(part.text.slice(shown.length));
      else text.textContent = part.text;
      text.normalize();
    },
  };
}

const STATES = {
  running: gettext("running"), waiting: gettext("waiting for you"), done: gettext("done"), failed: gettext("failed"), denied: gettext("denied"),
};
const LINES = 200;
const FIRST = 20;

/** @returns {{ el: HTMLElement, show: (part: Kenny.ToolPart) => void }} */
export function toolCard() {
  const el = clone("t-tool");
  const card = /** @type {HTMLDetailsElement} */ (el.querySelector("details"));
  const more = slot(el, "more");
  let whole = false;
  /** @type {Kenny.ToolPart | null} */
  let shown = null;
  const output = () => {
    const text = shown && shown.text !== shown.error ? plain(shown.text) : "";
    const lines = text.replace(/\n$/, "").split("\n");
    const long = lines.length > LINES && !whole;
    say(slot(el, "output"), long ? lines.slice(0, FIRST).join("\n") : text);
    say(more, long ? fill(gettext("Show all (%(n)s lines)"), { n: number(lines.length) }) : null);
  };
  onClick(more, () => { whole = true; output(); slot(el, "output").focus({ preventScroll: true }); });
  return {
    el,
    show(part) {
      if (part === shown) return;
      const before = shown?.state;
      shown = part;
      say(slot(el, "tool"), part.tool);
      say(slot(el, "main"), mainArgument(part.args));
      say(slot(el, "state"), [part.elsewhere, STATES[part.state], part.ms === null ? null : span(part.ms)].filter(Boolean).join(" · "));
      card.dataset["state"] = part.state;
      showArgs(slot(el, "args"), part.args);
      say(slot(el, "why"), part.state === "failed" || part.state === "denied" ? part.error : null);
      output();
      shots(slot(el, "images"), part.images, fill(gettext("Image from %(tool)s"), { tool: part.tool }));
      if (before !== part.state && part.state === "failed") card.open = true;
    },
  };
}
