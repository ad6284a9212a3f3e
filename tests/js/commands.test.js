import assert from "node:assert/strict";
import { test } from "node:test";
import { commandOf, COMMANDS, keysOf, possible } from "../../chat/static/chat/core/commands.js";
import { offers } from "../../chat/static/chat/core/palette.js";
import { feed, fresh, online, opened } from "./help.js";

const row = (id, more = {}) => ({ id, title: id, agentId: null, pinned: false, archived: false, updatedAt: 1, version: 1, live: null, ...more });
const list = (...rows) => feed([{ type: "listed", answer: { conversations: rows, deleted: [], cursor: "k", epoch: "e", full: true } }])[0];
const press = (key, more = {}) => ({ key, ctrl: false, shift: false, alt: false, inText: false, ...more });
const means = (state, key, more) => commandOf(state, press(key, more))?.id ?? null;

test("each key means its command, whatever the case of the letter", () => {
  const s = fresh();
  assert.deepEqual([means(s, "O", { ctrl: true, shift: true }), means(s, "k", { ctrl: true }), means(s, "Escape", { shift: true }), means(s, "ArrowUp", { alt: true })],
    ["new", "palette", "focus", "previous"]);
  assert.deepEqual([means(s, "/", { ctrl: true }), means(s, "/", { ctrl: true, shift: true }), means(s, "o", { ctrl: true }), means(s, "o")], ["keys", "keys", null, null]);
});

test("in a text field only keys with a modifier are commands, and Ctrl+Z is the text's own", () => {
  const deleted = feed([{ type: "remove", id: "a" }], list(row("a")))[0];
  assert.deepEqual([means(deleted, "/"), means(deleted, "/", { inText: true }), means(deleted, "z", { ctrl: true }), means(deleted, "z", { ctrl: true, inText: true })],
    ["search", null, "undo", null]);
  assert.equal(means(deleted, "k", { ctrl: true, inText: true }), "palette");
  for (const command of COMMANDS.filter((c) => c.key && !c.ctrl && !c.alt && !(c.shift && c.key.length > 1)))
    assert.equal(means(deleted, command.key, { inText: true }), null, command.id);
});

test("only what can be done is offered", () => {
  const ids = (s) => possible(s).map((c) => c.id);
  assert.equal(["rename", "remove", "undo", "stop"].some((id) => ids(fresh()).includes(id)), false);
  const [state] = feed([...opened, { type: "listed", answer: { conversations: [row("c-1", { pinned: true })], deleted: [], cursor: "k", epoch: "e", full: true } }]);
  assert.ok(["rename", "pin", "archive", "export", "remove"].every((id) => ids(state).includes(id)));
  const event = (id) => COMMANDS.find((c) => c.id === id).event(state);
  assert.deepEqual([event("pin"), event("archive")], [{ type: "change", id: "c-1", change: { pinned: false } }, { type: "change", id: "c-1", change: { archived: true } }]);
  assert.deepEqual([event("rename"), event("remove"), event("export").title], [{ type: "rename", id: "c-1", title: "c-1" }, { type: "remove", id: "c-1" }, "c-1"]);
  const label = (id, s) => COMMANDS.find((c) => c.id === id).label(s);
  assert.deepEqual([label("pin", state), label("pin", fresh()), label("archive", state)], ["Unpin this conversation", "Pin this conversation", "Archive this conversation"]);
  const [busy] = feed([{ type: "submit", text: "x", images: [], newId: "n", turnId: "t" }], feed([online])[0]);
  assert.ok(ids(busy).includes("stop"));
});

test("every command has a name, and no two the same keys", () => {
  const keys = COMMANDS.filter((c) => c.key).map((c) => keysOf(c, false));
  assert.equal(new Set(keys).size, keys.length);
  assert.ok(COMMANDS.every((c) => c.label(fresh()).length > 3 && c.event(fresh()).type));
  assert.deepEqual([keysOf(COMMANDS[0], false), keysOf(COMMANDS[0], true), keysOf({ key: "arrowup", alt: true }, true), keysOf({}, false)], ["Ctrl+Shift+O", "⌘⇧O", "⌥↑", ""]);
});

test("the palette offers recent conversations and all commands, then what the words name", () => {
  const state = list(...Array.from({ length: 40 }, (_, i) => row(`r${i}`, { title: `Plan ${i}`, updatedAt: i })));
  const [recent, commands, ...rest] = offers(state, "  ");
  assert.deepEqual([recent.choices.map((c) => c.label)[0], recent.choices.length, rest], ["Plan 39", 6, []]);
  assert.equal(commands.choices.length, possible(state).length - 1);
  const found = offers(state, "plan");
  assert.deepEqual(found.map((offer) => [offer.label, offer.choices.length]), [["Conversations", 30], ["Search", 1]]);
  assert.deepEqual(found[1].choices[0].event, { type: "searchBox", text: "plan" });
  assert.deepEqual(offers(state, "CHAT new")[0].choices.map((c) => c.event), [{ type: "new" }]);
});
