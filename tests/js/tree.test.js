import assert from "node:assert/strict";
import { test } from "node:test";
import { children, grow, raw, same, words } from "../../chat/static/chat/core/tree.js";
import { p } from "./help.js";

test("grow appends text to the text that was there", () => {
  assert.deepEqual(grow(["ab", "x"], [0, "c"]), ["abc"]);
});

test("grow goes on inside a node and keeps what stands before it by identity", () => {
  const first = p("one");
  const now = grow([first, p("tw")], [1, { in: [0, "o"] }, p("three")]);
  assert.deepEqual(now, [p("one"), p("two"), p("three")]);
  assert.equal(now[0], first);
});

test("grow with no continuation replaces from the place it names", () => {
  assert.deepEqual(grow([p("a"), p("b")], [0, null, p("c")]), [p("c")]);
  assert.deepEqual(grow([p("a"), p("b")], [1, null]), [p("a")]);
});

test("grow survives a change that does not fit what is there", () => {
  assert.deepEqual(grow([], [0, "x"]), ["x"]);
  assert.deepEqual(grow(["x"], [0, { in: [0, "y"] }]), []);
});

test("same compares trees by what they show", () => {
  assert.ok(same(["a", { href: "x" }, "t"], ["a", { href: "x" }, "t"]));
  assert.ok(!same(["a", { href: "x" }], ["a", { href: "y" }]));
  assert.ok(!same(["a", null], ["a", {}]));
  assert.ok(!same({ a: 1 }, { b: 1 }));
  assert.ok(!same("a", ["a", null]));
});

test("words says a formula as it was written", () => {
  assert.equal(words([["p", null, "So ", ["math", { alttext: "x^2" }, ["mi", null, "x"]], "."]]), "So x^2.");
});

test("words names code and never reads it out", () => {
  const code = ["pre", { "data-lang": "python" }, ["code", null, "a = 1\n", ["span", null, "b"], "\n"]];
  assert.equal(words([p("Look:"), code, p("Done.")]), "Look: Code, python, 2 lines. Done.");
  assert.equal(words([["pre", null, ["code", null, "x"]]]), "Code, 1 line.");
});

test("words keeps cells and items apart", () => {
  assert.equal(words([["ul", null, ["li", null, "a"], ["li", null, "b"]]]), "a b");
  assert.equal(words([["table", null, ["tr", null, ["td", null, "a"], ["td", null, "b"]]]]), "a b");
});

test("raw and children take any node", () => {
  assert.equal(raw(["p", null, "a", ["em", null, "b"]]), "ab");
  assert.deepEqual(children("text"), []);
});
