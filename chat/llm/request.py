"""The body of a Messages request: what is cached, what is thought, and nothing of the caller's lists changed."""

from collections.abc import Sequence
from typing import Any

from chat.llm.base import Request

EPHEMERAL = {"type": "ephemeral"}
# Their `adaptive` thinking is documented; an unknown name is sent without, which every model accepts.
THINKING_MODELS = frozenset(
    {
        "claude-fable-5-2", "claude-fable-5-1", "claude-fable-5",
        "claude-mythos-5-2", "claude-mythos-5-1", "claude-mythos-5",
        "claude-opus-5-5", "claude-opus-5", "claude-opus-4-8", "claude-opus-4-7", "claude-opus-4-6",
        "claude-sonnet-5-5", "claude-sonnet-5", "claude-sonnet-4-6",
        "claude-haiku-5-5",
    }
)  # fmt: skip
_MARKABLE = frozenset({"text", "image", "document", "tool_result", "tool_use"})


def body_of(request: Request, *, thinks: bool) -> dict[str, Any]:
    """Return the keyword arguments of `messages.create`, all but `stream`.

    Three cache markers of the four allowed: the end of the system text, of the tools, of the messages. Markers stored
    in old messages are left out.
    """
    body: dict[str, Any] = {
        "model": request.model,
        "max_tokens": request.max_tokens,
        "messages": marked(request.messages),
    }
    if request.system:
        body["system"] = [{"type": "text", "text": request.system, "cache_control": EPHEMERAL}]
    if request.tools:
        body["tools"] = [*request.tools[:-1], {**request.tools[-1], "cache_control": EPHEMERAL}]
    if thinks:
        body["thinking"] = {"type": "adaptive", "display": "summarized"}
    if request.effort:
        body["output_config"] = {"effort": request.effort}
    if request.edit_from:
        body["extra_body"] = {"context_management": {"edits": [_clearing(request.edit_from)]}}
    return body


def beta_headers(request: Request) -> dict[str, str]:
    """Return the header that what is not yet part of the plain API needs."""
    return {"anthropic-beta": "context-management-2025-06-27"} if request.edit_from else {}


def _clearing(tokens: int) -> dict[str, Any]:
    """Leave out all but the three newest tool uses, and enough at once that the cache is not rewritten each time."""
    return {
        "type": "clear_tool_uses_20250919",
        "trigger": {"type": "input_tokens", "value": tokens},
        "keep": {"type": "tool_uses", "value": 3},
        "clear_at_least": {"type": "input_tokens", "value": tokens // 8},
    }


def marked(messages: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the messages with one cache marker, on the last block of the last message that may carry one."""
    found = [_unmarked(message) for message in messages]
    if not found:
        return found
    content = found[-1]["content"]
    if isinstance(content, str):
        content = [{"type": "text", "text": content}]
    for place in range(len(content) - 1, -1, -1):
        if _may_carry(content[place]):
            block = {**content[place], "cache_control": EPHEMERAL}
            found[-1] = {**found[-1], "content": [*content[:place], block, *content[place + 1 :]]}
            break
    return found


def _may_carry(block: dict[str, Any]) -> bool:
    return block["type"] in _MARKABLE and (block["type"] != "text" or bool(block["text"].strip()))


def _unmarked(message: dict[str, Any]) -> dict[str, Any]:
    content = message["content"]
    if isinstance(content, str) or not any(map(_holds_marker, content)):
        return message
    return {**message, "content": [_without_marker(block) for block in content]}


def _holds_marker(block: dict[str, Any]) -> bool:
    inner = block.get("content")
    return "cache_control" in block or (
        isinstance(inner, list) and any("cache_control" in part for part in inner)
    )


def _without_marker(block: dict[str, Any]) -> dict[str, Any]:
    plain = {key: value for key, value in block.items() if key != "cache_control"}
    if block["type"] == "tool_result" and isinstance(plain.get("content"), list):
        plain["content"] = [
            {k: v for k, v in part.items() if k != "cache_control"} for part in plain["content"]
        ]
    return plain
