"""The events of a running turn in memory: numbered once, and when each may be seen (rules 1, 2)."""

import asyncio
import json

import pytest

from chat.events import Reset
from chat.tape import Tape


def tape(*, start: int = 0) -> Tape:
    return Tape(turn_pk=1, turn_id="t-1", conversation_id="c-1", fence=1, start=start)


def shown(tape: Tape) -> list[int]:
    return [entry.seq for entry in tape.entries[: tape.shown]]


class TestNumbers:
    def test_follow_those_of_earlier_segments(self) -> None:
        """Rule 1: contiguous over the whole turn."""
        made = tape(start=7)

        made.say("text_delta", "a")
        made.append(Reset())
        made.say("thinking_delta", "b")

        assert [entry.seq for entry in made.entries] == [8, 9, 10]
        assert [json.loads(entry.line)["seq"] for entry in made.entries] == [8, 9, 10]
        assert made.last_seq == 10


class TestText:
    def test_is_shown_before_it_is_kept(self) -> None:
        """Rule 2."""
        made = tape()

        made.say("text_delta", "a")

        assert (shown(made), made.kept) == ([1], 0)

    def test_after_an_event_that_is_not_kept_waits_with_it(self) -> None:
        """Rule 2: order is never changed."""
        made = tape()
        made.say("text_delta", "a")
        made.append(Reset())
        made.say("text_delta", "b")
        assert shown(made) == [1]

        made.keep(2)

        assert shown(made) == [1, 2, 3]

    def test_carries_nothing_but_itself(self) -> None:
        """Rule 21."""
        made = tape()

        made.say("text_delta", 'a "quoted" \u2028 line\n')

        assert json.loads(made.entries[0].line) == {
            "type": "text_delta", "turnId": "t-1", "seq": 1, "text": 'a "quoted" \u2028 line\n'
        }  # fmt: skip
        assert "\n" not in made.entries[0].line


class TestAnyOtherEvent:
    def test_is_kept_before_it_is_shown(self) -> None:
        """Rule 2."""
        made = tape()
        made.append(Reset())
        assert shown(made) == []

        made.keep(1)

        assert shown(made) == [1]

    def test_stops_what_follows_until_all_before_is_kept(self) -> None:
        made = tape()
        for _ in range(3):
            made.append(Reset())

        made.keep(2)

        assert shown(made) == [1, 2]
        assert [entry.seq for entry in made.unkept()] == [3]

    def test_is_not_taken_back_by_an_earlier_flush(self) -> None:
        made = tape()
        made.append(Reset())
        made.append(Reset())
        made.keep(2)

        made.keep(1)

        assert (shown(made), made.kept) == ([1, 2], 2)


class TestWatching:
    async def test_wakes_everybody_at_once(self) -> None:
        """Rule 5: a position and an event, no queue."""
        made = tape()
        watchers = [asyncio.ensure_future(made.changed()) for _ in range(3)]
        await asyncio.sleep(0)

        made.say("text_delta", "a")

        await asyncio.wait_for(asyncio.gather(*watchers), 1)

    @pytest.mark.parametrize("lost", [True, False])
    async def test_ends_with_the_tape(self, *, lost: bool) -> None:
        made = tape()
        watcher = asyncio.ensure_future(made.changed())
        gone = asyncio.ensure_future(made.changed())
        await asyncio.sleep(0)
        gone.cancel()

        made.close(lost=lost)

        await asyncio.wait_for(watcher, 1)
        assert (made.closed, made.lost) == (True, lost)
