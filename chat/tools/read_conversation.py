"""read_conversation: one of the person's own earlier conversations, as they would read it."""

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from chat.tools.base import Caller, Output, Tier, Tool, ToolFailed
from history import store
from history.errors import Refused
from history.fence import capped
from history.messages import Event, transcript
from history.models import Conversation
from history.serializers import check_id

MAX_TEXT = 60_000
MAX_RESULT = 1_000
"""Characters of one tool's result or one call's arguments: what was said about them matters more."""
NOT_FOUND = "This person has no conversation with that id."


def _run(args: Mapping[str, Any], caller: Caller) -> Output:
    row = _find(args["id"], owner_id=caller.user_id)
    lines = [_head(row), *_lines(transcript(row.messages, image_url=lambda _: None))]
    return Output(text=capped("\n\n".join(lines), limit=MAX_TEXT))


def _find(cid: str, *, owner_id: int) -> Conversation:
    """Return the live row. Raises ToolFailed with one sentence for unknown, foreign, deleted and impossible ids."""
    try:
        return store.find(owner_id=owner_id, cid=check_id(cid))
    except Refused:
        raise ToolFailed(NOT_FOUND) from None


def _head(row: Conversation) -> str:
    when = datetime.fromtimestamp(row.updated_at // 1000, tz=UTC)
    return f"# {row.title or 'Untitled'}\nid {row.cid}, last used {when:%Y-%m-%d %H:%M} UTC, {row.message_count} messages"


def _lines(events: Sequence[Event]) -> list[str]:
    return [line for event in events if (line := _line(event))]


def _line(event: Event) -> str:
    match event["type"]:
        case "user_text":
            return f"Person: {event['text']}{_images(event)}"
        case "text_delta":
            return f"Claude: {event['text']}"
        case "tool_call":
            args = json.dumps(event["args"], ensure_ascii=False)
            return f"[Claude called {event['tool']} with {_short(args)}]"
        case "tool_result":
            kind = "Result" if event["ok"] else "Error"
            return (
                f"[{kind} of {event['tool'] or 'a tool'}: {_short(event['text'])}{_images(event)}]"
            )
        case "denied":
            return f"[{event['tool'] or 'A tool'} did not run: {event['code']}]"
        case _:
            return ""  # thinking is not part of what was said


def _short(text: str) -> str:
    return capped(text, limit=MAX_RESULT)


def _images(event: Event) -> str:
    count = len(event["images"])
    return f" ({count} image{'s' if count > 1 else ''}, not shown here)" if count else ""


READ_CONVERSATION = Tool(
    name="read_conversation",
    description=(
        "Read one of this person's own earlier conversations with Claude as plain text, by the id that search_history "
        "gives. Long tool results and long conversations are cut, and say so."
    ),
    input_schema={
        "type": "object",
        "properties": {
            "id": {
                "type": "string",
                "description": "The conversation's id, as search_history gives it.",
            }
        },
        "required": ["id"],
        "additionalProperties": False,
    },
    run=_run,
    tier=Tier.READ_ONLY,
)
