"""One content block while it arrives, and what of a list of blocks may be stored.

A block is kept as it came: its start with the deltas put in, nothing added, nothing left out, unknown types included.
"""

from collections.abc import Iterable
from typing import Any, Literal

from chat.llm.base import Delta
from chat.llm.strictly import Unreadable, arguments
from chat.llm.wire import Malformed

THOUGHTS = frozenset({"thinking", "redacted_thinking"})
_CALLS = ("tool_use", "server_tool_use", "mcp_tool_use")


class Block:
    """A block from its content_block_start to its content_block_stop."""

    __slots__ = ("_field", "_half", "_parts", "closed", "unreadable", "value")

    def __init__(self, start: dict[str, Any]) -> None:
        self.value = start
        self.closed = False
        self.unreadable: str | None = None
        self._field: str | None = None
        self._parts: list[str] = []
        self._half = ""

    @property
    def type(self) -> str:
        """The block's type; Malformed when it has none."""
        kind = self.value["type"]
        if not isinstance(kind, str):
            raise Malformed("a block without a type")
        return kind

    def first(self) -> Delta | None:
        """Return what the start event itself already says."""
        kind = self.type
        if kind in _CALLS and not (
            isinstance(self.value["id"], str) and isinstance(self.value["name"], str)
        ):
            raise Malformed("a call without id and name")
        return self._shown(self.value[kind], _kind(kind)) if kind in {"text", "thinking"} else None

    def say(self, text: str) -> Delta | None:
        """Take a text_delta."""
        if self._field != "text":
            self._begin("text")
        shown = self._shown(text, "text")
        self._parts.append(text)
        return shown

    def think(self, text: str) -> Delta | None:
        """Take a thinking_delta."""
        if self._field != "thinking":
            self._begin("thinking")
        shown = self._shown(text, "thinking")
        self._parts.append(text)
        return shown

    def argue(self, text: str) -> None:
        """Take an input_json_delta."""
        if self._field != "input":
            self._begin("input")
        if not isinstance(text, str):
            raise Malformed("arguments that are no text")
        self._parts.append(text)

    def put(self, delta: dict[str, Any]) -> None:
        """Take any other delta; a type that is not known says nothing that could be stored."""
        match delta["type"]:
            case "signature_delta":
                self.value["signature"] = delta["signature"]
            case "citations_delta":
                self.value["citations"] = [*(self.value.get("citations") or []), delta["citation"]]
            case "compaction_delta":
                self.value.update({key: value for key, value in delta.items() if key != "type"})

    def close(self) -> Delta | None:
        """Put the deltas in; return the replacement of a half pair that nothing completed."""
        rest, self._half = self._half, ""
        self.value = self.so_far()
        self.closed = True
        return Delta(_kind(self._field), "\ufffd") if rest else None

    def so_far(self) -> dict[str, Any]:
        """Return the block with what has been shown of it; the raw text of arguments is read strictly."""
        if self._field == "input":
            return {**self.value, "input": self._arguments()}
        kind = self._field or self.value.get("type")
        if kind in {"text", "thinking"} and isinstance(self.value.get(kind), str):
            text = "".join([self.value[kind], *self._parts])
            return {**self.value, kind: whole(text[: len(text) - len(self._half)])}
        return self.value

    def _begin(self, field: str) -> None:
        if self._field is not None or field not in self.value:
            raise Malformed("a delta of another block's kind")
        self._field = field

    def _shown(self, text: str, kind: Literal["text", "thinking"]) -> Delta | None:
        if self._half:
            text, self._half = self._half + text, ""
        if not text.isascii():
            if "\ud800" <= text[-1] <= "\udbff":
                text, self._half = text[:-1], text[-1]
            text = whole(text)
        return Delta(kind, text) if text else None

    def _arguments(self) -> dict[str, Any]:
        raw = "".join(self._parts)
        if not raw.strip() and isinstance(self.value["input"], dict):
            return self.value["input"]
        try:
            return arguments(_paired(raw))
        except Unreadable as error:
            self.unreadable = str(error)
            return {"INVALID_JSON": whole(raw)}


def whole(text: str) -> str:
    """Return `text` with halves of one pair joined and lone halves replaced, so that it can be encoded."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def kept(blocks: Iterable[Block], *, cut: bool, open_server_calls: bool) -> list[dict[str, Any]]:
    """Return what may be stored of a reply (tool-loop.md, B3).

    Closed blocks and the text of an open one; no empty text, no thinking without its signature. `cut` says that the
    reply did not end by itself: a call that followed lost thinking goes with it. `open_server_calls` keeps a server
    tool's call without its result, which is legal only at the tail. Thinking alone is no turn.
    """
    found: list[dict[str, Any]] = []
    unsigned = False
    for block in blocks:
        if block.type == "thinking" and not (block.closed and block.value.get("signature")):
            unsigned = True
        elif block.type == "text":
            value = block.value if block.closed else block.so_far()
            found.extend([value] if value["text"].strip() else [])
        elif block.closed and not (cut and unsigned and block.type in _CALLS):
            found.append(block.value)
    if not open_server_calls:
        found = _paired_server_calls(found)
    return found if any(value["type"] not in THOUGHTS for value in found) else []


def _kind(field: str | None) -> Literal["text", "thinking"]:
    return "text" if field == "text" else "thinking"


def _paired_server_calls(blocks: list[dict[str, Any]]) -> list[dict[str, Any]]:
    answered = {block.get("tool_use_id") for block in blocks}
    return [block for block in blocks if block["type"] not in _CALLS[1:] or block["id"] in answered]


def _paired(raw: str) -> str:
    # Halves of one pair that came in two deltas are one character; a half that stays alone is left to be refused.
    if raw.isascii():
        return raw
    return raw.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
