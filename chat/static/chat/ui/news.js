// What the person should know about their own words and changes: kept ones, two titles for one chat, a server that was set back, a browser that keeps nothing, a clock that is wrong.
import { ask, clone, onClick, say, slot } from "./dom.js";
import { fill, gettext, ngettext } from "../core/gettext.js";
import { lasting } from "../core/times.js";

/** @param {Kenny.News} news @returns {HTMLElement} */
export function newsLine(news) {
  const el = clone("t-news");
  const { text, act } = words(news);
  say(slot(el, "text"), text);
  if (act) {
    say(slot(el, "act"), act.label);
    onClick(slot(el, "act"), () => { for (const event of act.events) ask(document, event); ask(document, { type: "dismiss", key: news.key }); });
  }
  onClick(slot(el, "dismiss"), () => ask(document, { type: "dismiss", key: news.key }));
  return el;
}

/** @param {Kenny.News} news @returns {{ text: string, act?: { label: string, events: Kenny.Event[] } }} */
function words(news) {
  if (news.kind === "kept") {
    const text = news.title ? fill(gettext("“%(title)s” was deleted. What you had not sent is kept."), { title: news.title }) : gettext("A conversation was deleted. What you had not sent is kept.");
    return { text, act: { label: gettext("Show what was not sent"), events: [{ type: "showKept" }] } };
  }
  if (news.kind === "lost") {
    const many = news.n ?? 0;
    return { text: fill(ngettext("The server was set back and no longer has %(n)s conversation. It stays readable here and goes on with your next message.",
      "The server was set back and no longer has %(n)s conversations. They stay readable here and go on with your next message.", many), { n: many }) };
  }
  if (news.kind === "clock") return { text: clock(news.n ?? 0) };
  if (news.kind === "memory") return { text: gettext("This browser keeps nothing offline") };
  return clash(news);
}

/** @param {number} off ms that the clock here is ahead */
function clock(off) {
  const time = lasting(Math.abs(off));
  return off > 0 ? fill(gettext("The clock of this device is %(time)s ahead of the server's. Times on this page may look wrong."), { time })
    : fill(gettext("The clock of this device is %(time)s behind the server's. Times on this page may look wrong."), { time });
}

/** @param {Kenny.News} news @returns {{ text: string, act?: { label: string, events: Kenny.Event[] } }} */
function clash({ id, name = "", mine, theirs, wins }) {
  if (name !== "title") return { text: gettext("The settings of a conversation were changed in two places. The later change stays.") };
  const [kept, other] = wins ? [mine, theirs] : [theirs, mine];
  return {
    text: fill(gettext("Renamed in two places: “%(kept)s” stays, the other title was “%(other)s”."), { kept: String(kept), other: String(other) }),
    act: { label: fill(gettext("Use “%(title)s”"), { title: String(other) }), events: [{ type: "change", id, change: { title: other } }] },
  };
}
