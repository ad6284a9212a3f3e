"""What the API refuses before a model sees it, and how it says so; the demo model and the tests' upstream ask here."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from history import messages as replay

_KNOWN = frozenset(
    {
        "model", "max_tokens", "messages", "system", "tools", "tool_choice", "thinking", "output_config", "metadata",
        "stream", "stop_sequences", "service_tier", "cache_control", "context_management", "diagnostics", "container",
    }
)  # fmt: skip
_SAMPLING = ("temperature", "top_p", "top_k")
_TOOL_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_EFFORTS = frozenset({"low", "medium", "high", "xhigh", "max"})
_CACHE_MARKERS = 4


def error_body(
    kind: str, message: str, *, request_id: str, code: str | None = None
) -> dict[str, Any]:
    """Return the API's error body."""
    error: dict[str, Any] = {"type": kind, "message": message}
    if code:
        error["details"] = {"error_code": code}
    return {"type": "error", "error": error, "request_id": request_id}


def tokens(value: object) -> int:
    """Return about how many tokens a JSON value is; the data of images counts for little."""
    text = re.sub(
        r'"data": ?"[A-Za-z0-9+/=]{200,}"', '"data":""', json.dumps(value, ensure_ascii=False)
    )
    return max(1, len(text) // 4)


def refusal(body: Any) -> str | None:
    """Return the message of the 400 that a Messages request gets, None when it is taken.

    The list itself is judged by `history.messages.check`, the rest here.
    """
    if not isinstance(body, dict):
        return "body: Input should be a valid dictionary"
    return next((found for rule in _RULES if (found := rule(body)) is not None), None)


def _fields(body: Mapping[str, Any]) -> str | None:
    for name in _SAMPLING:
        if name in body:
            return f"{name}: sampling parameters are not supported"
    unknown = sorted(set(body) - _KNOWN)
    return f"{unknown[0]}: Extra inputs are not permitted" if unknown else None


def _model(body: Mapping[str, Any]) -> str | None:
    if not isinstance(body.get("model"), str) or not body["model"]:
        return "model: Field required"
    limit = body.get("max_tokens")
    if type(limit) is not int or limit < 1:
        return "max_tokens: Input should be greater than or equal to 1"
    effort = (body.get("output_config") or {}).get("effort", "low")
    return (
        None
        if effort in _EFFORTS
        else "output_config.effort: Input should be low, medium, high, xhigh or max"
    )


def _system(body: Mapping[str, Any]) -> str | None:
    system = body.get("system", "x")
    blocks = [{"type": "text", "text": system}] if isinstance(system, str) else system
    if not isinstance(blocks, list):
        return "system: Input should be a valid string or list"
    if not all(
        isinstance(block, dict) and block.get("type") == "text" and block.get("text")
        for block in blocks
    ):
        return "system: text content blocks must be non-empty"
    return None


def _tools(body: Mapping[str, Any]) -> str | None:
    tools = body.get("tools", [])
    if not isinstance(tools, list) or not all(isinstance(tool, dict) for tool in tools):
        return "tools: Input should be a valid list"
    names = [tool.get("name") for tool in tools]
    if not all(isinstance(name, str) and _TOOL_NAME.fullmatch(name) for name in names):
        return "tools.0.name: String should match pattern '^[a-zA-Z0-9_-]{1,64}$'"
    if len(set(names)) != len(names):
        return "tools: Tool names must be unique."
    if any(tool.get("input_schema", {}).get("type") != "object" for tool in tools):
        return "tools.0.input_schema.type: Input should be 'object'"
    return None


def _markers(body: Mapping[str, Any]) -> str | None:
    marked = [
        *_marked(body.get("tools")),
        *_marked(body.get("system")),
        *_marked(body.get("messages")),
    ]
    if len(marked) > _CACHE_MARKERS:
        return f"A maximum of {_CACHE_MARKERS} blocks with cache_control may be provided. Found {len(marked)}."
    if any(block.get("type") in {"thinking", "redacted_thinking"} for block in marked):
        return "cache_control cannot be set on thinking blocks"
    if any(block.get("type") == "text" and not block.get("text") for block in marked):
        return "cache_control cannot be set for empty text blocks"
    return None


def _marked(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        if "cache_control" in value:
            yield value
        value = [item for key, item in value.items() if key in {"content", "messages"}]
    if isinstance(value, list):
        for item in value:
            yield from _marked(item)


def _messages(body: Mapping[str, Any]) -> str | None:
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages:
        return "messages: at least one message is required"
    violations = replay.check(_unmarked(messages), tools_declared=bool(body.get("tools")))
    return f"messages.{violations[0].index}: {violations[0].what}" if violations else None


def _unmarked(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _unmarked(item) for key, item in value.items() if key != "cache_control"}
    return [_unmarked(item) for item in value] if isinstance(value, list) else value


_RULES = (_fields, _model, _system, _tools, _markers, _messages)
