// A server, browsers and their tabs in one process, for random walks: requests and answers get lost, come late and twice; pages crash.
import { changes, heard, ofTheList, overtaken, shared, snapshot } from "../../chat/static/chat/core/persist.js";
import { initial, reduce } from "../../chat/static/chat/core/state.js";
import { hello } from "./help.js";

export class Server {
  rows = {}; seq = 0; epoch = "e1"; turns = {}; log = [];

  #write(id, change) {
    const old = this.rows[id] ?? { id, version: 0, title: "", pinned: false, archived: false, agentId: null, updatedAt: 0, messages: [], deleted: false };
    this.seq += 1;
    this.rows[id] = { ...old, ...change, version: old.version + 1, seq: this.seq, born: old.born ?? this.seq };
    if (old.deleted) throw new Error(`${id} was written to after its end`);
    return this.rows[id];
  }
  #summary({ messages, seq, born: _b, deleted: _d, ...row }) { return { ...row, etag: `"${row.version}.${seq}"`, messageCount: messages.length, live: null }; }
  list(cursor) {
    const [epoch, at] = (cursor ?? "").split(".");
    const full = epoch !== this.epoch;
    const rows = Object.values(this.rows).filter((row) => full || row.seq > Number(at));
    return {
      conversations: rows.filter((row) => !row.deleted).map((row) => this.#summary(row)), cursor: `${this.epoch}.${this.seq}`, epoch: this.epoch, full, next: null,
      deleted: rows.filter((row) => row.deleted).map(({ id, version }) => ({ id, version, deletedAt: 1 })), ...(cursor && full ? { reset: "epoch_changed" } : {}),
    };
  }
  patch(id, { change, updatedAt, etag }) {
    const row = this.rows[id];
    if (!row || row.deleted) return { error: { code: row ? "deleted" : "not_found", message: "" } };
    if (etag && etag !== this.#summary(row).etag) return { error: { code: "conflict", message: "" } };
    return { row: this.#summary(this.#write(id, { ...change, updatedAt: updatedAt ?? row.updatedAt + 1 })) };
  }
  remove(id) { if (!this.rows[id]?.deleted) this.#write(id, { deleted: true, messages: [], title: "" }); }
  removeAll(before) {
    const [epoch, at] = [before.split(".")[0], Number(before.split(".")[1])];
    if (epoch !== this.epoch || at > this.seq) return { error: { code: "bad_request", message: "" } };
    for (const row of Object.values(this.rows)) if (!row.deleted && row.born <= at) this.remove(row.id);
    return {};
  }
  send({ conversationId: id, turnId, message }) {
    if (this.rows[id]?.deleted) return { error: { code: "deleted", message: "" } };
    if (this.turns[turnId] === undefined) {
      const row = this.rows[id] ?? this.#write(id, { title: message, updatedAt: 1 });
      this.#write(id, { messages: [...row.messages, message, "ok"], updatedAt: row.updatedAt + 1 });
      this.turns[turnId] = message;
    }
    return { version: this.rows[id].version };
  }
  restore({ rows, seq, turns }) { this.rows = rows; this.seq = seq; this.turns = turns; this.epoch += "x"; }
  backup() { return { rows: { ...this.rows }, seq: this.seq, turns: { ...this.turns } }; }
}

export class Browser {
  tabs = []; store = { conversations: {}, messages: {}, outbox: {}, drafts: {}, meta: {} }; skew = 0;
  write(all) { for (const { store, key, value } of all) if (value === undefined) delete this.store[store][key]; else this.store[store][key] = structuredClone(value); }
}

let made = 0;

export class Tab {
  constructor(browser, server, clock) {
    Object.assign(this, { browser, server, clock, todo: [], inbox: [], name: `tab${made += 1}`, pulling: false, again: false });
    this.state = initial({ account: "1", static: "", limits: hello.limits, tab: this.name });
    this.before = this.state;
    browser.tabs.push(this);
    const entries = ["outbox", "drafts", "meta"].flatMap((store) => Object.entries(browser.store[store]).filter(([key]) => store !== "meta" || key.startsWith("seen:"))
      .map(([key, value]) => ({ store, key, value })));
    this.tell({ type: "restored", durable: true, rows: Object.values(browser.store.conversations), list: browser.store.meta.list ?? null, entries: structuredClone(entries) });
    this.lead();
    this.hello();
  }
  lead() {
    if (this.browser.tabs[0] !== this) return;
    if (!this.state.leads) {
      this.tell({ type: "leads", on: true });
      const { rows, list } = snapshot(this.state);
      this.browser.store.conversations = Object.fromEntries(rows.map((row) => [row.id, row]));
      this.browser.store.meta.list = list;
    }
    while (this.inbox.length) this.hear(); // asking who is there takes longer than hearing what was said before
    this.tell({ type: "alive", tabs: this.browser.tabs.map(({ name }) => name) });
  }
  tell(event) {
    const [next, effects] = reduce(this.state, { now: this.clock() + this.browser.skew, ...event });
    this.state = next;
    const all = changes(this.before, next);
    const due = event.type === "restored" ? overtaken(event.entries, next) : event.type === "elsewhere" ? heard(all, this.before) : all;
    this.browser.write(due.filter((change) => next.leads || !ofTheList(change)));
    const told = shared(due, this.before, next);
    if (told.length) for (const other of this.browser.tabs) if (other !== this) other.inbox.push(structuredClone(told));
    this.before = next;
    for (const effect of effects) this.#take(effect);
  }
  hear() {
    const list = this.inbox.shift()?.map((one) => ({ ...one, value: structuredClone(this.browser.store[one.store][one.key]) })); // as it is by now
    if (list) { this.tell({ type: "elsewhere", changes: list, writing: false }); this.tell({ type: "wake" }); }
  }
  crash() { this.browser.tabs = this.browser.tabs.filter((tab) => tab !== this); for (const tab of this.browser.tabs) tab.lead(); }
  hello() { this.tell({ type: "frame", frame: { ...hello, account: 1 } }); }
  #take(effect) {
    if (effect.do === "pull") { if (this.pulling) this.again = true; else { this.pulling = true; this.todo.push(effect); } }
    else if (["patch", "delete", "deleteAll"].includes(effect.do) || (effect.do === "send" && effect.frame.type === "send")) this.todo.push(effect);
    else if (effect.do === "check") this.tell({ type: "check", id: effect.id });
  }
  /** Does the oldest effect; `fate` says what becomes of request and answer. */
  work(fate) {
    const effect = this.todo.shift();
    if (!effect) return;
    const answer = fate === "lost" ? undefined : this.#ask(effect);
    if (fate === "late" && answer) this.todo.push({ do: "answer", tell: () => this.#answer(effect, answer) });
    else if (effect.do === "answer") effect.tell();
    else this.#answer(effect, fate === "lost" || fate === "unheard" ? undefined : answer);
  }
  #ask(effect) {
    const { server } = this;
    const ways = {
      pull: () => ({ list: server.list(this.state.library.cursor) }), patch: () => server.patch(effect.id, effect), delete: () => { server.remove(effect.id); return {}; },
      deleteAll: () => server.removeAll(effect.before), send: () => server.send(effect.frame), answer: () => undefined,
    };
    return ways[effect.do]();
  }
  #answer(effect, answer) {
    const lost = { code: "unreachable", message: "" };
    const error = answer ? answer.error : lost;
    if (effect.do === "pull") {
      this.pulling = false;
      this.tell(answer ? { type: "listed", answer: structuredClone(answer.list) } : { type: "pullFailed" });
      if (this.again) { this.again = false; this.#take({ do: "pull" }); }
    } else if (effect.do === "patch") this.tell(error ? { type: "changeFailed", id: effect.id, sent: effect.change, error } : { type: "changed", id: effect.id, row: structuredClone(answer.row), sent: effect.change });
    else if (effect.do === "delete") this.tell(error ? { type: "removeFailed", id: effect.id, error } : { type: "removed", id: effect.id });
    else if (effect.do === "deleteAll") this.tell(error ? { type: "removeAllFailed", key: effect.key, error } : { type: "removedAll", key: effect.key });
    else if (effect.do === "send") this.#sent(effect.frame, answer);
  }
  #sent({ conversationId, turnId, message }, answer) {
    const tell = (frame) => this.tell({ type: "frame", frame });
    if (!answer) { this.tell({ type: "link", link: "down" }); return; } // the line broke: the next hello sends it again
    if (answer.error) { tell({ type: "error", ref: `send:${turnId}`, ...answer.error }); return; }
    tell({ type: "ack", ref: `send:${turnId}`, conversationId, turnId });
    tell({ type: "user_text", conversationId, turnId, seq: 1, text: message, images: [] });
    tell({ type: "done", conversationId, turnId, seq: 2, done: true, pending: [], stopReason: "end_turn", version: answer.version, usage: {} });
  }
}
