"""A short notation for the events of a stream, as the restated cases use it.

    S, t(0, "Open"), x(0), j(1, '{"v": 1'), D("tool_use"), E

`t`, `th` and `j` start their block when it is not open yet.
"""

from collections.abc import Iterator
from typing import Any

from chat.llm.base import Delta, Reply
from chat.llm.growing import Growing

Event = dict[str, Any]

S: Event = {
    "type": "message_start",
    "message": {
        "id": "msg_1", "type": "message", "role": "assistant", "model": "claude-test", "content": [],
        "stop_reason": None, "usage": {"input_tokens": 25, "output_tokens": 1},
    },
}  # fmt: skip
E: Event = {"type": "message_stop"}
PING: Event = {"type": "ping"}


def t(index: int, text: str) -> Event:
    """A text delta."""
    return _delta(index, {"type": "text_delta", "text": text})


def th(index: int, text: str) -> Event:
    """A thinking delta."""
    return _delta(index, {"type": "thinking_delta", "thinking": text})


def sig(index: int, signature: str) -> Event:
    """The signature of a thinking block."""
    return _delta(index, {"type": "signature_delta", "signature": signature})


def j(index: int, raw: str) -> Event:
    """A part of a call's arguments; the call is named set_valve and has the id a<index>."""
    return _delta(index, {"type": "input_json_delta", "partial_json": raw})


def start(index: int, block: Event) -> Event:
    """The start of a block."""
    return {"type": "content_block_start", "index": index, "content_block": block}


def x(index: int) -> Event:
    """The end of a block."""
    return {"type": "content_block_stop", "index": index}


def D(reason: str | None, **usage: Any) -> Event:  # noqa: N802  the notation of the cases
    """The message_delta that carries the stop reason."""
    return {
        "type": "message_delta",
        "delta": {"stop_reason": reason, "stop_sequence": None},
        "usage": usage,
    }


def ERR(kind: str, message: str = "scripted", **error: Any) -> Event:  # noqa: N802  the notation of the cases
    """An error in the stream."""
    return {"type": "error", "error": {"type": kind, "message": message, **error}}


def stream(*events: Event) -> Iterator[Event]:
    """Yield the events, with the starts that were left out."""
    opened: set[int] = set()
    for event in events:
        index = event.get("index")
        if event["type"] == "content_block_start":
            opened.add(event["index"])
        elif event["type"] == "content_block_delta" and index not in opened:
            opened.add(event["index"])
            yield start(event["index"], _opening(event["index"], event["delta"]["type"]))
        yield event


def take(growing: Growing, *events: Event) -> None:
    """Give a reply its events."""
    for event in stream(*events):
        growing.apply(event)


def grown(*events: Event) -> Growing:
    """Return what has grown from the events."""
    growing = Growing()
    take(growing, *events)
    return growing


def whole(*events: Event) -> Reply:
    """Return the reply that the events make."""
    growing = grown(*events)
    return growing.reply(request_id="req_1")


def shown(*events: Event) -> list[Delta]:
    """Return what the events show."""
    growing = Growing()
    return [delta for event in stream(*events) if (delta := growing.apply(event)) is not None]


def _delta(index: int, delta: Event) -> Event:
    return {"type": "content_block_delta", "index": index, "delta": delta}


def _opening(index: int, kind: str) -> Event:
    if kind == "text_delta":
        return {"type": "text", "text": ""}
    if kind == "input_json_delta":
        return {"type": "tool_use", "id": f"a{index}", "name": "set_valve", "input": {}}
    return {"type": "thinking", "thinking": "", "signature": ""}
