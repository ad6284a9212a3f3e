// Whatever came over the wire, in whatever pieces: at the end the page shows what a fresh load shows.
import assert from "node:assert/strict";
import { test } from "node:test";
import { replay } from "../../chat/static/chat/core/replay.js";
import { view } from "../../chat/static/chat/core/talk.js";
import { reduce } from "../../chat/static/chat/core/state.js";
import { chance, empty, feed, frame, fresh, golden, online, opened, p, seen, sent } from "./help.js";

const KINDS = ["user_text", "thinking_delta", "tool_call", "tool_result", "denied"];
const paragraphs = (text) => text.split("\n\n").filter(Boolean).map(p);

/** What is kept of a turn, as /api/chat/history tells it. */
function transcript(events) {
  const out = [];
  let text = "";
  const close = () => { if (text) out.push({ type: "text_delta", text, nodes: paragraphs(text) }); text = ""; };
  for (const event of events) {
    if (event.type === "text_delta") { text += event.text; continue; }
    if (event.type === "reset") { text = ""; while (out.at(-1)?.type === "thinking_delta") out.pop(); continue; }
    close();
    if (KINDS.includes(event.type)) out.push(event);
  }
  close();
  return out;
}

/** The frames of a rendering watcher that has seen `after`; a run of text that goes beyond it comes again from its start. */
function frames(events, after) {
  const out = [];
  for (let i = 0; i < events.length; i += 1) {
    const event = events[i];
    if (event.type !== "text_delta") { if (event.seq > after) out.push(event); continue; }
    const [part, run] = [event.seq, []];
    for (; events[i]?.type === "text_delta"; i += 1) run.push(events[i]);
    i -= 1;
    if (run.at(-1).seq <= after) continue;
    let [text, shown] = ["", 0];
    for (const { seq, text: piece, turnId } of run) {
      text += piece;
      const all = paragraphs(text);
      const closed = seq === run.at(-1).seq ? all.length : Math.max(shown, all.length - 1);
      for (; shown < closed; shown += 1) out.push({ type: "block", turnId, part, index: shown, seq, nodes: [all[shown]], text: "" });
      if (shown < all.length) out.push({ type: "tail", turnId, part, seq, delta: [0, null, ...all.slice(shown)] });
    }
  }
  return out;
}

function randomTurn(next, turnId) {
  const events = [{ type: "user_text", text: `question ${next(9)}`, images: [] }];
  for (let step = 0; step < 1 + next(4); step += 1) {
    for (let i = next(3); i > 0; i -= 1) events.push({ type: "thinking_delta", text: `thought ${next(9)} ` });
    for (let i = next(12); i > 0; i -= 1) events.push({ type: "text_delta", text: ["word ", "two words", "\n\n", ".\n\nA"][next(4)] });
    if (next(4) === 0) events.push({ type: "reset" });
    const call = { callId: `${turnId}-${step}`, tool: "read_file", args: { path: `f${next(5)}` }, agentId: "workspace" };
    events.push({ type: "tool_call", ...call });
    if (next(3) === 0) {
      events.push({ type: "pending", ...call, digest: "d", expiresAt: 1 }, { type: "done", done: false, pending: [call.callId], stopReason: "held", usage: {} },
        { type: "decided", callId: call.callId, approve: true, by: "ada", at: 1 });
    }
    if (next(4) === 0) events.push({ type: "denied", ...call, code: "denied", message: "Refused." });
    else events.push({ type: "tool_result", ...call, ok: next(3) > 0, autoRun: null, text: "out", images: [], error: null });
  }
  for (let i = next(8); i > 0; i -= 1) events.push({ type: "text_delta", text: `end ${next(9)}${next(2) ? "\n\n" : " "}` });
  events.push({ type: "done", done: true, pending: [], stopReason: "end_turn", usage: {} });
  let version = 1;
  return events.map((event, i) => ({ conversationId: "c-1", turnId, seq: i + 1, ...event, ...(event.type === "done" ? { version: (version += 1) } : {}) }));
}

test("two hundred random drops, resumes and reloads end in what a fresh load shows", () => {
  for (let seed = 1; seed <= 200; seed += 1) {
    const next = chance(seed);
    const events = randomTurn(next, "t-1");
    let [state] = feed(opened);
    for (let rounds = 0; rounds < 40; rounds += 1) {
      const turn = state.talks["c-1"].turns[0];
      const stream = frames(events, turn?.asking ? 0 : (turn?.seq ?? 0)); // white space alone makes no frame: a hole the page asks about
      const upto = rounds >= 38 ? stream.length : next(stream.length + 1);
      for (const one of stream.slice(0, upto)) [state] = reduce(state, frame(one));
      const dones = events.filter((e) => e.type === "done" && e.seq <= (state.talks["c-1"].turns[0]?.seq ?? 0));
      if (dones.length && next(3) === 0) { // another device's change made this page load again
        const done = dones.at(-1);
        const answer = empty({ version: done.version, transcript: transcript(events.filter((e) => e.seq <= done.seq)) });
        [state] = reduce(state, { type: "loaded", id: "c-1", answer });
      }
      [state] = reduce(reduce(state, { type: "link", link: "down" })[0], online);
      if (!state.talks["c-1"].turns.length && dones.at(-1)?.done) break;
    }
    assert.deepEqual(seen(view(state.talks["c-1"])), seen(replay(transcript(events)).map((m, i) => ({ ...m, key: `m${i}` }))), `seed ${seed}`);
  }
});

test("the golden frames of a turn show what their transcript shows", () => {
  const names = ["user_text", "thinking_delta", "reset", "tail", "block", "end", "tool_call", "pending", "decided", "tool_result", "denied", "error", "done"];
  const [state] = feed([...opened.slice(0, 1), { type: "open", id: "c-7f3a" }, { type: "loaded", id: "c-7f3a", answer: empty() }, ...names.map((name) => frame(golden(name)))]);
  const kept = [golden("user_text"), { ...golden("text_delta"), nodes: golden("end").nodes }, golden("tool_call"), golden("tool_result"), golden("denied")];
  assert.deepEqual(seen(view(state.talks["c-7f3a"])), seen(replay(kept).map((m, i) => ({ ...m, key: `m${i}` }))));
});

test("a turn whose start was missed is asked for from its start, once", () => {
  const events = randomTurn(chance(7), "t-1");
  const [state, effects] = feed([...opened, ...events.slice(3).map(frame)]);
  const asked = sent(effects, "watch").filter((f) => f.turnId === "t-1");
  assert.deepEqual(asked.map((f) => f.after), [0]);
  const [whole] = feed(frames(events, 0).map(frame), state);
  assert.deepEqual(seen(view(whole.talks["c-1"])), seen(replay(transcript(events)).map((m, i) => ({ ...m, key: `m${i}` }))));
});

test("a later turn shows after the first, each once, however often the list is loaded", () => {
  const [one, two] = ["t-1", "t-2"].map((id, i) => randomTurn(chance(20 + i), id));
  const last = one.at(-1).version;
  const later = two.map((e) => (e.type === "done" ? { ...e, version: e.version + last } : e));
  const [state] = feed([...opened, ...frames(one, 0).map(frame), ...frames(later, 0).map(frame)]);
  const whole = transcript([...one, ...later]);
  const expected = seen(replay(whole).map((m, i) => ({ ...m, key: `m${i}` })));
  assert.deepEqual(seen(view(state.talks["c-1"])), expected);
  const [again] = feed([{ type: "loaded", id: "c-1", answer: empty({ version: later.at(-1).version, transcript: whole }) }], state);
  assert.deepEqual(again.talks["c-1"].turns, []);
  assert.deepEqual(seen(view(again.talks["c-1"])), expected);
});

test("a reload that knows more than the stream does not show a turn twice", () => {
  const events = randomTurn(chance(31), "t-1");
  const [state] = feed([...opened, ...frames(events, 0).slice(0, -1).map(frame)]);
  const [now] = feed([{ type: "loaded", id: "c-1", answer: empty({ version: 99, transcript: transcript(events) }) }, frame(events.at(-1))], state);
  assert.equal(view(now.talks["c-1"]).filter((m) => m.role === "user").length, 1);
});

test("replay merges nothing across messages of a person and says what was never answered", () => {
  const call = { callId: "a", tool: "x", args: {}, agentId: null };
  const all = replay([{ type: "user_text", text: "1", images: [] }, { type: "user_text", text: "2", images: [] }, { type: "tool_call", ...call }]);
  assert.deepEqual(all.map((m) => m.role), ["user", "user", "assistant"]);
  assert.equal(all[2].parts[0].state, "failed");
  assert.deepEqual(replay([{ type: "text_delta", text: "x" }]).map((m) => m.role), ["assistant"]);
  assert.deepEqual(fresh().talks["constructor"], undefined);
});
