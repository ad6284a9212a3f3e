"""The cheap way to the API reads, writes, waits and fails as the stack's own does."""

import asyncio
import datetime as dt
import socket
import ssl
import struct
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import httpx2
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from chat.llm import claude
from chat.llm.transport import Transport

Handler = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
OK = b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n"


@asynccontextmanager
async def serving(handler: Handler, *, context: ssl.SSLContext | None = None) -> AsyncIterator[str]:
    """Serve each connection by `handler`, which is given up when the block ends."""
    tasks: set[asyncio.Task[None]] = set()

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        tasks.add(task)
        try:
            await handler(reader, writer)
        except (asyncio.CancelledError, ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.transport.abort()

    server = await asyncio.start_server(connected, "127.0.0.1", 0, ssl=context)
    yield f"{'https' if context else 'http'}://localhost:{server.sockets[0].getsockname()[1]}"
    server.close()
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks)


def client(*, context: ssl.SSLContext | None = None, read: float | None = 5) -> httpx2.AsyncClient:
    timeout = httpx2.Timeout(5, read=read)
    return httpx2.AsyncClient(transport=Transport(ssl_context=context), timeout=timeout)


async def answer_for_ever(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while True:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(OK + b"hello")


async def stall(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await reader.readuntil(b"\r\n\r\n")
    writer.write(OK + b"he")
    await asyncio.Event().wait()


class TestTransport:
    async def test_keeps_a_connection_for_the_next_request(self) -> None:
        connections: list[object] = []

        async def counted(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            connections.append(writer)
            await answer_for_ever(reader, writer)

        async with serving(counted) as url, client() as asking:
            answers = [(await asking.get(url)).text for _ in range(3)]

        assert answers == ["hello"] * 3
        assert len(connections) == 1

    async def test_opens_a_new_connection_when_the_old_one_was_closed(self) -> None:
        closed = asyncio.Event()

        async def once(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(OK + b"hello")
            await writer.drain()
            writer.close()
            await writer.wait_closed()
            closed.set()

        async with serving(once) as url, client() as asking:
            first = await asking.get(url)
            await closed.wait()
            await asyncio.sleep(0.01)  # the end travels to the client
            second = await asking.get(url)

        assert first.text == second.text == "hello"

    async def test_waits_only_so_long_for_bytes(self) -> None:
        async with serving(stall) as url, client(read=0.05) as asking:
            with pytest.raises(httpx2.ReadTimeout):
                await asking.get(url)

    async def test_begins_to_wait_anew_with_every_byte(self) -> None:
        async def drip(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.readuntil(b"\r\n\r\n")
            for byte in OK + b"hello":
                writer.write(bytes([byte]))
                await asyncio.sleep(0.02)
            await asyncio.Event().wait()

        async with serving(drip) as url, client(read=0.5) as asking:
            assert (await asking.get(url)).text == "hello"

    async def test_does_not_count_the_time_between_two_requests(self) -> None:
        async with serving(answer_for_ever) as url, client(read=0.1) as asking:
            await asking.get(url)
            await asyncio.sleep(0.15)

            assert (await asking.get(url)).text == "hello"

    async def test_waits_for_ever_when_told(self) -> None:
        async with serving(answer_for_ever) as url, client(read=None) as asking:
            assert (await asking.get(url)).text == "hello"

    async def test_says_that_a_connection_was_reset(self) -> None:
        received = asyncio.Event()

        async def reset(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(OK + b"he")
            await received.wait()
            without_farewell = struct.pack("ii", 1, 0)
            raw = writer.get_extra_info("socket")
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, without_farewell)

        async with serving(reset) as url, client() as asking, asking.stream("GET", url) as answer:
            parts = answer.aiter_raw()
            assert await anext(parts) == b"he"
            received.set()

            with pytest.raises(httpx2.ReadError):
                await anext(parts)

    async def test_waits_only_so_long_for_somebody_to_listen(self) -> None:
        async def deaf(_reader: asyncio.StreamReader, _writer: asyncio.StreamWriter) -> None:
            await asyncio.Event().wait()

        async with serving(deaf) as url, client() as asking:
            with pytest.raises(httpx2.WriteTimeout):
                await asking.post(
                    url, content=b"x" * 50_000_000, timeout=httpx2.Timeout(5, write=0.1)
                )

    async def test_says_that_a_body_ended_early(self) -> None:
        async def short(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(OK + b"he")
            await writer.drain()
            writer.close()
            await writer.wait_closed()

        async with serving(short) as url, client() as asking:
            with pytest.raises(httpx2.RemoteProtocolError):
                await asking.get(url)

    async def test_says_that_nobody_listens(self) -> None:
        async with client() as asking:
            with pytest.raises(httpx2.ConnectError):
                await asking.get("http://127.0.0.1:1")
            with pytest.raises(httpx2.UnsupportedProtocol):
                await asking.get("ftp://127.0.0.1")

    async def test_sends_a_body_larger_than_any_buffer(self) -> None:
        sizes: list[int] = []

        async def slow(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.readuntil(b"\r\n\r\n")
            sizes.append(len(await reader.readexactly(5_000_000)))
            writer.write(OK + b"hello")
            await writer.drain()

        async with serving(slow) as url, client() as asking:
            assert (await asking.post(url, content=b"x" * 5_000_000)).text == "hello"

        assert sizes == [5_000_000]


class TestTls:
    @pytest.fixture
    def contexts(self, tmp_path: Path) -> tuple[ssl.SSLContext, ssl.SSLContext]:
        key, certificate = _self_signed()
        pem = tmp_path / "both.pem"
        pem.write_bytes(key + certificate)
        server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        server.load_cert_chain(pem)
        return server, ssl.create_default_context(cadata=certificate.decode())

    async def test_speaks_to_who_the_certificate_names(
        self, contexts: tuple[ssl.SSLContext, ssl.SSLContext]
    ) -> None:
        server, trusting = contexts

        async with (
            serving(answer_for_ever, context=server) as url,
            client(context=trusting) as asking,
        ):
            assert [(await asking.get(url)).text for _ in range(2)] == ["hello"] * 2
            with pytest.raises(httpx2.ConnectError):
                await asking.get(url.replace("localhost", "127.0.0.1"))

    async def test_speaks_to_nobody_else(
        self, contexts: tuple[ssl.SSLContext, ssl.SSLContext]
    ) -> None:
        server, _ = contexts

        async with serving(answer_for_ever, context=server) as url, client() as asking:
            with pytest.raises(httpx2.ConnectError):
                await asking.get(url)

    async def test_waits_only_so_long_for_bytes(
        self, contexts: tuple[ssl.SSLContext, ssl.SSLContext]
    ) -> None:
        server, trusting = contexts

        async with (
            serving(stall, context=server) as url,
            client(context=trusting, read=0.1) as asking,
        ):
            with pytest.raises(httpx2.ReadTimeout):
                await asking.get(url)


class TestBuild:
    async def test_leaves_proxies_to_the_stack(self, monkeypatch: pytest.MonkeyPatch) -> None:
        async def proxy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            asked.append(await reader.readuntil(b"\r\n"))
            writer.write(b"HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\n\r\n")
            await writer.drain()

        asked: list[bytes] = []
        async with serving(proxy) as url:
            monkeypatch.setenv("HTTP_PROXY", url)
            model = claude.build(api_key="key", base_url="http://api.invalid")
            await model.models()
            await model.aclose()

        assert asked[0].startswith(b"GET http://api.invalid/v1/models")


def _self_signed() -> tuple[bytes, bytes]:
    """Return the key and the certificate of a server called localhost, in PEM."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    now = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now)
        .not_valid_after(now + dt.timedelta(days=36_500))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .sign(key, hashes.SHA256())
    )
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    return private, certificate.public_bytes(serialization.Encoding.PEM)
