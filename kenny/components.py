"""JSON schemas of a turn, its events and what is asked about them, beside those of history. Plain data."""

from typing import Any

from chat.preferable import CHOICES, NAMES
from chat.protocol import MAX_IMAGES, MAX_MESSAGE_CHARS, MAX_REASON_CHARS
from history.components import (
    AGENT,
    ANY,
    COUNT,
    FLAG,
    SETTINGS,
    TEXT,
    TIME,
    VERSION,
    Schema,
    closed,
    listing,
    opened,
    ref,
)
from history.components import SCHEMAS as OF_HISTORY
from history.refusal_shapes import ERROR_SCHEMAS

MAYBE_TEXT: Schema = {"type": ["string", "null"]}
PIXELS: Schema = {"type": ["integer", "null"]}
NULL: Schema = {"type": "null"}
TURN_ID: Schema = {"type": "string", "pattern": r"^[A-Za-z0-9_-][A-Za-z0-9._-]{0,127}$"}
RENDER: Schema = {"type": ["boolean", "null"], "description": "For sockets; streams are text."}
_OR_NULL = {"anyOf": [ref("ConversationId"), NULL]}

_CALL = {"callId": TEXT, "tool": TEXT, "args": {}}
_AGENT = {"agentId": MAYBE_TEXT}

COST: Schema = {**COUNT, "description": "Millionths of a dollar."}
ENDED: Schema = opened(
    "at stopReason model usage cost",
    at=TIME,
    stopReason=TEXT,
    model=TEXT,
    usage=ANY,
    cost=COST,
    spent=ref("Spent"),
    error=opened("code message retryable", code=TEXT, message=TEXT, retryable=FLAG),
)
MAYBE_COUNT: Schema = {"type": ["integer", "null"], "minimum": 0}
SOMETIMES: dict[str, dict[str, Schema]] = {
    "user_text": {
        "at": {**TIME, "description": "When it was sent; absent where nobody knows."},
        "ended": {**ENDED, "description": "In a replay: how the turn it began has ended."},
    },
    "thinking_delta": {
        "ms": {**MAYBE_COUNT, "description": "On the last of a run: how long it took."}
    },
    "reset": {
        "code": {**MAYBE_TEXT, "description": "What failed and is tried again."},
        "retryIn": {**MAYBE_COUNT, "description": "Seconds until then."},
    },
    "decided": {"reason": {**MAYBE_TEXT, "description": "A person's words on a refusal."}},
    "tool_result": {"ms": {**MAYBE_COUNT, "description": "How long the call ran."}},
    "error": {"retryAfter": {**MAYBE_COUNT, "description": "Seconds worth waiting."}},
}
"""What a type of event carries only where it is known."""

EVENTS: dict[str, tuple[str, dict[str, Schema]]] = {
    "user_text": ("A person's message.", {"text": TEXT, "images": listing(ref("Picture"))}),
    "text_delta": ("More of the answer.", {"text": TEXT}),
    "thinking_delta": ("More of the thinking.", {"text": TEXT}),
    "reset": ("What was shown since the last finished message is void.", {}),
    "tool_call": ("A call, known whole.", {**_CALL, **_AGENT}),
    "pending": ("A call that is held.", {**_CALL, **_AGENT, "digest": TEXT, "expiresAt": TIME}),
    "decided": ("A decision.", {"callId": TEXT, "approve": FLAG, "by": MAYBE_TEXT, "at": TIME}),
    "tool_result": (
        "What a call gave.",
        {
            **_CALL,
            "ok": FLAG,
            "autoRun": {"type": ["boolean", "null"], "description": "Null when unknown."},
            "text": TEXT,
            "images": listing(ref("Picture")),
            "error": MAYBE_TEXT,
        },
    ),
    "denied": (
        "A call that was not run.",
        {
            **_CALL,
            **_AGENT,
            "code": {"type": "string", "enum": ["denied", "expired", "repeated", "stopped"]},
            "message": TEXT,
        },
    ),
    "error": ("Something failed.", {"code": TEXT, "message": TEXT, "retryable": FLAG}),
    "done": (
        "The last of a segment; `done` is false only while a call is held.",
        {
            "done": FLAG,
            "pending": listing(TEXT, description="Ids of the held calls."),
            "stopReason": TEXT,
            "version": COUNT,
            "usage": {"type": ["object", "null"]},
            "model": TEXT,
            "cost": COST,
            "spent": ref("Spent"),
            "at": TIME,
        },
    ),
}
"""Each type of event with its meaning and what it always carries."""

_STANDS = {"turnId": TEXT, "seq": {"type": "integer", "minimum": 1}, "conversationId": TEXT}
_NODES = {"nodes": listing({}, description="With render=tree: the Markdown as a tree.")}


def event_name(kind: str) -> str:
    """Return the name of an event's schema, such as ToolCallEvent."""
    return f"{kind.title().replace('_', '')}Event"


def _event(kind: str) -> Schema:
    meaning, carried = EVENTS[kind]
    shape = opened(
        " ".join(["type", *carried]),
        type={"type": "string", "enum": [kind]},
        **_STANDS,
        **carried,
        **SOMETIMES.get(kind, {}),
        **_NODES,
    )
    return {**shape, "description": meaning}


_SEND: dict[str, Any] = {
    "conversationId": _OR_NULL,
    "turnId": {
        "anyOf": [TURN_ID, NULL],
        "description": "Idempotency key: the same id again attaches, it never runs twice.",
    },
    "message": {"type": "string", "maxLength": MAX_MESSAGE_CHARS},
    "agentId": AGENT,
    "images": {"anyOf": [listing(ref("ImageData"), maxItems=MAX_IMAGES), NULL]},
    "truncateAt": {
        "anyOf": [COUNT, NULL],
        "description": "With version: keep the first N messages.",
    },
    "version": {"anyOf": [VERSION, NULL], "description": "Of the list that the client has read."},
    "settings": {
        "anyOf": [SETTINGS, NULL],
        "description": "Of the conversation that the message makes; one that exists keeps its own.",
    },
    "render": RENDER,
}

_PREFERENCES: dict[str, Schema] = {
    name: {"enum": [*CHOICES[name], None]} if name in CHOICES else MAYBE_TEXT for name in NAMES
}

SCHEMAS: dict[str, Schema] = {
    **OF_HISTORY,
    **ERROR_SCHEMAS,
    "Preferences": closed(" ".join(NAMES), **_PREFERENCES),
    "PreferenceChanges": closed("", **_PREFERENCES),
    "Picture": {
        "anyOf": [
            closed(
                "url mediaType width height", url=TEXT, mediaType=TEXT, width=PIXELS, height=PIXELS
            ),
            NULL,
        ],
        "description": "Null when it cannot be read.",
    },
    **{event_name(kind): _event(kind) for kind in EVENTS},
    "Event": {
        "oneOf": [ref(event_name(kind)) for kind in EVENTS],
        "discriminator": {
            "propertyName": "type",
            "mapping": {kind: ref(event_name(kind))["$ref"] for kind in EVENTS},
        },
        "description": "In a live turn each has `turnId` and a `seq`; a replay has neither.",
    },
    "ServerSentEvent": {
        **opened(
            "event data",
            id={"type": "string", "description": "The event's `seq`; `restart` has none."},
            event={"type": "string", "enum": [*EVENTS, "restart"]},
            data={
                "type": "string",
                "contentMediaType": "application/json",
                "contentSchema": ref("Event"),
            },
        ),
        "description": "One of the stream; `restart` says that a crash lost what was seen last, and all follows from 1.",
    },
    "ImageData": closed(
        "mediaType data", mediaType=TEXT, data={**TEXT, "description": "Canonical base64."}
    ),
    "Send": closed("message", **_SEND),
    "Confirm": closed(
        "conversationId callId digest approve",
        conversationId=ref("ConversationId"),
        callId=TEXT,
        digest={**TEXT, "description": "Of the `pending` event that the person was shown."},
        approve=FLAG,
        reason={
            "type": ["string", "null"],
            "maxLength": MAX_REASON_CHARS,
            "description": "With a refusal: words for the model.",
        },
        render=RENDER,
    ),
    "Handover": closed("conversationId", conversationId=ref("ConversationId")),
    "HandedOver": closed(
        "conversationId title by",
        conversationId=ref("ConversationId"),
        title=TEXT,
        by={"type": "string", "enum": ["model", "excerpt"]},
    ),
    "Stopping": closed("turnId conversationId", turnId=TEXT, conversationId=TEXT),
    "PendingCalls": closed("pending", pending=listing(ref(event_name("pending")))),
    "Models": closed(
        "models default agents",
        models=listing(
            closed(
                "id name maxInputTokens maxTokens efforts",
                id=TEXT,
                name=TEXT,
                maxInputTokens={"type": ["integer", "null"]},
                maxTokens={"type": ["integer", "null"]},
                efforts={"type": ["array", "null"], "items": TEXT},
            )
        ),
        default=TEXT,
        agents=listing(
            closed("id tools", id=TEXT, tools=listing(TEXT)),
            description="The default one stands first.",
        ),
    ),
}
