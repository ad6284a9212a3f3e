"""What can be wrong with one block on its own."""

from collections.abc import Callable, Iterator
from typing import Any

from history import pictures
from history.blocks import (
    ID,
    KEYS,
    NAME,
    NULLABLE,
    REQUIRED,
    SERVER_USES,
    THINKING,
    Block,
    encoded_size,
    is_blank,
    kind,
    may_nest,
    may_stand_in,
    without_data,
)
from history.rules import Rule

Fault = tuple[Rule, str]


def faults_of(block: Block, *, role: str) -> Iterator[Fault]:
    """Yield every rule that a block breaks where it stands. `role` is that of its message."""
    yield from _place(block, role)
    try:
        encoded_size(without_data(block))
    except ValueError:
        yield Rule.INPUT, f"{kind(block)} holds what JSON cannot carry"
    yield from _content(block, role)


def _content(block: Block, role: str) -> Iterator[Fault]:
    yield from _keys(block)
    for key, wanted in REQUIRED.get(kind(block), ()):
        if not isinstance(block.get(key), wanted):
            yield Rule.SHAPE, f"{kind(block)} without {key}"
    if kind(block) in _FAULTS:
        yield from _FAULTS[kind(block)](block, role)


def _place(block: Block, role: str) -> Iterator[Fault]:
    if not kind(block):
        yield Rule.SHAPE, "block without a type"
    elif not may_stand_in(role, block):
        special = {"document": Rule.RETIRED, "tool_result": Rule.MATCHED}
        yield special.get(kind(block), Rule.SHAPE), f"{kind(block)} with role {role}"


def _keys(block: Block) -> Iterator[Fault]:
    known = KEYS.get(kind(block))
    if known is None:
        return
    if not known.issuperset(block):
        yield Rule.KEYS, f"{kind(block)} with an unknown key"
    if any(value is None and key not in NULLABLE for key, value in block.items()):
        yield Rule.KEYS, f"{kind(block)} with a null"
    if not isinstance(block.get("cache_control"), dict | None):
        yield Rule.KEYS, f"{kind(block)} with a strange cache marker"


def _text(block: Block, role: str) -> Iterator[Fault]:
    text = block.get("text")
    if isinstance(text, str) and is_blank(text):
        yield Rule.TEXT, "empty text"
    if role != "assistant" and block.get("citations") is not None:
        yield Rule.RETIRED, "citations outside a reply"


def _image(block: Block, _role: str) -> Iterator[Fault]:
    source = block.get("source")
    if isinstance(source, dict) and not _is_image(source):
        yield Rule.IMAGE, "image that is none, or not of the type it names"


def _is_image(source: dict[str, Any]) -> bool:
    if source.get("type") == "base64":
        found = pictures.read(source)
        return found is not None and found.media_type == source.get("media_type")
    elsewhere = {"url": "url", "file": "file_id"}.get(str(source.get("type")))
    return elsewhere is not None and isinstance(source.get(elsewhere), str)


def _use(block: Block, _role: str) -> Iterator[Fault]:
    name, call_id = block.get("name"), block.get("id")
    if not isinstance(block.get("input"), dict):
        yield Rule.INPUT, "arguments are no object"
    if isinstance(name, str) and not NAME.fullmatch(name):
        yield Rule.TOOL_NAME, "tool name out of bounds"
    if isinstance(call_id, str) and not ID.fullmatch(call_id):
        yield Rule.ID, "tool_use id out of bounds"


def _result(block: Block, role: str) -> Iterator[Fault]:
    content, is_error = block.get("content"), block.get("is_error", False)
    if not isinstance(is_error, bool):
        yield Rule.SHAPE, "is_error is no boolean"
    call_id = block.get("tool_use_id")
    if isinstance(call_id, str) and not ID.fullmatch(call_id):
        yield Rule.ID, "tool_use_id out of bounds"
    if content is None or content == [] or (isinstance(content, str) and is_blank(content)):
        yield Rule.ERROR_TEXT if is_error else Rule.OUTPUT, "empty result"
    elif not isinstance(content, str | list):
        yield Rule.SHAPE, "result is neither text nor blocks"
    elif isinstance(content, list):
        for inner in content:
            yield from _nested(inner, role)
        if is_error and any(
            not isinstance(inner, dict) or kind(inner) != "text" for inner in content
        ):
            yield Rule.ERROR_TEXT, "error result with more than text"


def _nested(inner: object, role: str) -> Iterator[Fault]:
    if not isinstance(inner, dict) or not kind(inner) or not may_nest(inner):
        yield Rule.SHAPE, "result holds what no result may"
    elif kind(inner) in KEYS:
        yield from _content(inner, role)


def _thinking(block: Block, _role: str) -> Iterator[Fault]:
    if not isinstance(block.get("thinking"), str):
        yield Rule.THINKING, "thinking without its text"
    signature = block.get("signature")
    if not isinstance(signature, str) or not signature:
        yield Rule.THINKING, "thinking without a signature"


def _redacted(block: Block, _role: str) -> Iterator[Fault]:
    if block.get("data") == "":
        yield Rule.THINKING, "redacted thinking without data"


_FAULTS: dict[str, Callable[[Block, str], Iterator[Fault]]] = {
    "text": _text,
    "image": _image,
    "tool_use": _use,
    "server_tool_use": _use,
    "tool_result": _result,
    "thinking": _thinking,
    "redacted_thinking": _redacted,
}
assert set(_FAULTS) <= set(KEYS) | SERVER_USES | THINKING
