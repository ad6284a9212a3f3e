"""What one socket watches of a conversation: each turn once, whatever is heard of it and when."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import DatabaseError

from chat import subscription, watch
from chat.models import Turn
from chat.subscription import Subscription
from history.errors import NotFound
from tests.support.engine import Engine
from tests.support.notation import TU
from tests.support.scripted import calls, says

pytestmark = pytest.mark.usefixtures("valves")


class Heard:
    """What a socket was told. `seen` gives the types by turn, in order."""

    def __init__(self) -> None:
        self.frames: list[dict[str, Any]] = []

    async def say(self, line: str) -> None:
        self.frames.append(json.loads(line))

    def seen(self, turn: Turn) -> list[int]:
        """Return the numbers of what was told of a turn."""
        return [frame["seq"] for frame in self.frames if frame["turnId"] == turn.turn_id]

    def dones(self, turn: Turn) -> int:
        told = (frame for frame in self.frames if frame["turnId"] == turn.turn_id)
        return sum(frame["type"] == "done" for frame in told)


@pytest.fixture
def heard() -> Heard:
    return Heard()


@pytest.fixture
def watching(engine: Engine, owner: User, heard: Heard) -> Iterator[Subscription]:
    """A subscription to c-1 that has not begun; it ends with the test."""

    async def make() -> Subscription:
        return Subscription(conversation_id="c-1", owner_id=owner.pk, render=False, say=heard.say)

    made = engine.run(make())
    yield made
    engine.run(made.end())


def begin(engine: Engine, watching: Subscription, turn: Turn | None) -> None:
    async def now() -> None:
        watching.begin(turn, after=0)

    engine.run(now())


def whole(numbers: list[int]) -> bool:
    return bool(numbers) and numbers == list(range(1, len(numbers) + 1))


class TestHints:
    def test_of_a_turn_that_is_over_by_now_shows_it_whole(
        self, engine: Engine, watching: Subscription, heard: Heard
    ) -> None:
        engine.say("one")
        begin(engine, watching, None)
        turn = engine.send("two")
        engine.watch(turn)

        watching.move(turn.turn_id, status="running")
        watching.move(turn.turn_id, status="done")
        engine.until(lambda: heard.dones(turn))
        engine.turn_over()

        assert whole(heard.seen(turn))

    def test_of_the_end_of_an_earlier_turn_are_nothing_to_follow(
        self, engine: Engine, watching: Subscription, heard: Heard
    ) -> None:
        first = engine.send("one")
        engine.watch(first)
        begin(engine, watching, None)

        watching.move(first.turn_id, status="done")
        second = engine.send("two")
        engine.watch(second)
        watching.move(second.turn_id, status="running")
        engine.until(lambda: heard.dones(second))

        assert heard.seen(first) == []
        assert whole(heard.seen(second))

    def test_of_two_turns_at_once_show_both_in_order(
        self, engine: Engine, watching: Subscription, heard: Heard
    ) -> None:
        begin(engine, watching, None)
        turns = []
        for words in ("one", "two"):
            turns.append(engine.send(words))
            engine.watch(turns[-1])
        for turn in turns:
            watching.move(turn.turn_id, status="running")
        engine.until(lambda: heard.dones(turns[1]))

        assert all(whole(heard.seen(turn)) for turn in turns)
        order = [frame["turnId"] for frame in heard.frames]
        assert order == sorted(order, key=[turn.turn_id for turn in turns].index)

    def test_of_an_older_turn_do_not_lead_back(
        self, engine: Engine, watching: Subscription, heard: Heard
    ) -> None:
        """They come late and in any order."""
        first = engine.send("one")
        engine.watch(first)
        second = engine.send("two")
        engine.watch(second)
        begin(engine, watching, second)
        engine.until(lambda: heard.dones(second))

        watching.move(first.turn_id, status="running")
        third = engine.send("three")
        engine.watch(third)
        watching.move(third.turn_id, status="running")
        engine.until(lambda: heard.dones(third))

        assert heard.seen(first) == []

    def test_of_the_turn_that_is_followed_double_nothing(
        self, engine: Engine, watching: Subscription, heard: Heard
    ) -> None:
        engine.script(says("One two three.", hold=2))
        turn = engine.send("one")
        engine.until_held()
        begin(engine, watching, turn)
        for _ in range(3):
            watching.move(turn.turn_id, status="running")
        engine.until(lambda: len(heard.seen(turn)) >= 3)
        engine.stop(turn)
        engine.watch(turn)
        engine.until(lambda: heard.dones(turn))
        engine.turn_over()

        assert whole(heard.seen(turn))
        assert heard.dones(turn) == 1

    def test_of_a_turn_that_goes_on_after_a_hold_show_the_rest(
        self, engine: Engine, watching: Subscription, heard: Heard
    ) -> None:
        engine.script(calls(TU("a1", v=1)), says("Done."))
        turn = engine.send("open V1")
        begin(engine, watching, turn)
        engine.watch(turn)
        engine.until(lambda: heard.dones(turn))
        watching.move(turn.turn_id, status="held")

        engine.decide(approve=True)
        watching.move(turn.turn_id, status="running")
        engine.until(lambda: heard.dones(turn) == 2)

        assert whole(heard.seen(turn))

    @pytest.mark.parametrize("name", ["t-unknown", "t-elsewhere"])
    def test_of_no_turn_of_the_conversation_show_nothing(
        self, engine: Engine, watching: Subscription, heard: Heard, name: str
    ) -> None:
        engine.say("elsewhere", conversation_id="c-2", turn_id="t-elsewhere")
        engine.say("one")
        begin(engine, watching, None)

        watching.move(name, status="running")
        second = engine.send("two")
        engine.watch(second)
        watching.move(second.turn_id, status="running")
        engine.until(lambda: heard.dones(second))

        assert {frame["turnId"] for frame in heard.frames} == {second.turn_id}

    def test_after_the_conversation_is_gone_show_nothing(
        self,
        engine: Engine,
        watching: Subscription,
        heard: Heard,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        turn = engine.send("one")
        engine.watch(turn)
        begin(engine, watching, None)
        asked = asyncio.Event()

        async def gone(*_: object, **__: object) -> None:
            asked.set()
            raise NotFound

        monkeypatch.setattr(subscription, "in_thread", gone)
        watching.move(turn.turn_id, status="running")
        engine.until(asked.is_set)

        assert heard.frames == []


class TestAFault:
    def test_of_the_database_loses_and_doubles_nothing(
        self,
        engine: Engine,
        watching: Subscription,
        heard: Heard,
        monkeypatch: pytest.MonkeyPatch,
        caplog: pytest.LogCaptureFixture,
    ) -> None:
        turn = engine.send("one")
        engine.watch(turn)
        true_follow, faults = watch.follow, 1

        async def follow(*args: Any, **more: Any) -> AsyncIterator[Any]:
            nonlocal faults
            async for frame in true_follow(*args, **more):
                yield frame
                if faults:
                    faults -= 1
                    raise DatabaseError

        monkeypatch.setattr(subscription, "follow", follow)
        monkeypatch.setattr(subscription, "PAUSE", 0)
        begin(engine, watching, turn)
        engine.until(lambda: heard.dones(turn))

        assert whole(heard.seen(turn))
        assert "a watcher reads on later" in caplog.text


class TestFollows:
    def test_says_what_it_shows_now(
        self, engine: Engine, watching: Subscription, heard: Heard
    ) -> None:
        first = engine.send("one")
        engine.watch(first)

        assert not watching.follows(first, render=False), "it has not begun"
        begin(engine, watching, first)
        engine.until(lambda: heard.dones(first))
        assert watching.follows(first, render=False)
        assert not watching.follows(first, render=True)
        second = engine.send("two")
        engine.watch(second)
        assert not watching.follows(second, render=False)
        engine.run(watching.end())
        assert not watching.follows(first, render=False)
