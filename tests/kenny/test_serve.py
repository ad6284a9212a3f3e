"""The server itself, around an application of a few lines (tests/kenny/tiny.py), through real sockets."""

import asyncio
import contextlib
import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from email.utils import parsedate_to_datetime
from typing import Self

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from tests.support.server import ROOT, free_port, resident

MIB = 1024 * 1024


class Tiny:
    """The process of tests/kenny/tiny.py."""

    def __init__(self, *, stall: float = 30, body: int = MIB) -> None:
        self.port = free_port()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.kenny.tiny", str(self.port), str(stall)],
            cwd=ROOT, env={**os.environ, "KENNY_MAX_BODY": str(body)}, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        self.until("listening")

    def until(self, words: str) -> str:
        """Read what the process says up to a line with these words."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if words in line:
                return line
        raise AssertionError(f"the process ended without saying {words!r}")

    def stop(self) -> str:
        """Send SIGTERM and return everything it still said."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.communicate(timeout=30)[0]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.communicate()

    def address(self, path: str) -> str:
        return f"ws://127.0.0.1:{self.port}{path}"

    def post(self, body: bytes | Iterator[bytes], **headers: str) -> tuple[int, bytes]:
        status, content, _ = self.answer(body, **headers)
        return status, content

    def answer(
        self, body: bytes | Iterator[bytes], **headers: str
    ) -> tuple[int, bytes, http.client.HTTPMessage]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        with contextlib.closing(connection):
            sent = {name.replace("_", "-"): value for name, value in headers.items()}
            connection.request("POST", "/", body, sent, encode_chunked=not isinstance(body, bytes))
            answer = connection.getresponse()
            return answer.status, answer.read(), answer.headers


@pytest.fixture(scope="module")
def tiny() -> Iterator[Tiny]:
    with Tiny() as process:
        yield process


@pytest.fixture
def fresh() -> Iterator[Callable[..., Tiny]]:
    with contextlib.ExitStack() as stack:
        yield lambda **options: stack.enter_context(Tiny(**options))


def stalled(port: int, request: bytes) -> socket.socket:
    """Return a connection that has sent a request and reads nothing."""
    client = socket.socket()
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    client.connect(("127.0.0.1", port))
    client.sendall(request)
    return client


PLAIN = b"GET /flood HTTP/1.1\r\nHost: x\r\n\r\n"
UPGRADE = (
    b"GET /flood HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
)


class TestBackPressure:
    @pytest.mark.parametrize("request_bytes", [PLAIN, UPGRADE], ids=["http", "websocket"])
    def test_a_client_that_does_not_read_costs_no_memory_and_is_dropped(
        self, fresh: Callable[..., Tiny], request_bytes: bytes
    ) -> None:
        tiny = fresh(stall=2)
        before = resident(tiny.process.pid)
        started = time.monotonic()

        with stalled(tiny.port, request_bytes) as client:
            dropped = _closed_by_peer(client, within=15)

        assert dropped
        assert 1.5 < time.monotonic() - started < 10
        assert resident(tiny.process.pid) - before < 20 * MIB

    def test_a_client_that_reads_gets_all_200_mib_over_http(
        self, fresh: Callable[..., Tiny]
    ) -> None:
        tiny = fresh()
        before = resident(tiny.process.pid)
        connection = http.client.HTTPConnection("127.0.0.1", tiny.port, timeout=60)

        with contextlib.closing(connection):
            connection.request("GET", "/flood")
            answer = connection.getresponse()
            size = sum(len(piece) for piece in iter(lambda: answer.read(MIB), b""))
            connection.request("GET", "/")
            again = connection.getresponse().status

        assert size == 200 * MIB + 1
        assert again == 200, "the connection can be used for a next request"
        assert resident(tiny.process.pid) - before < 20 * MIB

    async def test_a_client_that_reads_gets_all_200_mib_over_a_socket(
        self, fresh: Callable[..., Tiny]
    ) -> None:
        tiny = fresh()
        size = 0

        async with connect(tiny.address("/flood"), compression=None, max_queue=4) as client:
            while size < 200 * MIB:
                size += len(await client.recv())

        assert size == 200 * MIB
        assert resident(tiny.process.pid) < 250 * MIB


def _closed_by_peer(client: socket.socket, *, within: float) -> bool:
    """Wait, without reading what was sent, until the peer resets the connection."""
    end = time.monotonic() + within
    while time.monotonic() < end:
        if client.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR):
            return True
        with contextlib.suppress(OSError):
            client.settimeout(0.05)
            client.send(b"")
        if _state(client) in {7, 8}:  # CLOSE, CLOSE_WAIT
            return True
        time.sleep(0.05)  # there is no event for this: reading would end the stall
    return False


def _state(client: socket.socket) -> int:
    return client.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 1)[0]


class TestBodies:
    def test_one_below_the_limit_arrives_whole(self, tiny: Tiny) -> None:
        status, body = tiny.post(b"a" * MIB)

        assert (status, json.loads(body)["size"]) == (200, MIB)

    def test_one_above_the_limit_is_refused_in_the_apis_shape(self, tiny: Tiny) -> None:
        status, body = tiny.post(b"a" * (MIB + 1))

        assert status == 413
        error = json.loads(body)["error"]
        assert (error["code"], error["limit"]) == ("too_large", MIB)

    def test_one_without_a_length_is_refused_once_it_is_too_large(self, tiny: Tiny) -> None:
        status, body = tiny.post(iter([b"a" * 65536] * 20), transfer_encoding="chunked")

        assert (status, json.loads(body)["error"]["code"]) == (413, "too_large")

    def test_a_refused_one_is_never_held_in_memory(self, fresh: Callable[..., Tiny]) -> None:
        tiny = fresh()
        before = resident(tiny.process.pid)

        status, _ = tiny.post(b"a" * (100 * MIB))

        assert status == 413
        assert resident(tiny.process.pid) - before < 10 * MIB

    def test_the_root_path_is_not_the_clients_to_choose(self, tiny: Tiny) -> None:
        _, body = tiny.post(b"", daphne_root_path="/evil")

        assert json.loads(body)["root_path"] == ""

    @pytest.mark.parametrize("size", [0, 2 * MIB], ids=["taken", "refused"])
    def test_an_answer_says_when_it_was_given(self, tiny: Tiny, size: int) -> None:
        before = int(time.time())
        _, _, headers = tiny.answer(b"a" * size)

        [date] = headers.get_all("date") or []
        assert before <= parsedate_to_datetime(date).timestamp() <= time.time()

    def test_an_answer_that_fails_half_way_does_not_look_whole(self, tiny: Tiny) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", tiny.port, timeout=30)
        connection.request("GET", "/late")

        with (
            contextlib.closing(connection),
            pytest.raises((http.client.IncompleteRead, ConnectionError)),
        ):
            connection.getresponse().read()


class TestSockets:
    async def test_a_frame_beyond_1_mib_closes_the_socket(self, tiny: Tiny) -> None:
        async with connect(tiny.address("/"), compression=None) as client:
            await client.send("a" * (MIB + 1))

            with pytest.raises(ConnectionClosed):
                await client.recv()

    async def test_a_small_frame_that_inflates_beyond_1_mib_closes_the_socket(
        self, tiny: Tiny
    ) -> None:
        async with connect(tiny.address("/"), compression="deflate") as client:
            await client.send("a" * (50 * MIB))

            with pytest.raises(ConnectionClosed):
                await client.recv()

    async def test_long_messages_are_compressed_and_short_ones_are_not(self, tiny: Tiny) -> None:
        async with connect(tiny.address("/"), compression="deflate") as client:
            assert client.response is not None
            assert "permessage-deflate" in client.response.headers["Sec-WebSocket-Extensions"]
            for text in ("short", "long " * 10_000):
                await client.send(text)

                assert await client.recv() == text

    async def test_a_client_without_compression_is_served_as_well(self, tiny: Tiny) -> None:
        async with connect(tiny.address("/"), compression=None) as client:
            await client.send("long " * 10_000)

            assert len(await client.recv()) == 50_000


class TestDrain:
    async def test_open_sockets_are_told_to_come_back_and_the_application_hears_of_it(
        self, fresh: Callable[..., Tiny]
    ) -> None:
        tiny = fresh()
        clients = [await connect(tiny.address("/")) for _ in range(20)]

        tiny.process.send_signal(signal.SIGTERM)
        codes = await asyncio.gather(*(_close_code(client) for client in clients))
        said = tiny.process.communicate(timeout=20)[0]

        assert codes == [4012] * 20
        assert said.count("disconnect 4012") == 20
        assert said.index("end") < said.index("disconnect")
        assert tiny.process.returncode == 0

    def test_a_handshake_in_the_last_second_does_not_break_it(
        self, fresh: Callable[..., Tiny]
    ) -> None:
        tiny = fresh()

        with stalled(tiny.port, UPGRADE.replace(b"/flood", b"/")) as client:
            client.recv(12)
            said = tiny.stop()

        assert "end" in said
        assert tiny.process.returncode == 0

    def test_an_idle_server_is_gone_at_once(self, fresh: Callable[..., Tiny]) -> None:
        tiny = fresh()
        started = time.monotonic()

        tiny.stop()

        assert time.monotonic() - started < 5

    def test_a_stream_that_will_not_end_is_cut(self, fresh: Callable[..., Tiny]) -> None:
        tiny = fresh()

        with stalled(tiny.port, PLAIN) as client:
            client.recv(12)
            tiny.stop()

        assert tiny.process.returncode == 0


async def _close_code(client: object) -> int | None:
    with contextlib.suppress(ConnectionClosed, InvalidStatus):
        await client.recv()  # type: ignore[attr-defined]  # websockets' own class is generic over nothing
    return client.close_code  # type: ignore[attr-defined,no-any-return]  # as above
