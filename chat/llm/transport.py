"""The way to the API in the stack's own words, with a cheap read: a stream of deltas is mostly reads.

The usual network backend enters and leaves a cancel scope with a timer for each read, which is half of the CPU time of
a delta. This one reads from an asyncio stream and keeps one timer per connection, moved only when it fires. Pooling,
HTTP and TLS settings are the stack's. Proxies are not spoken: with one configured, the SDK's own transport is used.
"""

# ruff: noqa: ASYNC109  the signatures with a timeout are httpcore2's

import asyncio
import contextlib
import socket
import ssl
from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator
from typing import Any, Protocol, cast

import httpcore2
import httpx2

MAX_CONNECTIONS = 1000
MAX_IDLE = 100
IDLE_SECONDS = 30.0
_EYEBALLS = 0.25
"""Seconds before the next address of a host is tried beside one that does not answer."""
_Option = tuple[int, int, int] | tuple[int, int, bytes | bytearray] | tuple[int, int, None, int]


class Transport(httpx2.AsyncBaseTransport):
    """Sends requests over a pool of connections of its own."""

    def __init__(self, *, ssl_context: ssl.SSLContext | None = None) -> None:
        self._pool = httpcore2.AsyncConnectionPool(
            ssl_context=ssl_context or httpx2.create_ssl_context(),
            max_connections=MAX_CONNECTIONS,
            max_keepalive_connections=MAX_IDLE,
            keepalive_expiry=IDLE_SECONDS,
            network_backend=_Backend(),
            socket_options=[(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)],
        )

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send one request; errors are httpx2's."""
        url = request.url
        assert isinstance(request.stream, httpx2.AsyncByteStream)
        asked = httpcore2.Request(
            method=request.method,
            url=httpcore2.URL(
                scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path
            ),
            headers=request.headers.raw,
            content=request.stream,
            extensions=request.extensions,
        )
        with _as_httpx2():
            answer = await self._pool.handle_async_request(asked)
        return httpx2.Response(
            answer.status,
            headers=answer.headers,
            stream=_Body(cast(_Closable, answer.stream)),
            extensions=answer.extensions,
        )

    async def aclose(self) -> None:
        """Close every connection."""
        await self._pool.aclose()


class _Closable(AsyncIterable[bytes], Protocol):
    async def aclose(self) -> None: ...


class _Body(httpx2.AsyncByteStream):
    def __init__(self, stream: _Closable) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        with _as_httpx2():
            async for part in self._stream:
                yield part

    async def aclose(self) -> None:
        await self._stream.aclose()


class _Backend(httpcore2.AsyncNetworkBackend):
    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[_Option] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        with _translated(httpcore2.ConnectTimeout, httpcore2.ConnectError):
            async with asyncio.timeout(timeout):
                reader, writer = await asyncio.open_connection(
                    host, port, happy_eyeballs_delay=_EYEBALLS
                )
        raw = writer.get_extra_info("socket")
        for option in socket_options or ():
            raw.setsockopt(*option)
        return _Connection(reader, writer)


class _Connection(httpcore2.AsyncNetworkStream):
    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer
        self._loop = asyncio.get_running_loop()
        self._deadline: float | None = None
        self._timer: asyncio.TimerHandle | None = None

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        if timeout is not None:
            self._deadline = self._loop.time() + timeout
            if self._timer is None:
                self._timer = self._loop.call_at(self._deadline, self._look)
        try:
            return await self._reader.read(max_bytes)
        except TimeoutError:
            raise httpcore2.ReadTimeout from None
        except OSError:
            raise httpcore2.ReadError from None
        finally:
            self._deadline = None

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        with _translated(httpcore2.WriteTimeout, httpcore2.WriteError):
            self._writer.write(buffer)
            async with asyncio.timeout(timeout):
                await self._writer.drain()

    async def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        with _translated(httpcore2.ConnectTimeout, httpcore2.ConnectError):
            async with asyncio.timeout(timeout):
                await self._writer.start_tls(ssl_context, server_hostname=server_hostname)
        return self

    async def aclose(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._writer.transport.abort()
        await asyncio.sleep(0)  # the loop lets go of the socket in its next round

    def get_extra_info(self, info: str) -> Any:
        if (
            info == "is_readable"
        ):  # asked of an idle connection: then it is the end, or what nobody asked for
            return self._reader.at_eof() or self._writer.transport.is_closing()
        return self._writer.get_extra_info(info)

    def _look(self) -> None:
        self._timer = None
        if self._deadline is None:
            return
        if self._loop.time() < self._deadline:
            self._timer = self._loop.call_at(self._deadline, self._look)
        else:
            self._reader.set_exception(TimeoutError())


@contextlib.contextmanager
def _translated(late: type[Exception], broken: type[Exception]) -> Iterator[None]:
    try:
        yield
    except TimeoutError as error:
        raise late from error
    except OSError as error:
        raise broken(str(error)) from error


@contextlib.contextmanager
def _as_httpx2() -> Iterator[None]:
    try:
        yield
    except (
        httpcore2.TimeoutException,
        httpcore2.NetworkError,
        httpcore2.ProtocolError,
        httpcore2.UnsupportedProtocol,
    ) as error:
        # Both packages give their errors the same names.
        known: type[httpx2.TransportError] = getattr(httpx2, type(error).__name__)
        raise known(str(error)) from error
