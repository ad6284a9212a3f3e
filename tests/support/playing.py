"""An answer played onto a connection, down to the bytes."""

import asyncio
import json
import socket
import struct
import zlib
from collections.abc import Callable, Iterator
from typing import Any

from chat.llm import binding
from chat.llm.intake import error_body, tokens
from chat.llm.script import Event, Script, mint
from chat.llm.wire import encode
from tests.support.answers import Answer

Request = tuple[str, str, dict[str, str], Any]
_PING = encode({"type": "ping"})
_HALF_AN_EVENT = b'event: content_block_delta\ndata: {"type": "content_bl\n\n'


class Connection:
    """One HTTP/1.1 connection of a client, kept alive between requests."""

    def __init__(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, released: asyncio.Event
    ) -> None:
        self._reader, self._writer, self._released = reader, writer, released
        self._ahead = b""
        self._write = 0
        self._packer: Any = None  # zlib's object, whose type has no name

    async def request(self) -> Request | None:
        """Return the next request, None when the client has closed."""
        try:
            head = self._ahead + await self._reader.readuntil(b"\r\n\r\n")
        except asyncio.IncompleteReadError:
            return None
        first, *lines = head.decode("latin-1").strip().split("\r\n")
        headers = {name.lower(): value for name, value in (line.split(": ", 1) for line in lines)}
        raw = await self._reader.readexactly(int(headers.get("content-length", 0)))
        method, path, _version = first.split(" ")
        self._ahead = b""
        return method, path, headers, json.loads(raw) if raw else None

    async def plain(
        self, status: int, body: object, *, headers: dict[str, str] | None = None
    ) -> bool:
        """Answer without a stream; True, as the connection goes on."""
        html = isinstance(body, str)
        data = body.encode() if isinstance(body, str) else json.dumps(body).encode()
        found = {
            "content-type": "text/html" if html else "application/json",
            "content-length": str(len(data)),
            **({} if html else {"request-id": mint("req")}),
            **(headers or {}),
        }
        await self._send(_head(status, found) + data)
        return True

    async def play(self, answer: Answer, *, body: dict[str, Any], left: Callable[[], None]) -> bool:
        """Answer as told; say whether the connection goes on. `left` is called when the client leaves before the end."""
        watching = asyncio.create_task(self._reader.read(1))
        playing = asyncio.create_task(self._play(answer, body))
        both = (watching, playing)
        try:
            await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
        finally:
            finished = playing.done()
            for task in both:
                task.cancel()
            ahead, goes_on = await asyncio.gather(*both, return_exceptions=True)
        self._ahead = ahead if isinstance(ahead, bytes) else b""
        if not finished or isinstance(goes_on, ConnectionError):
            left()
        elif isinstance(goes_on, BaseException):
            raise goes_on
        return goes_on is True

    async def _play(self, answer: Answer, body: dict[str, Any]) -> bool:
        await asyncio.sleep(answer.late)
        if answer.status is not None:
            return await self._refuse(answer, answer.status)
        self._write = answer.write or 0
        self._packer = zlib.compressobj(wbits=31) if answer.gzip else None
        await self._send(_head(200, _stream_headers(answer)))
        if answer.raw is not None:
            await self._part(answer.raw)
        elif not await self._stream(answer, body):
            return False
        await self._part(answer.then)
        if answer.unended:
            await asyncio.Event().wait()
        await self._send(b"0\r\n\r\n")
        return True

    async def _refuse(self, answer: Answer, status: int) -> bool:
        waits = {} if answer.retry_after is None else {"retry-after": str(answer.retry_after)}
        body: object = answer.html
        if body is None:
            body = error_body(answer.error, answer.prose, request_id=mint("req"), code=answer.code)
        return await self.plain(status, body, headers=waits | dict(answer.headers))

    async def _stream(self, answer: Answer, body: dict[str, Any]) -> bool:
        script = _script(answer, body)
        sent, broken = 0, False
        for event in script.events():
            kind = event["type"]
            if answer.fault and not broken and sent >= answer.after and _breaks_at(kind, answer):
                broken = True
                if not await self._break(answer.fault, script):
                    return answer.fault not in {"rst", "stall", "pings"}
            if kind == "content_block_delta":
                if sent == answer.hold_after:
                    await self._released.wait()
                await asyncio.sleep(answer.delay)
                sent += 1
            await self._part(encode(event))
        return True

    async def _break(self, fault: str, script: Script) -> bool:
        """Do what a fault does; say whether the script goes on after it."""
        if fault == "rst":
            self._reset()
        elif fault == "stall":
            await asyncio.Event().wait()
        elif fault == "pings":
            while True:
                await self._part(_PING)
                await asyncio.sleep(0.02)
        elif fault in {"cut", "unclosed"}:
            await self._part(encode(script.end("max_tokens" if fault == "cut" else script.reason)))
            await self._part(encode({"type": "message_stop"}))
        elif fault.startswith("error:"):
            error = error_body(fault.removeprefix("error:"), "scripted", request_id=mint("req"))
            await self._part(encode(error))
        elif fault != "eof":
            await self._part(_interruption(fault, script))
            return True
        return False

    def _reset(self) -> None:
        raw = self._writer.get_extra_info("socket")
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._writer.transport.abort()

    async def _part(self, data: bytes) -> None:
        if self._packer is not None:
            data = self._packer.compress(data) + self._packer.flush(zlib.Z_SYNC_FLUSH)
        if data:
            await self._send(b"%x\r\n%b\r\n" % (len(data), data))

    async def _send(self, data: bytes) -> None:
        size = self._write or len(data)
        for at in range(0, len(data), size):
            self._writer.write(data[at : at + size])
            await self._writer.drain()
            await asyncio.sleep(0)


def _breaks_at(kind: str, answer: Answer) -> bool:
    # Between the deltas, or before the end when there are none left.
    return answer.unstarted or kind in {"content_block_delta", "message_delta"}


def _interruption(fault: str, script: Script) -> bytes:
    if fault == "again":
        return encode(next(script.events()))
    if fault == "gap":
        block = {"type": "text", "text": ""}
        return encode({"type": "content_block_start", "index": 9, "content_block": block})
    if fault == "malformed":
        return _HALF_AN_EVENT
    raise ValueError(f"no such fault: {fault}")


def _stream_headers(answer: Answer) -> dict[str, str]:
    headers = {
        "content-type": "text/event-stream",
        "request-id": mint("req"),
        "transfer-encoding": "chunked",
        **({"content-encoding": "gzip"} if answer.gzip else {}),
    }
    return headers | dict(answer.headers)


def _head(status: int, headers: dict[str, str]) -> bytes:
    lines = [
        f"HTTP/1.1 {status} Scripted",
        *(f"{name}: {value}" for name, value in headers.items()),
    ]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


def _script(answer: Answer, body: dict[str, Any]) -> Script:
    return Script(
        blocks=list(_signed(answer, body)),
        model=body.get("model", "unknown"),
        message_id=mint("msg"),
        stop_reason=answer.stop,
        usage={"input_tokens": tokens(body), **answer.usage},
        raw=answer.raw_input,
        size=answer.chunk,
    )


def _signed(answer: Answer, body: dict[str, Any]) -> Iterator[dict[str, Any]]:
    before: list[dict[str, Any]] = []
    for block in answer.blocks:
        value: Event = dict(block)
        if value["type"] == "thinking" and "signature" not in value:
            value["signature"] = binding.sign(body, before=before)
        before.append(value)
        yield value
