import assert from "node:assert/strict";
import { test } from "node:test";
import { NONE } from "../../chat/static/chat/core/preferences.js";
import { initial } from "../../chat/static/chat/core/state.js";
import { feed, fresh, hello, opened, turn } from "./help.js";

test("a choice holds at once, is sent, and is taken back when refused", () => {
  const [state, effects] = feed([{ type: "prefer", change: { sendKey: "ctrl" } }]);
  assert.deepEqual([state.preferences, effects], [{ ...NONE, sendKey: "ctrl" }, [{ do: "prefer", change: { sendKey: "ctrl" }, before: { sendKey: null } }]]);
  const error = { code: "unreachable", message: "m" };
  const [back] = feed([{ type: "preferFailed", before: { sendKey: null }, error }], state);
  assert.deepEqual([back.preferences, back.problem], [NONE, error]);
});

test("what the server says holds, and only a change of language asks for another page", () => {
  const [state, effects] = feed([{ type: "preferred", preferences: { ...NONE, model: "m" }, change: { model: "m" } }]);
  assert.deepEqual([state.preferences.model, effects], ["m", []]);
  assert.deepEqual(feed([{ type: "preferred", preferences: { ...NONE, language: "de" }, change: { language: "de" } }])[1], [{ do: "language", language: "de" }]);
});

test("the page begins with what it was told", () => {
  assert.equal(initial({ account: "1", static: "s", limits: hello.limits, preferences: { announcements: "ends" } }).preferences.announcements, "ends");
  assert.deepEqual(fresh().preferences, NONE);
});

test("announcements of start and end leave the blocks out", () => {
  const events = turn("t-1", [{ type: "user_text", text: "q", images: [] }, { type: "block", part: 0, index: 0, nodes: [["p", null, "Long words"]], text: "Long words" },
    { type: "done", done: true, stopReason: "end_turn", version: 2, pending: [], usage: {} }]);
  const heard = (announcements) => feed(events, feed(opened, { ...fresh(), preferences: { ...NONE, announcements } })[0])[1].filter((e) => e.do === "announce").map((e) => e.text);
  assert.deepEqual(heard(null), ["Claude is answering", "Long words", "Answer complete"]);
  assert.deepEqual(heard("ends"), ["Claude is answering", "Answer complete"]);
});
