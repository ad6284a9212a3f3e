"""Deltas of a fast model are joined before they are numbered (rule 1), of a slow one passed on as they come."""

import asyncio

import pytest

from chat import pace
from chat.pace import Pace

Said = list[tuple[str, str]]


class Clock:
    """The loop's time, moved by the test."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 100.0
        monkeypatch.setattr(asyncio.get_running_loop(), "time", lambda: self.now)


@pytest.fixture
async def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


@pytest.fixture
def said() -> Said:
    return []


@pytest.fixture
async def paced(said: Said, clock: Clock) -> Pace:
    return Pace(lambda kind, text: said.append((kind, text)))


class TestASlowModel:
    async def test_is_passed_on_as_it_comes(self, paced: Pace, said: Said, clock: Clock) -> None:
        for _ in range(3 * pace.PER_SECOND):
            paced.say("text", "a")
            clock.now += 1 / pace.PER_SECOND + 0.001

        assert said == [("text", "a")] * (3 * pace.PER_SECOND)

    async def test_that_says_nothing_says_nothing(self, paced: Pace, said: Said) -> None:
        paced.say("text", "")

        assert said == []


class TestAFastModel:
    @pytest.fixture(autouse=True)
    async def fast(self, paced: Pace, said: Said) -> None:
        for _ in range(pace.PER_SECOND):
            paced.say("text", "a")
        said.clear()

    async def test_is_joined(self, paced: Pace, said: Said) -> None:
        """Rule 1: never after they are numbered."""
        for word in "bcd":
            paced.say("text", word)
        assert said == []

        paced.flush()

        assert said == [("text", "bcd")]

    async def test_is_passed_on_by_itself_soon(self, paced: Pace, said: Said, clock: Clock) -> None:
        paced.say("text", "b")

        clock.now += pace.JOIN_FOR + 0.01
        await asyncio.sleep(0)
        await asyncio.sleep(0)

        assert said == [("text", "b")]

    async def test_is_never_joined_over_another_kind(self, paced: Pace, said: Said) -> None:
        paced.say("text", "b")
        paced.say("thinking", "c")
        paced.say("text", "d")
        paced.flush()

        assert said == [("text", "b"), ("thinking", "c"), ("text", "d")]

    async def test_is_slow_again_a_second_later(
        self, paced: Pace, said: Said, clock: Clock
    ) -> None:
        clock.now += 1.1

        paced.say("text", "b")

        assert said == [("text", "b")]

    async def test_loses_nothing_when_it_is_flushed_twice(self, paced: Pace, said: Said) -> None:
        paced.say("text", "b")
        paced.flush()
        paced.flush()

        assert said == [("text", "b")]
