"""Server-Sent Events, from bytes to parsed events; pure, and each event is parsed once.

Line ends are the three the standard names, looked for in bytes: U+2028 inside a data line is text, and a character cut
between two chunks is whole again before anything is decoded.
"""

import json
from collections.abc import Iterator
from typing import Any

MAX_EVENT = 64 * 1024 * 1024
"""Bytes an event may have before its blank line comes; more is a fault, not a reply."""

# json.loads without its checks around it: half the time, and it runs for every delta.
_decode = json.JSONDecoder().raw_decode


class Malformed(ValueError):
    """The upstream sent what the protocol does not allow. The message names the fault, never the content."""


class Events:
    """Feed it chunks in order; it yields the events that are whole by then. Bytes after the last blank line wait."""

    __slots__ = ("_rest",)

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, chunk: bytes) -> Iterator[dict[str, Any]]:
        """Yield each event as a dict with a string `type`. Raises Malformed when it reaches a broken one."""
        data = self._rest + chunk if self._rest else chunk
        if b"\r" in data:
            data = _with_plain_ends(data)
        end = data.rfind(b"\n\n")
        if end < 0:
            if len(data) > MAX_EVENT:
                raise Malformed("an event without an end")
            self._rest = data
            return
        self._rest = data[end + 2 :]
        for block in data[:end].split(b"\n\n"):
            payload = _payload(block)
            if payload:
                yield _parsed(payload)


def encode(event: dict[str, Any]) -> bytes:
    """Return an event as the API writes it; ASCII only, so that no line end can hide in the text."""
    return f"event: {event['type']}\ndata: {json.dumps(event, separators=(',', ':'))}\n\n".encode(
        "ascii"
    )


def _with_plain_ends(data: bytes) -> bytes:
    # A return at the very end may be the first half of a pair; it waits for the next chunk.
    tail = b"\r" if data.endswith(b"\r") else b""
    return data[: len(data) - len(tail)].replace(b"\r\n", b"\n").replace(b"\r", b"\n") + tail


def _payload(block: bytes) -> bytes:
    first = block.find(b"\n")
    if (
        block.startswith(b"\ndata: ", first)
        and block.find(b"\n", first + 1) < 0
        and block.startswith(b"event: ")
    ):
        return block[first + 7 :]  # as the API writes it: one event line, one data line
    lines = [line[5:] for line in block.split(b"\n") if line.startswith(b"data:")]
    return b"\n".join(line.removeprefix(b" ") for line in lines)


def _parsed(payload: bytes) -> dict[str, Any]:
    try:
        text = payload.decode()
        event, end = _decode(text)
        if end != len(text):
            event = json.loads(text)
    except (ValueError, RecursionError):
        raise Malformed("an event that is no JSON") from None
    if not isinstance(event, dict) or not isinstance(event.get("type"), str):
        raise Malformed("an event without a type")
    return event
