// The clock of the device against the server's: measured between sending and answer, said once, used for nothing.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ahead } from "../../chat/static/chat/core/clock.js";
import { lasting } from "../../chat/static/chat/core/times.js";
import { feed, online } from "./help.js";

const MINUTE = 60_000;
const THERE = Date.UTC(2026, 10, 30, 12);
const date = new Date(THERE).toUTCString();
/** An answer that a browser, this much ahead, sent for at the server's `date` and got `after` ms later. */
const answer = (off, after = 100) => ({ date, sent: THERE + off, received: THERE + off + after });
const clock = (off, more = {}) => ({ type: "clock", ...answer(off), ...more });
const news = (...events) => feed(events)[0].news.map(({ kind, n }) => [kind, n]);

test("the difference is what neither the way there nor the way back can explain", () => {
  assert.deepEqual([ahead(answer(7 * MINUTE)), ahead(answer(-7 * MINUTE)), ahead(answer(0))], [7 * MINUTE, -7 * MINUTE + 100, 0]);
  assert.equal(ahead({ date, sent: THERE - MINUTE, received: THERE + 50 * MINUTE }), 0, "a device that slept meanwhile");
  assert.equal(ahead({ date, sent: THERE - 50 * MINUTE, received: THERE + MINUTE }), 0, "an answer that was long in coming");
});

test("without a date, with one that is none, or when the clock was set back meanwhile, nothing is known", () => {
  for (const odd of [{ date: null }, { date: "yesterday" }, { received: THERE - MINUTE }]) assert.equal(ahead({ ...answer(9 * MINUTE), ...odd }), null);
  assert.deepEqual(news(clock(9 * MINUTE), clock(0, { date: null })), [["clock", 9 * MINUTE]]);
});

test("it is said above five minutes, ahead as behind", () => {
  assert.deepEqual([news(clock(5 * MINUTE)), news(clock(-5 * MINUTE))], [[], []]);
  assert.deepEqual(news(clock(5 * MINUTE + 1)), [["clock", 5 * MINUTE + 1]]);
  assert.deepEqual(news(clock(-6 * MINUTE)), [["clock", -6 * MINUTE + 100]]);
});

test("it is said once, also after it was dismissed or stands about the limit, and goes when the clock was set right", () => {
  const gone = { type: "dismiss", key: "clock" };
  assert.deepEqual(news(clock(6 * MINUTE), clock(8 * MINUTE)), [["clock", 6 * MINUTE]]);
  assert.deepEqual(news(clock(6 * MINUTE), gone, clock(4.5 * MINUTE), clock(6 * MINUTE)), []);
  assert.deepEqual(news(clock(6 * MINUTE), clock(0)), []);
  assert.deepEqual(news(clock(6 * MINUTE), gone, clock(0), clock(7 * MINUTE)), [["clock", 7 * MINUTE]]);
});

test("whatever the difference, what is sent and kept is the same", () => {
  const row = (id) => ({ id, title: id, agentId: null, pinned: false, archived: false, updatedAt: 10, version: 1, live: null, messageCount: 1 });
  const list = { type: "listed", answer: { conversations: [row("a"), row("b")], deleted: [], cursor: "k", epoch: "e", full: true } };
  const day = [online, list, { type: "change", id: "a", change: { title: "T" }, now: 5 }, { type: "remove", id: "b", now: 6 }, { type: "undoOver" },
    { type: "open", id: "a" }, { type: "submit", text: "hello", images: [], newId: "c-new", turnId: "t-9", now: 7 }];
  const bare = ([{ news: _n, clockIsOff: _c, ...state }, effects]) => [state, effects];
  for (const off of [-9e9, 9e9]) assert.deepEqual(bare(feed(day.flatMap((event) => [event, clock(off)]))), bare(feed(day)));
});

test("a length of time is told in the unit that suits it", () => {
  const HOUR = 60 * MINUTE;
  assert.deepEqual([7 * MINUTE, 119 * MINUTE, 3 * HOUR, 47 * HOUR, 49 * HOUR, 365 * 24 * HOUR].map(lasting), ["7 minutes", "119 minutes", "3 hours", "47 hours", "2 days", "365 days"]);
});
