// How far this device's clock stands from the server's. It is said to the person and used for nothing else: what comes first is never decided by two clocks.

const WRONG = 5 * 60_000;
const RIGHT = 4 * 60_000; // so that one about the limit is said once

/**
 * How many ms the browser's clock is ahead of the server's at least (behind: less than 0), by the time that stands in an answer: the server wrote it
 * between two moments of the browser, so a slow answer says nothing. Null when nothing is known.
 * @param {{ date: string | null, sent: number, received: number }} answer
 */
export function ahead({ date, sent, received }) {
  const there = Date.parse(date ?? "");
  if (Number.isNaN(there) || received < sent) return null; // set back under way
  return there < sent ? sent - there : Math.min(0, received - there);
}

/** @param {number} off @param {boolean} was whether it was wrong before */
const isWrong = (off, was) => Math.abs(off) > (was ? RIGHT : WRONG);

/** @type {Kenny.Handlers} */
export const handlers = {
  clock: (s, answer) => {
    const off = ahead(answer);
    if (off === null || isWrong(off, s.clockIsOff) === s.clockIsOff) return [s, []];
    const others = s.news.filter(({ kind }) => kind !== "clock");
    return [{ ...s, clockIsOff: !s.clockIsOff, news: s.clockIsOff ? others : [...others, { key: "clock", kind: "clock", id: "", title: "", n: off }] }, []];
  },
};
