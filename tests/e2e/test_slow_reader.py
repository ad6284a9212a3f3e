"""Readers that stop reading: they cost no memory, they are dropped, and nobody else notices."""

import socket as sockets
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing

import pytest

from tests.support.answers import says
from tests.support.cast import Cast
from tests.support.http import Client
from tests.support.server import Server, resident, wait_until
from tests.support.sockets import Socket
from tests.support.sse import turn_events, words_of
from tests.support.upstream import Upstream

STALLED = 20
"""As many sockets, and as many streams."""
LONG = ("word " * 4000, 400)
"""A delta of 20 KB, and how many of them: 8 MB, more than the buffers of a connection."""


@pytest.fixture
def alone(env: dict[str, str]) -> Iterator[Server]:
    """A server whose memory nobody else moves."""
    with Server(env=env) as server:
        yield server


def narrow(port: int) -> sockets.socket:
    """Return a connection with hardly any room for what it does not read."""
    made = sockets.socket()
    made.setsockopt(sockets.SOL_SOCKET, sockets.SO_RCVBUF, 4096)
    made.connect(("127.0.0.1", port))
    return made


def stalled_stream(client: Client, turn_id: str) -> sockets.socket:
    """Ask for a turn's events and never read."""
    made = narrow(client.port)
    made.sendall(
        f"GET /api/chat/turns/{turn_id}/events HTTP/1.1\r\nhost: 127.0.0.1\r\n"
        f"authorization: Bearer {client.token}\r\n\r\n".encode()
    )
    return made


def doors(client: Client) -> int:
    figures = dict(
        line.split() for line in client.get("/metrics").text.splitlines() if "#" not in line
    )
    return int(figures["kenny_open_doors"])


def told(cast: Cast, *, hold: bool) -> str:
    words, times = LONG
    return cast.teach(
        "at length", says(words * times, chunk=len(words), hold_after=1 if hold else None)
    )


@pytest.mark.timeout(300)
class TestStalledReaders:
    def test_cost_no_memory_are_dropped_and_hold_nobody_up(
        self, alone: Server, cast: Cast, hold: Upstream
    ) -> None:
        client = alone.user("ada")
        assert alone.process is not None
        pid = alone.process.pid
        with Socket(client) as reader, ExitStack() as stack:
            # The first such turn takes what any turn of its size takes.
            hold.release()
            reader.ask("send", message=told(cast, hold=False))
            reader.done(within=120)
            reader.frames.clear()
            reader._next = 0
            before = resident(pid)

            hold.hold()
            ack = reader.ask("send", message=told(cast, hold=True))
            reader.until("text_delta")
            for _ in range(STALLED):
                slow = stack.enter_context(Socket(client, sock=narrow(client.port), max_queue=1))
                slow.ask("watch", conversationId=ack["conversationId"])
                stack.enter_context(closing(stalled_stream(client, ack["turnId"])))
            wait_until(
                lambda: doors(client) == 1 + 2 * STALLED, within=30, what="all of them watch"
            )
            hold.release()
            began = time.monotonic()
            reader.done(within=120)
            took = time.monotonic() - began
            grown = resident(pid) - before
            wait_until(lambda: doors(client) == 1, within=120, what="they are dropped")
            pong = reader.ask("ping")

        size = len(LONG[0]) * LONG[1]
        assert words_of(reader.events(ack["turnId"])) == LONG[0] * LONG[1]
        assert took < 30, "nobody is held up until they are dropped"
        # A copy for each of them would be twice this.
        assert grown < STALLED * size, f"{grown / 1e6:.0f} MB"
        assert pong["type"] == "ack"
        assert words_of(turn_events(client, ack["turnId"])) == LONG[0] * LONG[1]
