"""A reply, written out as the events of the wire: the engine of the demo model and of the tests' upstream."""

import json
import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Event = dict[str, Any]
Mint = Callable[[str], str]


def mint(prefix: str) -> str:
    """Return a fresh id as the API makes them: `toolu_…`, `msg_…`, `req_…`."""
    return f"{prefix}_01{secrets.token_hex(11)}"


def text(words: str) -> dict[str, Any]:
    """Return a text block."""
    return {"type": "text", "text": words}


def thinking(words: str, *, signature: str) -> dict[str, Any]:
    """Return a thinking block."""
    return {"type": "thinking", "thinking": words, "signature": signature}


def call(name: str, arguments: Mapping[str, Any], *, call_id: str) -> dict[str, Any]:
    """Return a tool_use block."""
    return {"type": "tool_use", "id": call_id, "name": name, "input": dict(arguments)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Script:
    """What is to be said. `blocks` as they would be stored; `raw` replaces the JSON text of a call's arguments, by id.

    `size` is the number of characters in a delta; None sends a word at a time.
    """

    blocks: Sequence[dict[str, Any]]
    model: str
    message_id: str
    stop_reason: str | None = None
    usage: Mapping[str, int] = field(default_factory=dict)
    raw: Mapping[str, str] = field(default_factory=dict)
    size: int | None = None

    def events(self) -> Iterator[Event]:
        """Yield the events of the reply in the API's order."""
        yield self._start()
        yield {"type": "ping"}
        for index, block in enumerate(self.blocks):
            yield {"type": "content_block_start", "index": index, "content_block": _opening(block)}
            for delta in self._deltas(block):
                yield {"type": "content_block_delta", "index": index, "delta": delta}
            yield {"type": "content_block_stop", "index": index}
        yield self.end(self.reason)
        yield {"type": "message_stop"}

    @property
    def reason(self) -> str:
        """The stop reason: as given, else what the blocks ask for."""
        calls = any(block["type"] == "tool_use" for block in self.blocks)
        return self.stop_reason or ("tool_use" if calls else "end_turn")

    def end(self, reason: str) -> Event:
        """Return the message_delta that ends the reply."""
        delta = {"stop_reason": reason, "stop_sequence": None, "stop_details": None}
        return {"type": "message_delta", "delta": delta, "usage": {"output_tokens": self._output()}}

    def _start(self) -> Event:
        usage = {
            "input_tokens": 25,
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": 0,
            "cache_creation": {"ephemeral_5m_input_tokens": 0, "ephemeral_1h_input_tokens": 0},
            "service_tier": "standard",
            **self.usage,
            "output_tokens": 1,
        }
        message: dict[str, Any] = {
            "id": self.message_id, "type": "message", "role": "assistant", "model": self.model, "content": [],
            "stop_reason": None, "stop_sequence": None, "stop_details": None, "usage": usage,
        }  # fmt: skip
        return {"type": "message_start", "message": message}

    def _output(self) -> int:
        return self.usage.get("output_tokens", max(1, len(json.dumps(list(self.blocks))) // 4))

    def _deltas(self, block: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        kind = block["type"]
        if kind == "text":
            yield from (
                {"type": "text_delta", "text": part} for part in self._pieces(block["text"])
            )
            yield from (
                {"type": "citations_delta", "citation": cited}
                for cited in block.get("citations") or []
            )
        elif kind == "thinking":
            yield from (
                {"type": "thinking_delta", "thinking": part}
                for part in self._pieces(block["thinking"])
            )
            yield {"type": "signature_delta", "signature": block["signature"]}
        elif _is_call(block):
            arguments = self.raw.get(block["id"], json.dumps(block["input"], ensure_ascii=False))
            for part in ("", *self._pieces(arguments)):
                yield {"type": "input_json_delta", "partial_json": part}

    def _pieces(self, words: str) -> list[str]:
        return pieces(words) if self.size is None else split(words, size=self.size)


def split(words: str, *, size: int) -> list[str]:
    """Cut into parts of `size` characters."""
    return [words[at : at + size] for at in range(0, len(words), size)]


def pieces(words: str) -> list[str]:
    """Cut after each run of white space, and long words into parts of twelve, as tokens would."""
    found: list[str] = []
    for word in words.replace("\n", "\n ").split(" "):
        found.extend(split(word, size=12) or [""])
        found[-1] += " "
    joined = [piece.replace("\n ", "\n") for piece in found]
    joined[-1] = joined[-1].removesuffix(" ")
    return [piece for piece in joined if piece]


def _opening(block: Mapping[str, Any]) -> dict[str, Any]:
    if block["type"] == "text":
        return {**block, "text": "", **({"citations": []} if "citations" in block else {})}
    if block["type"] == "thinking":
        return {**block, "thinking": "", "signature": ""}
    return {**block, "input": {}} if _is_call(block) else dict(block)


def _is_call(block: Mapping[str, Any]) -> bool:
    return str(block["type"]).endswith("tool_use")
