"""A model that says what a test has written down, in this process and without a wire.

Every request is judged as the API would judge it (`history.messages.check`, thinking's binding to what stands before
it included) and kept, so that a test can prove what was sent.
"""

import asyncio
import copy
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from chat.llm import binding
from chat.llm.base import Delta, FailureKind, ModelFailed, Reply, Request
from history.messages import check

Block = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """One answer. `blocks` as they would be stored; a thinking block without a signature gets one for its request.

    After `hold` deltas it waits for ever, until somebody cancels it. `failure` is raised at the end in place of a
    reply. `fault` is raised as it is: a fault of ours.
    """

    blocks: Sequence[Block] = ()
    stop: str | None = None
    usage: Mapping[str, int] = field(default_factory=lambda: {"output_tokens": 7})
    chunk: int = 4
    hold: int | None = None
    failure: ModelFailed | None = None
    fault: Exception | None = None
    unreadable: Mapping[str, str] = field(default_factory=dict)

    @property
    def reason(self) -> str:
        used = any(block["type"] == "tool_use" for block in self.blocks)
        return self.stop or ("tool_use" if used else "end_turn")


def says(words: str, **options: Any) -> Said:
    """Return an answer of one text block."""
    return Said(blocks=[{"type": "text", "text": words}], **options)


def calls(*blocks: Block, before: str = "", **options: Any) -> Said:
    """Return an answer that calls tools, after the text in `before`."""
    spoken = [{"type": "text", "text": before}] if before else []
    return Said(blocks=[*spoken, *blocks], **options)


def fails(
    kind: FailureKind, *, blocks: Sequence[Block] = (), retry_after: float | None = None
) -> Said:
    """Return a failed attempt, after it has shown `blocks`."""
    failure = ModelFailed("It did not work.", kind=kind, code=kind, retry_after=retry_after)
    return Said(blocks=blocks, failure=failure)


class ScriptedModel:
    """Answers from `queue`, then with "ok". `requests` are as they came; `held` is set while an answer waits for `released`."""

    def __init__(self) -> None:
        self.queue: list[Said] = []
        self.requests: list[Request] = []
        self.streams: list[ScriptedStream] = []
        self.held = asyncio.Event()
        self.released = asyncio.Event()

    def stream(self, request: Request) -> "ScriptedStream":
        broken = check(request.messages)
        assert broken == [], f"the API would refuse this request: {broken}"
        assert binding.unbound(body_of(request)) is None
        self.requests.append(copy.deepcopy(request))
        said = self.queue.pop(0) if self.queue else says("ok")
        stream = ScriptedStream(said, request, held=self.held, released=self.released)
        self.streams.append(stream)
        return stream

    @property
    def bodies(self) -> list[dict[str, Any]]:
        return [body_of(request) for request in self.requests]


class ScriptedStream:
    """One attempt; see `chat.llm.base.Stream`."""

    def __init__(
        self, said: Said, request: Request, *, held: asyncio.Event, released: asyncio.Event
    ) -> None:
        self.reply: Reply | None = None
        self.usage: dict[str, int] = {}
        self.closed = 0
        self._said, self._request, self._held, self._released = said, request, held, released
        self._closed_blocks: list[Block] = []
        self._open_text = ""

    async def __aiter__(self) -> AsyncIterator[Delta]:
        self.usage = dict(self._said.usage)
        sent = 0
        for block in self._signed():
            for delta in _deltas(block, chunk=self._said.chunk):
                if sent == self._said.hold:
                    self._held.set()
                    await self._released.wait()
                if delta.kind == "text":
                    self._open_text += delta.text
                yield delta
                sent += 1
            self._closed_blocks.append(block)
            self._open_text = ""
        if self._said.hold is not None:
            self._held.set()
            await self._released.wait()
        self._end()

    def _end(self) -> None:
        if self._said.fault is not None:
            raise self._said.fault
        if self._said.failure is not None:
            raise self._said.failure
        self.reply = Reply(
            content=self._closed_blocks,
            stop_reason=self._said.reason,
            usage=self.usage,
            unreadable=dict(self._said.unreadable),
            request_id="req_1",
        )

    def _signed(self) -> list[Block]:
        signed: list[Block] = []
        for block in copy.deepcopy(list(self._said.blocks)):
            if block["type"] == "thinking" and "signature" not in block:
                block["signature"] = binding.sign(body_of(self._request), before=signed)
            signed.append(block)
        return signed

    def partial(self) -> list[Block]:
        text = [{"type": "text", "text": self._open_text}] if self._open_text else []
        return [*self._closed_blocks, *text]

    async def aclose(self) -> None:
        self.closed += 1


def body_of(request: Request) -> dict[str, Any]:
    """Return what of a request later requests must repeat."""
    return {
        "system": request.system,
        "tools": list(request.tools),
        "messages": list(request.messages),
    }


def is_prefix(earlier: Mapping[str, Any], later: Mapping[str, Any]) -> bool:
    """Say whether `later` is `earlier` with messages after it: what keeps thinking bound and the cache warm.

    A last message of the person's may have grown by further blocks: neighbours are merged.
    """
    if (earlier["system"], earlier["tools"]) != (later["system"], later["tools"]):
        return False
    *whole, last = earlier["messages"]
    grown = later["messages"][len(whole)]
    said = {**grown, "content": grown["content"][: len(last["content"])]}
    begun: list[Any] = [*later["messages"][: len(whole)], said]
    return begun == list(earlier["messages"])


def _deltas(block: Block, *, chunk: int) -> list[Delta]:
    if block["type"] == "text":
        return [Delta("text", part) for part in _parts(block["text"], chunk)]
    if block["type"] == "thinking":
        return [Delta("thinking", part) for part in _parts(block["thinking"], chunk)]
    return []


def _parts(text: str, chunk: int) -> list[str]:
    return [text[at : at + chunk] for at in range(0, len(text), chunk)]
