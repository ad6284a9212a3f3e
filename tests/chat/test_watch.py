"""Following a turn: from memory, from the journal, from where one left off, after a crash, after it was forgotten."""

import asyncio
import json
from typing import Any

import pytest
from django.contrib.auth.models import User

from chat import sweep
from chat.closing import CRASH
from chat.conclude import conclude
from chat.models import Turn, TurnEvent
from chat.watch import Trees, follow
from history import store
from history.markdown.tree import render
from tests.support import rows
from tests.support.engine import NOW, Engine, Valves, kinds
from tests.support.notation import TU
from tests.support.scripted import calls, says

WORDS = "# Valves\n\nV1 is **open**.\n"


class TestAWatcher:
    def test_gets_every_event_once_from_any_position_of_a_running_turn_t35_t98_t100(
        self, engine: Engine
    ) -> None:
        """Rule 1: memory and journal tell the same."""
        engine.script(says(WORDS, hold=4))
        turn = engine.send()
        engine.until_held()
        watching = [engine.watching(turn, after=after) for after in range(4)]

        engine.stop(turn)
        whole = engine.watch(turn)

        for after, task in enumerate(watching):
            assert engine.result(task) == whole[after:]

    def test_that_leaves_changes_nothing_t33_t35(self, engine: Engine) -> None:
        """Contract 7, rule 2: the turn runs on its own."""
        engine.script(says(WORDS, hold=2))
        turn = engine.send()
        watching = engine.watching(turn)
        engine.until_held()

        watching.cancel()
        engine.turn_over()

        assert Turn.objects.get().status == "running"
        engine.stop(turn)
        assert engine.watch(turn)[-1]["stopReason"] == "stopped"

    def test_of_a_held_turn_is_told_that_it_is_over_for_now(self, engine: Engine) -> None:
        """Contract 7: up to the newest `done` of a turn that is not running."""
        engine.script(calls(TU("a1", v=1)))
        turn = engine.send()
        whole = engine.watch(turn)

        assert engine.watch(turn, after=2) == whole[2:]

    def test_of_a_turn_that_another_process_runs_is_woken_by_it(
        self, engine: Engine, valves: Valves
    ) -> None:
        """Rule 5: a hint is enough, the journal has the events."""
        turn = rows.begun(engine.owner)
        watching = engine.watching(turn)
        engine.turn_over()

        rows.abandon(turn)
        sweep.recover(set(), every=False)

        assert kinds(engine.result(watching)) == ["user_text", "error", "done"]


class TestAfterACrash:
    """Rule 3."""

    @pytest.fixture
    def turn(self, owner: User, engine: Engine) -> Turn:
        turn = rows.begun(owner)
        rows.text(turn, "The", " val")
        rows.abandon(turn)
        conclude(turn.pk, CRASH, now=NOW)
        return turn

    def test_who_had_seen_more_than_was_left_begins_anew(self, engine: Engine, turn: Turn) -> None:
        assert Turn.objects.get().left == 3

        events = engine.watch(turn, after=9)

        assert events[0] == {"type": "restart", "turnId": turn.turn_id}
        assert [event["seq"] for event in events[1:]] == [1, 2, 3, 4, 5]

    @pytest.mark.parametrize("after", [0, 1, 3])
    def test_who_had_not_goes_on(self, engine: Engine, turn: Turn, after: int) -> None:
        events = engine.watch(turn, after=after)

        assert [event["seq"] for event in events] == list(range(after + 1, 6))


class TestLater:
    """Rule 6: ten minutes after the end there is what the conversation and the row can tell."""

    @pytest.fixture
    def turn(self, engine: Engine) -> Turn:
        turn = engine.send("open V1")
        engine.watch(turn)
        sweep.forget_events(now=NOW * 2)
        assert not TurnEvent.objects.exists()
        return turn

    def test_tells_what_was_said_and_how_it_ended(self, engine: Engine, turn: Turn) -> None:
        said, done = engine.watch(turn)

        assert (said["type"], said["text"], said["seq"]) == ("user_text", "open V1", 1)
        assert (done["type"], done["stopReason"], done["done"]) == ("done", "end_turn", True)
        assert done["version"] == 2

    def test_tells_nothing_of_a_deleted_conversation(self, engine: Engine, turn: Turn) -> None:
        store.bury(owner_id=engine.owner.pk, cid="c-1", now=NOW)

        assert engine.watch(turn) == []


class TestTrees:
    def test_show_what_was_said(self, engine: Engine) -> None:
        """Contract 7: blocks instead of text deltas, the same events otherwise."""
        engine.script(says(WORDS))
        turn = engine.send()

        frames = engine.run(_trees(turn))

        assert {frame["type"] for frame in frames} <= {"user_text", "block", "tail", "done"}
        blocks = [frame for frame in frames if frame["type"] == "block"]
        assert [node for frame in blocks for node in frame["nodes"]] == render(WORDS)
        assert "Valves" in blocks[0]["text"]

    def test_of_a_turn_that_is_over_are_the_same_for_everybody(self, engine: Engine) -> None:
        """Rule 7: closed blocks do not depend on when they were rendered."""
        engine.script(says(WORDS))
        turn = engine.send()
        live = engine.run(_trees(turn))
        engine.watch(turn)

        later = engine.run(_trees(turn))

        assert [frame for frame in live if frame["type"] != "tail"] == [
            frame for frame in later if frame["type"] != "tail"
        ]

    def test_of_one_turn_are_rendered_once_for_all_its_watchers(self, engine: Engine) -> None:
        """Rule 5."""
        engine.script(says(WORDS))
        turn = engine.send()

        first, second = engine.run(_both(_trees(turn), _trees(turn)))

        assert first == second


async def _trees(turn: Turn) -> list[dict[str, Any]]:
    return [json.loads(frame.line) async for frame in follow(turn, after=0, view=Trees(turn))]


async def _both(*works: Any) -> list[Any]:
    return list(await asyncio.gather(*works))
