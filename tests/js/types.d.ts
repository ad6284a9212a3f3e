// The words of the browser client, named in JSDoc as Kenny.X. Frames mirror contract section 7; tests/contracts/ holds one example of each.
declare namespace Kenny {
  type Attrs = Record<string, string> | null;
  type Node = string | [tag: string, attrs: Attrs, ...children: Node[]];
  type Delta = [at: number, how: string | { in: Delta } | null, ...children: Node[]];

  interface Picture { url: string; mediaType: string; width: number | null; height: number | null }
  interface Upload { name: string; mediaType: string; data: string; url: string }
  interface Failure { code: string; message: string; retryable?: boolean; status?: number; turnId?: string; retryAfter?: number }

  // One journal event or rendered frame of a turn. Fields depend on `type`; core/turn.js reads each where it is carried.
  interface Frame {
    type: string; turnId: string; seq: number; conversationId?: string;
    text: string; images: (Picture | null)[]; nodes: Node[] | null; part: number; index: number; delta: Delta;
    callId: string; tool: string; args: unknown; agentId: string; digest: string; expiresAt: number;
    approve: boolean; by: string; at: number; ok: boolean; autoRun: boolean | null; error: string | null;
    code: string; message: string; retryable: boolean;
    done: boolean; pending: string[]; stopReason: string; version: number; usage: Record<string, number>;
    ms: number | null; retryIn: number | null; retryAfter: number | null; reason: string | null;
    ended?: Ended; // in a replay
    model: string; cost: number; spent?: Spent;
  }
  // How a turn ended and what it used; `cost` in millionths of a dollar. The newest one tells what all have used.
  interface Spent { tokens: number; cost: number }
  interface Ended { stopReason: string; error?: Failure; at: number; usage: Record<string, number>; model: string; cost: number; spent?: Spent | undefined }
  interface Hello { type: "hello"; account: string | number; static: string; limits: Record<string, number>; cursor: string }
  interface Reply { type: string; ref: string; retryAfter?: number; now?: number; conversationId?: string; turnId?: string; code?: string; message?: string; decision?: string }
  interface Outgoing { type: string; ref?: string; [field: string]: unknown }

  interface TextPart { kind: "text"; part: number; blocks: Node[][]; tail: Node[]; nodes: Node[]; text: string }
  interface ThinkingPart { kind: "thinking"; text: string; open: boolean; ms: number | null }
  type CallState = "running" | "waiting" | "done" | "failed" | "denied";
  interface ToolPart {
    kind: "tool"; callId: string; tool: string; args: unknown; state: CallState;
    text: string; images: (Picture | null)[]; error: string | null; ms: number | null; elsewhere: string | null;
    gate: { digest: string; expiresAt: number } | null; deciding: "approve" | "deny" | null; problem: string | null;
  }
  interface Held { conversationId: string; callId: string; tool: string; args: unknown; gate: ToolPart["gate"]; deciding: ToolPart["deciding"]; problem: string | null }
  type Part = TextPart | ThinkingPart | ToolPart;

  type TurnStatus = "queued" | "sending" | "unsent" | "running" | "held" | "over";
  interface Turn {
    id: string; seq: number; status: TurnStatus; user: { text: string; images: (Picture | null)[] };
    parts: Part[]; stopping: boolean; error: Failure | null; stopReason: string | null;
    since: number | null; version: number | null; usage: Record<string, number> | null;
    asking: boolean; lenient: boolean; problem: string | null; at: number | null; cut: number | null; onto: number | null; uploads: Upload[]; ended: Ended | null; retry: { code: string; seconds: number } | null;
  }
  interface Outcome { error: Failure | null; stopReason: string | null; turnId: string }
  interface Message {
    key: string; role: "user" | "assistant"; text: string; images: (Picture | null)[]; parts: Part[];
    busy: boolean; mark: string | null; status: TurnStatus | null; problem: string | null; turnId: string | null; outcome: Outcome | null;
    at: number | null; used: Ended | null;
  }
  interface Talk {
    id: string; loaded: "no" | "loading" | "yes" | "deleted" | "missing" | "failed"; problem: Failure | null; title: string;
    version: number; loadedVersion: number; history: Message[]; turns: Turn[]; after: Outcome | null; shown: number;
  }
  interface Replay { id: string; title: string; agentId: string | null; updatedAt: number; version: number; transcript: Frame[] }

  interface Row {
    id: string; title: string; agentId: string | null; pinned: boolean; archived: boolean; updatedAt: number; version?: number;
    etag?: string; settings?: Record<string, unknown>; lost?: boolean; fresh?: boolean; messageCount?: number; preview?: string; live?: { turnId: string; status: "running" | "held" } | null; snippet?: [string, boolean][];
  }
  interface Listing { conversations: Row[]; deleted: { id: string; version: number; deletedAt: number }[]; cursor: string; epoch: string; full: boolean; reset?: string }
  interface Library { rows: Record<string, Row>; gone: Record<string, Row>; cursor: string | null; epoch: string | null; loaded: boolean }
  interface Group { label: string; rows: Row[] }
  interface Shown { parts: Group[]; more: number }

  // A row that was deleted and can be brought back; `was` when it was the open one.
  interface Undo { row: Row; was: boolean }

  // A message on its way. `tab` is where it was written, `tried` that the server may know it, `known` that it knew the conversation, `problem` why it was refused.
  interface Parcel {
    turnId: string; conversationId: string; text: string; images: Upload[]; sent: boolean; truncateAt?: number; version?: number;
    settings?: Record<string, unknown>; agentId?: string; edited?: boolean; tab: string; at: number; tried?: boolean; known?: boolean; problem?: string | null; due?: number; tries?: number;
  }
  interface Change { title?: string; pinned?: boolean; archived?: boolean; settings?: Record<string, unknown>; agentId?: string | null }
  // A change or delete that the server has not confirmed. `was` is what it had; `silent` a delete it need not hear of; `ids` and `before` a delete of all, `each` those of them that may be younger.
  interface Write {
    key: string; kind: "edit" | "delete" | "all"; id: string; tab: string; due: number; tries: number; out: boolean;
    change?: Change; was?: Change; updatedAt?: number; at?: number; row?: Row; silent?: boolean; ids?: string[]; each?: string[]; before?: string;
  }
  interface Clash { id: string; name: string; mine: unknown; theirs: unknown; wins: boolean }
  interface Reconciled { library: Library; writes: Record<string, Write>; dropped: string[]; lost: string[]; clashes: Clash[] }
  interface Kept { key: string; title: string; text: string; images: Upload[] }
  interface News { key: string; kind: "kept" | "clash" | "lost" | "memory" | "clock"; id: string; title: string; n?: number; name?: string; mine?: unknown; theirs?: unknown; wins?: boolean }
  interface Stored { store: "conversations" | "messages" | "outbox" | "drafts" | "meta"; key: string; value?: any; row?: Row | null; epoch?: string | null }
  // While the last message is edited, `edit` says which one it replaces and what stood in the box before.
  interface Draft { text: string; images: Upload[]; edit?: { truncateAt: number; version: number; before: Draft } }
  interface Entry { id: string; name: string; maxInputTokens: number | null; maxTokens: number | null; efforts: string[] | null }
  interface Models { models: Entry[]; default: string; agents: { id: string; tools: string[] }[] }
  interface Picked { model: string; effort: string; agent: string }
  interface Notice { key: string; text: string; tone: "plain" | "warn" | "danger"; action?: { label: string; event?: Event; href?: string } }

  type Link = "connecting" | "open" | "down" | "lost" | "offline" | "signed-out" | "stranger" | "locked";
  interface Limits { messageChars: number; images: number; frameChars: number; bodyBytes: number; [name: string]: number }
  interface Config { account: string; username: string; staff: boolean; demo: boolean; csrf: string; static: string; limits: Limits; preferences: Preferences }
  // Null: no choice of one's own.
  interface Preferences { sendKey: "enter" | "ctrl" | null; announcements: "blocks" | "ends" | null; language: string | null; model: string | null; agentId: string | null }
  interface State {
    preferences: Preferences;
    account: string; link: Link; static: string; stale: boolean; limits: Limits; current: string | null; library: Library;
    talks: Record<string, Talk>; homes: Record<string, string>; outbox: Parcel[]; held: Held[]; drafts: Record<string, Draft>;
    offer: Models | null; choice: Picked | null; handing: string | null;
    undo: Undo[]; problem: Failure | null; search: { query: string; hits: Row[] | null };
    tab: string; leads: boolean; cut: boolean; clockIsOff: boolean; settling: boolean; durable: boolean; writes: Record<string, Write>; kept: Record<string, Kept>; news: News[]; seen: Record<string, number>;
  }

  // A command, and how it is reached. `isOfText`: a text field has that key for itself.
  interface Command {
    id: string; label: (state: State) => string; event: (state: State) => Event; when?: (state: State) => boolean;
    key?: string; ctrl?: boolean; shift?: boolean; alt?: boolean; isOfText?: boolean;
  }
  interface Press { key: string; ctrl: boolean; shift: boolean; alt: boolean; inText: boolean }
  interface PaletteItem { label: string; event: Event; command?: Command }
  interface PaletteGroup { label: string; choices: PaletteItem[] }

  // What happened (events) and what is to be done (effects): plain data, told apart by `type` and `do`.
  type Event = { type: string; [field: string]: any };
  type Effect = { do: string; [field: string]: any };
  type Step = [State, Effect[]];
  type Handlers = Record<string, (state: State, event: any) => Step>;
}
