"""Dropping a watcher anywhere and coming back: the same text, nothing lost, nothing doubled."""

import itertools
import random
from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.answers import Answer, calls, says, text, thought, use
from tests.support.cast import Cast
from tests.support.http import Client
from tests.support.server import Server
from tests.support.sockets import Socket
from tests.support.sse import Stream, decide, stream, turn_events, words_of
from tests.support.upstream import Upstream

POINTS = 200
FRAMES = 50
"""How many a socket takes at once, however fast they come (contract 7, limits)."""
PROSE = "The **valve** is open, says `gauge 4`.\n\n* one\n* two\n\n" * 12
Event = dict[str, Any]


@pytest.fixture(scope="module")
def teller(product: Server) -> Client:
    return product.user("teller")


@pytest.fixture(scope="module")
def told(teller: Client, cast: Cast) -> list[Event]:
    """A long turn with thinking, two tools, a hold and a yes, as one stream saw it."""
    words = cast.teach(
        "a long story",
        Answer(blocks=[thought("Hm. " * 20), text(PROSE), use("list_files")], chunk=11),
        calls(use("write_file", path="story.txt", content="end"), before=PROSE, chunk=7),
        says(PROSE, chunk=13),
    )
    with stream(teller, words) as sent:
        before = sent.rest()
    with decide(teller, before[-2], approve=True) as decided:
        return before + decided.rest()


class TestDropping:
    def test_anywhere_after_the_end_continues_with_the_very_next_event(
        self, teller: Client, told: list[Event]
    ) -> None:
        chance = random.Random(20260401)
        positions = [0, 1, len(told) - 1, len(told)]
        positions += [chance.randrange(len(told)) for _ in range(POINTS // 2)]
        turn_id = told[0]["turnId"]
        wrong = []
        for first in range(0, len(positions), FRAMES):
            with Socket(teller) as socket:
                for after in positions[first : first + FRAMES]:
                    by_stream = turn_events(teller, turn_id, after=after)
                    by_socket = _by_socket(socket, told[0], after=after, more=after < len(told))
                    if not by_stream == by_socket == told[after:]:
                        wrong.append(after)

        assert wrong == []

    def test_again_and_again_while_it_runs_loses_and_doubles_nothing(
        self, teller: Client, cast: Cast
    ) -> None:
        chance = random.Random(20260402)
        words = cast.teach("talk on", says(PROSE, chunk=4, delay=0.005))
        with stream(teller, words) as sent:
            seen = [next(iter(sent))]
        turn_id, conversation = seen[0]["turnId"], seen[0]["conversationId"]
        drops = 0
        while seen[-1]["type"] != "done":
            pieces = _piece(teller, turn_id, conversation, after=seen[-1]["seq"], chance=chance)
            seen += list(pieces)
            drops += 1

        assert drops >= POINTS // 10
        assert [event["seq"] for event in seen] == list(range(1, len(seen) + 1))
        assert words_of(seen) == PROSE
        assert seen == turn_events(teller, turn_id)

    def test_rendered_comes_back_to_the_same_tree(self, teller: Client, told: list[Event]) -> None:
        chance = random.Random(20260403)
        turn_id, conversation = told[0]["turnId"], told[0]["conversationId"]
        whole = _blocks(teller, turn_id, conversation, after=0)
        ends = _ends(told)
        for after in [*ends.values(), *(chance.randrange(len(told)) for _ in range(20))]:
            again = _blocks(teller, turn_id, conversation, after=after)
            assert again == {part: whole[part] for part, end in ends.items() if end >= after}


class TestForgotten:
    def test_events_leave_what_was_said_and_the_end(
        self, teller: Client, cast: Cast, product: Server
    ) -> None:
        with stream(teller, cast.teach("forget", says("Long ago."))) as sent:
            events = sent.rest()
        product.manage(
            "shell", "--no-imports", "-c",
            "from chat.sweep import forget_events\n"
            f"from chat.models import Turn\n"
            f"ended = Turn.objects.get(turn_id={events[0]['turnId']!r}).ended_at\n"
            "forget_events(now=ended + 600_001)\n",
        )  # fmt: skip
        left = turn_events(teller, events[0]["turnId"])

        assert [event["type"] for event in left] == ["user_text", "done"]
        assert left[0]["text"] == events[0]["text"]
        assert turn_events(teller, events[0]["turnId"], after=1) == left[1:]
        same = {"turnId", "conversationId", "seq", "done", "stopReason", "version", "usage"}
        assert {k: left[1][k] for k in same} == {k: events[-1][k] for k in same}


def _by_socket(socket: Socket, first: Event, *, after: int, more: bool) -> list[Event]:
    """Watch the ended turn that began with an event from a number on and return what came."""
    names = {name: first[name] for name in ("turnId", "conversationId")}
    socket.frames.clear()
    socket._next = 0
    socket.ask("watch", **names, after=after)
    if more:
        socket.until(lambda f: f["type"] == "done" and f["done"])
    return socket.events(first["turnId"])


def _piece(
    client: Client, turn_id: str, conversation: str, *, after: int, chance: random.Random
) -> Iterator[Event]:
    """Yield a few of the events after a number, by either door, then drop the connection."""
    count = chance.randrange(1, 6)
    if chance.random() < 0.5:
        path = f"/api/chat/turns/{turn_id}/events"
        with Stream(client, "GET", path, after=after) as watching:
            for event, _ in zip(watching, range(count), strict=False):
                yield event
                if event["type"] == "done":
                    return
        return
    with Socket(client) as socket:
        socket.ask("watch", conversationId=conversation, turnId=turn_id, after=after)
        for _ in range(count):
            event = socket.until(lambda frame: "seq" in frame)
            yield event
            if event["type"] == "done":
                return


def _ends(events: list[Event]) -> dict[int, int]:
    """Return the number of the last event of each run of text, by that of its first: what follows closes it."""
    ends: dict[int, int] = {}
    for before, event in itertools.pairwise([{"type": ""}, *events]):
        if event["type"] == "text_delta":
            part = next(reversed(ends)) if before["type"] == "text_delta" else event["seq"]
            ends[part] = event["seq"]
    return ends


def _blocks(client: Client, turn_id: str, conversation: str, *, after: int) -> dict[int, Any]:
    """Return what a rendering watcher has of each run of text that it was shown."""
    shown: dict[int, dict[int, Any]] = {}
    with Socket(client) as socket:
        socket.ask("watch", conversationId=conversation, turnId=turn_id, after=after, render=True)
        socket.until(lambda f: f["type"] == "done" and f["done"])
        for frame in socket.frames:
            if frame["type"] == "block":
                shown.setdefault(frame["part"], {})[frame["index"]] = frame["nodes"]
    return shown


def test_the_upstream_heard_only_lists_it_takes(upstream: Upstream) -> None:
    assert upstream.violations == []
