"""A reply as a fold over its events: pure, no socket, no provider.

Success needs message_stop and a stop_reason; everything else is a fault that says so by name.
"""

from typing import Any

from chat.llm.base import Delta, Reply
from chat.llm.blocks import Block, kept
from chat.llm.wire import Malformed

_LEGAL_TAIL = frozenset({"pause_turn", "tool_use"})
"""Reasons after which a server tool's call may stand without its result."""


class UpstreamError(Exception):
    """An `error` event in a stream. `type` and `code` are the API's keys, `prose` its words: for no person, no log."""

    def __init__(self, error: dict[str, Any]) -> None:
        super().__init__("the upstream reported an error")
        details = error.get("details")
        self.type: object = error.get("type")
        self.code: object = details.get("error_code") if isinstance(details, dict) else None
        self.prose = str(error.get("message") or "")


class Growing:
    """The reply so far. Give `apply` every event in order."""

    __slots__ = ("_blocks", "_open", "_started", "complete", "model", "stop_reason", "usage")

    def __init__(self) -> None:
        self.complete = False
        self.stop_reason: str | None = None
        self.model: str | None = None
        self.usage: dict[str, int] = {}
        self._started = False
        self._blocks: list[Block] = []
        self._open: dict[int, Block] = {}

    def apply(self, event: dict[str, Any]) -> Delta | None:
        """Take one event; return what it adds to the visible text. Raises Malformed or UpstreamError."""
        try:
            if event["type"] == "content_block_delta":
                return self._grow(event["delta"], self._open[event["index"]])
            return self._turn(event)
        except (KeyError, TypeError, AttributeError, IndexError):
            raise Malformed("an event with missing or misplaced parts") from None

    def reply(self, *, request_id: str | None) -> Reply:
        """Return the reply once `complete`."""
        if not self.complete or self.stop_reason is None:
            raise Malformed("a stream that ended before its message did")
        tail = self.stop_reason in _LEGAL_TAIL
        return Reply(
            content=kept(self._blocks, cut=False, open_server_calls=tail),
            stop_reason=self.stop_reason,
            usage=dict(self.usage),
            unreadable={b.value["id"]: b.unreadable for b in self._blocks if b.unreadable},
            request_id=request_id,
        )

    def partial(self) -> list[dict[str, Any]]:
        """Return what may be kept of a reply that was cut short."""
        return kept(self._blocks, cut=True, open_server_calls=False)

    def _grow(self, delta: dict[str, Any], block: Block) -> Delta | None:
        kind = delta["type"]
        if kind == "text_delta":
            return block.say(delta["text"])
        if kind == "thinking_delta":
            return block.think(delta["thinking"])
        if kind == "input_json_delta":
            block.argue(delta["partial_json"])
        else:
            block.put(delta)
        return None

    def _turn(self, event: dict[str, Any]) -> Delta | None:
        match event["type"]:
            case "content_block_start":
                return self._start_block(event)
            case "content_block_stop":
                return self._open.pop(event["index"]).close()
            case "message_start":
                self._start(event["message"])
            case "message_delta":
                self._end(event)
            case "message_stop":
                self._stop()
            case "error":
                raise UpstreamError(event["error"])
        return None  # ping, and whatever later versions of the API add

    def _start(self, message: dict[str, Any]) -> None:
        if self._started:
            raise Malformed("a second message in one stream")
        self._started = True
        self.model = message.get("model")
        self._count(message.get("usage"))

    def _start_block(self, event: dict[str, Any]) -> Delta | None:
        if not self._started or event["index"] != len(self._blocks):
            raise Malformed("a block out of place")
        block = Block(dict(event["content_block"]))
        shown = block.first()
        self._blocks.append(block)
        self._open[event["index"]] = block
        return shown

    def _end(self, event: dict[str, Any]) -> None:
        if not self._started:
            raise Malformed("an end without a start")
        self._count(event.get("usage"))
        reason = event["delta"].get("stop_reason")
        if isinstance(reason, str):
            self.stop_reason = reason

    def _stop(self) -> None:
        if not self._started or self.stop_reason is None:
            raise Malformed("a message that stopped without a reason")
        if self.stop_reason == "tool_use" and any(
            b.type == "tool_use" for b in self._open.values()
        ):
            raise Malformed("a call that was never closed")
        self.complete = True

    def _count(self, usage: dict[str, Any] | None) -> None:
        if not usage:
            return
        # Cumulative: a later number replaces an earlier one, a missing one leaves it.
        self.usage.update({key: n for key, n in usage.items() if type(n) is int})
        details = usage.get("output_tokens_details") or {}
        if type(details.get("thinking_tokens")) is int:
            self.usage["thinking_tokens"] = details["thinking_tokens"]
