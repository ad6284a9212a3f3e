"""The vocabulary of a Messages list: which blocks there are, where they may stand, which keys they have.

Everything here is a fact of the wire format; what a list must look like as a whole is in `history.checking`.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

Block = dict[str, Any]
Message = dict[str, Any]

ROLES = ("user", "assistant", "system")
"""A tuple, because what is looked for in it may be anything."""
ID = re.compile(r"[a-zA-Z0-9_-]+")
NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")

_CACHED = frozenset({"type", "cache_control"})
_SERVER_RESULT = _CACHED | {"tool_use_id", "content"}
KEYS: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "text": _CACHED | {"text", "citations"},
        "image": _CACHED | {"source", "transformations"},
        "document": _CACHED | {"source", "citations", "context", "title"},
        "search_result": _CACHED | {"source", "citations", "content", "title"},
        "thinking": frozenset({"type", "thinking", "signature"}),
        "redacted_thinking": frozenset({"type", "data"}),
        "tool_use": _CACHED | {"id", "name", "input", "caller", "toolset_name"},
        "tool_result": _CACHED | {"tool_use_id", "content", "is_error", "toolset_name"},
        "server_tool_use": _CACHED | {"id", "name", "input", "caller"},
        "web_search_tool_result": _SERVER_RESULT | {"caller"},
        "web_fetch_tool_result": _SERVER_RESULT | {"caller"},
        "code_execution_tool_result": _SERVER_RESULT,
        "bash_code_execution_tool_result": _SERVER_RESULT,
        "text_editor_code_execution_tool_result": _SERVER_RESULT,
        "tool_search_tool_result": _SERVER_RESULT,
        "container_upload": _CACHED | {"file_id"},
    }
)
"""Every key the API knows, by block type. A type that is not here is left alone: it may be newer than this file."""

NULLABLE = frozenset(
    {"cache_control", "citations", "toolset_name", "context", "title", "transformations"}
)

REQUIRED: Mapping[str, tuple[tuple[str, type], ...]] = MappingProxyType(
    {
        "text": (("text", str),),
        "image": (("source", dict),),
        "document": (("source", dict),),
        "search_result": (("content", list),),
        "redacted_thinking": (("data", str),),
        "tool_use": (("id", str), ("name", str)),
        "tool_result": (("tool_use_id", str),),
        "server_tool_use": (("id", str), ("name", str)),
        "web_search_tool_result": (("tool_use_id", str),),
        "container_upload": (("file_id", str),),
    }
)

THINKING = frozenset({"thinking", "redacted_thinking"})
SERVER_USES = frozenset({"server_tool_use", "mcp_tool_use"})
_ASSISTANT_ONLY = THINKING | SERVER_USES | {"tool_use"}
_USER_ONLY = frozenset({"tool_result", "image", "document"})
_NESTED = frozenset(
    {"text", "image", "document", "search_result", "tool_reference", "browser_state"}
)

_NOTE_OPEN, _NOTE_CLOSE = "<kenny-note>", "</kenny-note>"


def kind(block: Block) -> str:
    """Return the type of a block, "" when it has none."""
    value = block.get("type")
    return value if isinstance(value, str) else ""


def is_server_result(block: Block) -> bool:
    """Say whether a block is the result of a tool that ran at the provider."""
    return kind(block).endswith("_tool_result")


def may_stand_in(role: str, block: Block) -> bool:
    """Say whether messages of a role may hold a block of this type; unknown types may stand with user and assistant."""
    if role == "system":
        return kind(block) == "text"
    if role == "assistant":
        return kind(block) not in _USER_ONLY
    return kind(block) not in _ASSISTANT_ONLY and not is_server_result(block)


def may_nest(block: Block) -> bool:
    """Say whether a tool_result may hold a block of this type; unknown types may."""
    known_elsewhere = kind(block) in KEYS or kind(block) in SERVER_USES or is_server_result(block)
    return kind(block) in _NESTED or not known_elsewhere


def blocks_of(message: Message) -> list[Block]:
    """Return the content of a message as blocks, whatever shape it has; what is no block is left out."""
    content = message.get("content")
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    if not isinstance(content, list):
        return []
    return [block for block in content if isinstance(block, dict)]


def nested(result: Block) -> list[Block]:
    """Return the content of a tool_result as blocks."""
    return blocks_of(result)


def is_blank(text: str) -> bool:
    """Say whether the API would call a text empty or only whitespace."""
    return not text.strip()


def note(text: str) -> Block:
    """Return a text block that tells the model a fact about the moment and that people are not shown."""
    return {"type": "text", "text": _NOTE_OPEN + text.replace(_NOTE_CLOSE, "") + _NOTE_CLOSE}


def shown(blocks: Sequence[Block]) -> list[Block]:
    """Return the blocks of a user message that people see: without results and without a leading note.

    A note counts only with something after it, so that words somebody typed are never hidden as a whole.
    """
    said = [block for block in blocks if kind(block) != "tool_result"]
    return said[1:] if len(said) > 1 and _is_note(said[0]) else said


def is_persons(message: Message) -> bool:
    """Say whether a message is a person's own: only before one may a list be cut, and only there may it be edited."""
    return message.get("role") == "user" and all(
        kind(block) != "tool_result" for block in blocks_of(message)
    )


def _is_note(block: Block) -> bool:
    text = block.get("text")
    return isinstance(text, str) and text.startswith(_NOTE_OPEN) and text.endswith(_NOTE_CLOSE)


def texts(blocks: Iterable[Block]) -> Iterator[str]:
    """Yield the text of each text block."""
    for block in blocks:
        text = block.get("text")
        if kind(block) == "text" and isinstance(text, str):
            yield text


def result_text(result: Block) -> str:
    """Return all text of a tool_result, as it stands in the list."""
    return "\n".join(texts(nested(result)))


def without_data(block: Block) -> Block:
    """Return a block with the base64 of its images left out, for looking at the rest of it."""
    source, content = block.get("source"), block.get("content")
    if (
        isinstance(source, dict)
        and isinstance(source.get("data"), str)
        and source["data"].isascii()
    ):
        return {**block, "source": {**source, "data": ""}}
    if isinstance(content, list):
        inner = [without_data(item) if isinstance(item, dict) else item for item in content]
        return {**block, "content": inner}
    return block


def encoded_size(value: object) -> int:
    """Return the bytes of a value as JSON in a request. Raises ValueError for what JSON or UTF-8 cannot carry."""
    try:
        return len(
            json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
        )
    except (TypeError, RecursionError) as error:
        raise ValueError("not JSON") from error


def markers(block: Block) -> int:
    """Count the cache markers of a block and of what it holds."""
    return sum(item.get("cache_control") is not None for item in (block, *nested(block)))


def without_markers(block: Block) -> Block:
    """Return a block without cache markers; the same object when it has none."""
    content = block.get("content")
    plain = {key: value for key, value in block.items() if key != "cache_control"}
    if isinstance(content, list):
        inner = [without_markers(item) if isinstance(item, dict) else item for item in content]
        if any(a is not b for a, b in zip(inner, content, strict=True)):
            return {**plain, "content": inner}
    return block if len(plain) == len(block) else plain
