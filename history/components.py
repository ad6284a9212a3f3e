"""JSON schemas of what the API of conversations takes and gives, by name, for its description. Plain data.

`kenny.settings` hands them to the description under `#/components/schemas/`; views name them with `ref`.
"""

from typing import Any

Schema = dict[str, Any]

MOST_MS = 2**53 - 1
ID_PATTERN = r"^[A-Za-z0-9_-][A-Za-z0-9._-]{0,127}$"
SHA256 = r"^[0-9a-f]{64}$"


def ref(name: str) -> Schema:
    """Return a reference to the schema of that name."""
    return {"$ref": f"#/components/schemas/{name}"}


def listing(item: Schema, **more: Any) -> Schema:
    return {"type": "array", "items": item, **more}


def closed(required: str = "", **properties: Schema) -> Schema:
    """Return an object that knows these keys only; `required` are names divided by spaces."""
    return {**opened(required, **properties), "additionalProperties": False}


def opened(required: str = "", **properties: Schema) -> Schema:
    """Return an object that may hold other keys beside these."""
    shape: Schema = {"type": "object", "properties": properties}
    return {**shape, "required": required.split()} if required else shape


TEXT: Schema = {"type": "string"}
FLAG: Schema = {"type": "boolean"}
ANY: Schema = {"type": "object", "additionalProperties": True}
TIME: Schema = {
    "type": "integer",
    "minimum": 0,
    "maximum": MOST_MS,
    "description": "Milliseconds since 1970.",
}
COUNT: Schema = {"type": "integer", "minimum": 0}
VERSION: Schema = {"type": "integer", "minimum": 1}
CURSOR: Schema = {"type": "string", "description": "A position in the account's feed of changes."}
TITLE: Schema = {"type": "string", "maxLength": 200, "pattern": "^[^\\u0000]*$"}
AGENT: Schema = {"type": ["string", "null"], "maxLength": 200, "pattern": "^[^\\u0000]*$"}
SETTINGS: Schema = {**ANY, "description": "Any JSON up to 16 KB: model, effort, system, …"}

_METADATA = {
    "title": TITLE,
    "agentId": AGENT,
    "settings": SETTINGS,
    "pinned": FLAG,
    "archived": FLAG,
}
_TIMES = {"createdAt": TIME, "updatedAt": TIME}
_OF_THE_SERVER = {
    "version": {**VERSION, "description": "1 on the first save, one more with every write."},
    "etag": {**TEXT, "description": "New on every write."},
    "messageCount": COUNT,
    "preview": TEXT,
    "live": {"anyOf": [ref("Live"), {"type": "null"}]},
}
_IGNORED = {
    name: {"description": "The server's: ignored, so that what was read can be sent back."}
    for name in _OF_THE_SERVER
}
_SUMMARY = {"id": ref("ConversationId"), **_METADATA, **_TIMES, **_OF_THE_SERVER}
_MESSAGES = {"messages": listing(ref("Message"))}
_SNIPPET = listing(
    listing({"type": ["string", "boolean"]}, minItems=2, maxItems=2),
    description="With `q`: pieces of text, each with whether it is a hit.",
)
_PAGE = "conversations deleted cursor epoch full next"

SCHEMAS: dict[str, Schema] = {
    "ConversationId": {"type": "string", "pattern": ID_PATTERN, "not": {"const": "bulk"}},
    "Block": {**opened("type", type=TEXT), "description": "A content block of the Messages API."},
    "Message": opened(
        "role content",
        role=TEXT,
        content={"anyOf": [TEXT, listing(ref("Block"))]},
    ),
    "Live": closed(
        "turnId status", turnId=TEXT, status={"type": "string", "enum": ["running", "held"]}
    ),
    "ConversationSummary": closed(" ".join(_SUMMARY), **_SUMMARY),
    "Conversation": closed(" ".join([*_SUMMARY, "messages"]), **_SUMMARY, **_MESSAGES),
    "ListedConversation": closed(" ".join(_SUMMARY), **_SUMMARY, **_MESSAGES, snippet=_SNIPPET),
    "ConversationSave": closed(
        "", id=ref("ConversationId"), **_METADATA, **_TIMES, **_MESSAGES, **_IGNORED
    ),
    "ConversationOfSet": closed(
        "id", id=ref("ConversationId"), **_METADATA, **_TIMES, **_MESSAGES, **_IGNORED
    ),
    "ConversationPatch": closed("", **_METADATA, updatedAt=TIME, **_IGNORED),
    "Tombstone": closed(
        "id version deletedAt", id=ref("ConversationId"), version=VERSION, deletedAt=TIME
    ),
    "ConversationPage": closed(
        _PAGE,
        conversations=listing(ref("ListedConversation")),
        deleted=listing(ref("Tombstone")),
        cursor=CURSOR,
        epoch={**TEXT, "description": "Changes when the server's data was restored."},
        full={**FLAG, "description": "False only for a delta."},
        next={"type": ["string", "null"], "description": "Where the next page begins."},
        reset={
            "type": "string",
            "enum": ["cursor_expired", "cursor_ahead", "epoch_changed", "cursor_invalid"],
            "description": "Why a cursor was answered with the complete list.",
        },
    ),
    "AllDeleted": closed("count cursor", count=COUNT, cursor=CURSOR),
    "ConversationSet": closed("conversations", conversations=listing(ref("ConversationOfSet"))),
    "SetReplaced": closed(
        "count skipped busy",
        count={**COUNT, "description": "Stored."},
        skipped=listing(TEXT, description="Ids that were deleted before and stay so."),
        busy=listing(TEXT, description="Ids left alone, since a turn runs or is held there."),
    ),
    "Imported": closed(
        "count skipped renamed refused",
        count={**COUNT, "description": "Stored."},
        skipped=listing(TEXT, description="Ids that are here already."),
        renamed={
            "type": "object",
            "additionalProperties": TEXT,
            "description": "New ids by the taken or dead ones that the file names.",
        },
        refused=listing(
            closed("code message", line=COUNT, id=TEXT, code=TEXT, message=TEXT),
            description="What could not be taken, and why.",
        ),
    ),
    "Spent": {
        **closed("tokens cost", tokens=COUNT, cost=COUNT),
        "description": "What its turns have used so far; `cost` in millionths of a dollar.",
    },
    "Transcript": closed(
        "id title agentId updatedAt version transcript",
        id=ref("ConversationId"),
        title=TEXT,
        agentId=AGENT,
        updatedAt=TIME,
        version=VERSION,
        transcript=listing(ref("Event")),
    ),
}
