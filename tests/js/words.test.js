import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { markdown } from "../../chat/static/chat/core/markdown.js";
import { lastOfPerson } from "../../chat/static/chat/core/resend.js";
import { dayName, dayOf, group, iso, lasting, long, short, time } from "../../chat/static/chat/core/times.js";
import { argument, mainArgument, pieces, plain, rows, visible } from "../../chat/static/chat/core/visible.js";
import { empty } from "./help.js";

test("what hides, reorders or pads is shown", () => {
  const cases = { "a\u202eb": "a\\u{202e}b", "\u200b": "\\u{200b}", "a\u00a0b": "a\\u{a0}b", "\u{e0041}": "\\u{e0041}", "\ufe0f": "\\u{fe0f}", "\u0007": "\\u{7}",
    "\ud800": "\\u{d800}", "\u3164": "\\u{3164}", "line\n\ttab": "line\n\ttab", "\\u{202e}": "\\u{5c}u{202e}", "é ü 漢 😀": "é ü 漢 😀" };
  for (const [text, shown] of Object.entries(cases)) assert.equal(visible(text), shown);
  assert.equal(visible(`a${" ".repeat(50)}b`), "a\\u{20*50}b");
});

test("the rule is the server's", () => {
  const { hidden, cases } = JSON.parse(readFileSync(new URL("../contracts/visible.json", import.meta.url), "utf8"));
  for (const { text, visible: shown } of cases) assert.equal(visible(text), shown);
  for (const [from, to] of hidden) for (let code = from; code <= to; code += 1) assert.equal(visible(String.fromCodePoint(code)), `\\u{${code.toString(16)}}`);
});

test("what stands for something hidden is told apart from text that looks like it", () => {
  assert.deepEqual(pieces("a\u202e\\u{202e}"), [{ text: "a", odd: false }, { text: "\\u{202e}", odd: true }, { text: "\\u{5c}", odd: true }, { text: "u{202e}", odd: false }]);
  assert.deepEqual(pieces(""), []);
});

test("arguments are shown whole, with their kind where text could pass for it", () => {
  assert.deepEqual(argument("1"), { text: "1", kind: null });
  assert.deepEqual([1, true, null, [1], { a: 1 }].map((v) => argument(v).kind), ["number", "boolean", "null", "list", "object"]);
  assert.deepEqual(rows([1]), [["arguments", [1]]]);
  assert.deepEqual(rows({ a: 1 }), [["a", 1]]);
  assert.equal(argument(undefined).text, "");
});

test("the main argument is one visible line", () => {
  assert.equal(mainArgument({ content: "x", path: "a\u202e/b\nc" }), "a\\u{202e}/b");
  assert.equal(mainArgument({ n: 1, s: "text" }), "text");
  assert.deepEqual([mainArgument({ n: 1 }), mainArgument({})], ["1", ""]);
});

test("terminal colours leave tool output", () => {
  assert.equal(plain("\u001b[1;31mred\u001b[0m \u001b]0;title\u0007text"), "red text");
});

test("below a message stands the time of day, above a day its name", () => {
  const noon = new Date(2026, 10, 30, 13, 5).getTime();
  assert.equal(time(noon), "13:05");
  assert.equal(dayOf(noon), dayOf(new Date(2026, 10, 30, 0, 0).getTime()));
  assert.notEqual(dayOf(noon), dayOf(new Date(2026, 11, 1, 0, 0).getTime()));
  assert.equal(dayName(noon), "Monday, November 30, 2026");
});

test("times are short in the list and whole in the title", () => {
  const now = new Date(2026, 5, 15, 13, 5).getTime();
  const ago = (days) => now - days * 86_400_000;
  assert.deepEqual([0, 1, 3, 60, 400].map((d) => short(ago(d), now)), ["13:05", "Yesterday", "Fri", "Apr 16", "May 11, 2025"]);
  assert.equal(short(now + 5000, now), "13:05");
  assert.equal(group(ago(7), now), "Previous 7 days");
  assert.match(long(now), /Monday, June 15, 2026/);
  assert.equal(iso(0), "1970-01-01T00:00:00.000Z");
});

test("a stretch of time is said in minutes below two hours, in hours below two days, else in days", () => {
  const minute = 60_000;
  assert.deepEqual([5, 119, 120, 47 * 60, 48 * 60, 3650 * 1440].map((n) => lasting(n * minute)), ["5 minutes", "119 minutes", "2 hours", "47 hours", "2 days", "3,650 days"]);
});

test("the last message of a person is found behind results of tools", () => {
  const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "AA==" } };
  const messages = [{ role: "user", content: "first" }, { role: "assistant", content: [] }, { role: "user", content: [{ type: "text", text: "<kenny-note>n</kenny-note>" }, { type: "text", text: "look" }, image] },
    { role: "assistant", content: [] }, { role: "user", content: [{ type: "tool_result" }] }];
  assert.deepEqual(lastOfPerson(messages), { index: 2, text: "look", images: [{ name: "image", mediaType: "image/png", data: "AA==", url: "" }] });
  assert.deepEqual(lastOfPerson(messages.slice(0, 1)), { index: 0, text: "first", images: [] });
  assert.equal(lastOfPerson([]), null);
});

test("a conversation as Markdown holds what was said, thought and done", () => {
  const call = { callId: "a", tool: "read_file", args: { path: "x" } };
  const text = markdown(empty({ title: "", transcript: [{ type: "user_text", text: "hi", images: [] }, { type: "thinking_delta", text: "hm\nso" }, { type: "tool_call", ...call },
    { type: "tool_result", ...call, ok: true, text: "````", images: [], error: null }, { type: "text_delta", text: "Done.\n" }] }));
  assert.equal(text, '# New chat\n\n## You\n\nhi\n\n## Claude\n\n> hm\n> so\n\n**read_file** (done)\n\n```json\n{\n  "path": "x"\n}\n```\n\n`````\n````\n`````\n\nDone.\n');
});
