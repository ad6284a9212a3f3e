"""One block made acceptable: mended where that is truthful, left out where it is not."""

import json
import math
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from history import pictures
from history.blocks import (
    ID,
    KEYS,
    NAME,
    NULLABLE,
    REQUIRED,
    THINKING,
    Block,
    encoded_size,
    is_blank,
    kind,
    may_nest,
    may_stand_in,
    without_data,
)
from history.fence import paired
from history.outcomes import NO_OUTPUT

UNREADABLE_IMAGE = "[An image stood here that could not be read.]"
UNREADABLE = "INVALID_JSON"
"""The only key of arguments that were no object: its value is what the model wrote."""


def mended(block: Block, *, role: str) -> Block | None:
    """Return a block that breaks no rule of its own, or None when nothing truthful is left of it.

    A block that is sound comes back as the same object. Ids are left to the pairing, which renames both halves.
    """
    if not kind(block) or not may_stand_in(role, block):
        return None
    block = _encodable(block)
    if not all(isinstance(block.get(key), wanted) for key, wanted in REQUIRED.get(kind(block), ())):
        return {"type": "text", "text": UNREADABLE_IMAGE} if kind(block) == "image" else None
    block = _known_keys(block)
    mend = _MENDS.get(kind(block))
    return mend(block, role) if mend else block


def _encodable(block: Block) -> Block:
    try:
        encoded_size(without_data(block))
    except ValueError:
        if kind(block) in THINKING:
            return {
                "type": kind(block)
            }  # signed as it stands, so it cannot be mended: required keys are gone, it is left out
        if kind(block) == "tool_use" and isinstance(block.get("input"), dict):
            block = {**block, "input": _readable_input(block["input"])}
        plain_block: Block = plain(block)
        return plain_block
    return block


def _readable_input(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Mend strings in place; what else is no JSON makes the whole a text, so that no argument changes its value."""
    try:
        strings_mended: dict[str, Any] = plain(arguments, keep_numbers=True)
        encoded_size(strings_mended)
    except RecursionError:
        return {UNREADABLE: "nested too deeply"}
    except ValueError:
        return {UNREADABLE: paired(repr(arguments))}
    return strings_mended


def plain(value: Any, *, keep_numbers: bool = False) -> Any:
    """Return a value with its strings in UTF-8, numbers that JSON lacks as null and anything that is no JSON as text.

    `keep_numbers` leaves NaN and infinity where they are.
    """
    if isinstance(value, str):
        return paired(value)
    if isinstance(value, Mapping):
        return {
            paired(str(key)): plain(item, keep_numbers=keep_numbers) for key, item in value.items()
        }
    if isinstance(value, list | tuple):
        return [plain(item, keep_numbers=keep_numbers) for item in value]
    if isinstance(value, float):
        return value if keep_numbers or math.isfinite(value) else None
    return value if value is None or isinstance(value, bool | int) else paired(str(value))


def _known_keys(block: Block) -> Block:
    known = KEYS.get(kind(block))
    if known is None:
        return block
    kept = {
        key: value
        for key, value in block.items()
        if key in known and (value is not None or key in NULLABLE)
    }
    if not isinstance(kept.get("cache_control"), dict | None):
        del kept["cache_control"]
    return kept if len(kept) < len(block) else block


def _text(block: Block, role: str) -> Block | None:
    if is_blank(block["text"]):
        return None
    if role != "assistant" and block.get("citations") is not None:
        return _without(block, "citations")
    return block


def _image(block: Block, _role: str) -> Block:
    source = block["source"]
    elsewhere = {"url": "url", "file": "file_id"}.get(str(source.get("type")))
    if elsewhere is not None and isinstance(source.get(elsewhere), str):
        return block
    found = pictures.read(source) if source.get("type") == "base64" else None
    if found is None:
        return {"type": "text", "text": UNREADABLE_IMAGE}
    if found.media_type == source.get("media_type"):
        return block
    return {**block, "source": {**source, "media_type": found.media_type}}


def _use(block: Block, _role: str) -> Block:
    arguments, name = block.get("input"), block["name"]
    if not isinstance(arguments, dict):
        block = {
            **block,
            "input": {
                UNREADABLE: arguments if isinstance(arguments, str) else json.dumps(arguments)
            },
        }
    if not NAME.fullmatch(name):
        spelled = "".join(letter if NAME.fullmatch(letter) else "_" for letter in name[:64])
        block = {**block, "name": spelled or "unnamed"}
    return block


def _server_use(block: Block, role: str) -> Block | None:
    # The provider gave the id and signed what came of it, so there is no other name to give it.
    return _use(block, role) if ID.fullmatch(block["id"]) else None


def _result(block: Block, role: str) -> Block:
    if not isinstance(block.get("is_error", False), bool):
        block = {**block, "is_error": bool(block["is_error"])}
    content = block.get("content")
    if isinstance(content, str) and not is_blank(content):
        return block
    kept = _nested(content, role=role, only_text=bool(block.get("is_error")))
    if not kept:
        return {**block, "content": NO_OUTPUT}
    same = (
        isinstance(content, list)
        and len(kept) == len(content)
        and all(a is b for a, b in zip(kept, content, strict=True))
    )
    return block if same else {**block, "content": kept}


def _nested(content: Any, *, role: str, only_text: bool) -> list[Block]:
    items = content if isinstance(content, list) else [content]
    kept: list[Block] = []
    for item in items:
        block = item if isinstance(item, dict) else {"type": "text", "text": _as_text(item)}
        inner = mended(block, role=role) if kind(block) and may_nest(block) else None
        if inner is not None and not (only_text and kind(inner) != "text"):
            kept.append(inner)
    return kept


def _as_text(item: Any) -> str:
    return item if isinstance(item, str) else "" if item is None else json.dumps(item)


def _thinking(block: Block, _role: str) -> Block | None:
    signature = block.get("signature")
    if (
        not isinstance(signature, str)
        or not signature
        or not isinstance(block.get("thinking", ""), str)
    ):
        return None
    # Serialisers that drop empty values drop this key, which the API wants back.
    return (
        block
        if "thinking" in block
        else {"type": "thinking", "thinking": "", "signature": signature}
    )


def _redacted(block: Block, _role: str) -> Block | None:
    return block if block["data"] else None


def _without(block: Block, key: str) -> Block:
    return {name: value for name, value in block.items() if name != key}


_MENDS: Mapping[str, Callable[[Block, str], Block | None]] = MappingProxyType(
    {
        "text": _text,
        "image": _image,
        "tool_use": _use,
        "server_tool_use": _server_use,
        "tool_result": _result,
        "thinking": _thinking,
        "redacted_thinking": _redacted,
    }
)
