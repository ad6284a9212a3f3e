"""One attempt at one request: the body of a response, read once, with a patience for each way of saying nothing."""

import asyncio
import contextlib
import logging
import re
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import httpx2

from chat.llm.base import Delta, Reply
from chat.llm.failures import Fault, NotTheApi
from chat.llm.growing import Growing
from chat.llm.wire import Events

log = logging.getLogger("chat.llm")
_REQUEST_ID = re.compile(r"[A-Za-z0-9_-]{1,128}")
_LAST_BYTES = 0.5
"""Seconds for the end of a body whose message is complete; with it the connection can be used again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """How long a stream is waited for, in seconds. There is no limit on the whole: a long answer is no fault.

    `first`: from sending to the first event that is no ping. `silence`: without a byte. `idle`: with nothing but
    pings; the API may hold back a tool's arguments until one is whole, so this is minutes.
    """

    connect: float = 10
    first: float = 300
    silence: float = 180
    idle: float = 600


Send = Callable[[], Awaitable[httpx2.Response]]


class Explain(Protocol):
    """Names the fault behind an error; `begun` says that the response had started."""

    def __call__(self, error: Exception, *, begun: bool) -> Fault: ...


class Attempt:
    """A base.Stream. `send` opens the response, `explain` names a fault; `faults` are the errors that are faults."""

    def __init__(
        self,
        *,
        send: Send,
        explain: Explain,
        faults: tuple[type[Exception], ...],
        patience: Patience,
    ) -> None:
        self.reply: Reply | None = None
        self._send, self._explain, self._faults, self._patience = send, explain, faults, patience
        self._events, self._growing = Events(), Growing()
        self._heard_at, self._limit = 0.0, patience.first
        self._request_id: str | None = None
        self._running: AsyncGenerator[Delta, None] | None = None
        self._response: httpx2.Response | None = None

    @property
    def usage(self) -> dict[str, int]:
        """The tokens counted so far; they are billed whether or not the reply is completed."""
        return self._growing.usage

    def __aiter__(self) -> AsyncGenerator[Delta, None]:
        if self._running is None:
            self._running = self._run()
        return self._running

    def partial(self) -> list[dict[str, Any]]:
        """Return what may be kept if the reply is cut short now."""
        return self._growing.partial()

    async def aclose(self) -> None:
        """End the connection. Idempotent; a reader in another task gets ModelFailed."""
        await self._hang_up()
        if self._running is not None:
            with contextlib.suppress(
                RuntimeError
            ):  # another task is reading, and fails by itself now
                await self._running.aclose()

    async def _run(self) -> AsyncGenerator[Delta, None]:
        fault: Fault | None = None
        try:
            async with contextlib.aclosing(await self._open()) as chunks:
                async for chunk in chunks:
                    for delta in self._take(chunk):
                        yield delta
                    if self._growing.complete:
                        break
                self.reply = self._growing.reply(request_id=self._request_id)
                await _drain(chunks)
        except self._faults as error:
            fault = self._explain(error, begun=self._response is not None)
        finally:
            await self._hang_up()
        self._log(fault)
        # Raised out here, so that the upstream's own error, with the request inside it, is not carried along.
        if fault is not None:
            raise fault.failure(request_id=self._request_id)

    async def _open(self) -> AsyncGenerator[bytes, None]:
        self._heard_at, self._limit = time.monotonic(), self._patience.first
        async with asyncio.timeout(self._patience.first):
            self._response = await self._send()
        headers = self._response.headers
        self._request_id = known_id(headers.get("request-id"))
        if not headers.get("content-type", "").startswith("text/event-stream"):
            raise NotTheApi
        decoded = "content-encoding" in headers or self._response.is_stream_consumed
        return self._response.aiter_bytes() if decoded else self._response.aiter_raw()

    def _take(self, chunk: bytes) -> Iterator[Delta]:
        heard = False
        for event in self._events.feed(chunk):
            delta = self._growing.apply(event)
            if delta is not None:
                heard = True
                yield delta
            elif event["type"] != "ping":
                heard = True
                if self._growing.complete:
                    return
        now = time.monotonic()
        if heard:
            self._heard_at, self._limit = now, self._patience.idle
        elif now - self._heard_at > self._limit:
            raise TimeoutError

    async def _hang_up(self) -> None:
        if self._response is not None:
            await self._response.aclose()

    def _log(self, fault: Fault | None) -> None:
        if fault is not None:
            log.warning(
                "model request failed: kind=%s code=%s status=%s request_id=%s detail=%s",
                fault.cause.kind, fault.cause.code, fault.status, fault.request_id or self._request_id, fault.detail,
            )  # fmt: skip
        else:
            assert self.reply is not None
            log.info(
                "model request done: stop_reason=%s request_id=%s usage=%s",
                self.reply.stop_reason, self._request_id, self.reply.usage,
            )  # fmt: skip


def known_id(text: str | None) -> str | None:
    """Return a request id that may stand in a log line; whatever else a proxy sends in that header is dropped."""
    return text if text and _REQUEST_ID.fullmatch(text) else None


async def _drain(chunks: AsyncGenerator[bytes, None]) -> None:
    with contextlib.suppress(TimeoutError, httpx2.HTTPError, httpx2.StreamError):
        async with asyncio.timeout(_LAST_BYTES):
            async for _ in chunks:
                pass
