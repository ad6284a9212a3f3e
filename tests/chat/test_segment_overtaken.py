"""Holds that something overtakes: a decision at the last moment, a right that is gone when the call is to begin."""

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User

from chat.models import ToolCall
from chat.settle import Settled, settle
from chat.tools import registry
from history import outcomes
from tests.support.engine import Engine, Valves, kinds, of_kind
from tests.support.notation import TU
from tests.support.scripted import calls, says

HOLD = calls(TU("a1", v=1), before="I will open V1.")


class TestAHoldThatIsOvertaken:
    """Rules 12, 13: settle(held) looks again under the lock."""

    @pytest.fixture
    def just_before(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> Callable[[Callable[[], object]], None]:
        """Have something happen between the last look at the calls and the settle."""

        def arrange(act: Callable[[], object]) -> None:
            left = [act]

            def settling(*args: Any, **named: Any) -> Settled:
                if left:
                    left.pop()()
                return settle(*args, **named)

            monkeypatch.setattr("chat.segment.settle", settling)

        return arrange

    def test_by_an_approval_goes_on(
        self, engine: Engine, valves: Valves, just_before: Callable[[Callable[[], object]], None]
    ) -> None:
        engine.script(HOLD, says("It is open."))
        just_before(lambda: engine.confirm(approve=True))

        events = engine.say()

        assert kinds(events)[-4:] == ["decided", "tool_result", "text_delta", "done"]
        assert kinds(events).count("done") == 1
        assert valves.opened == [1]

    def test_by_a_stop_ends_stopped(
        self, engine: Engine, just_before: Callable[[Callable[[], object]], None]
    ) -> None:
        engine.script(HOLD)
        turn = engine.send()
        just_before(lambda: engine.stop(turn))

        events = engine.watch(turn)

        assert (events[-1]["stopReason"], of_kind(events, "denied")["code"]) == (
            "stopped",
            "stopped",
        )


class TestARightThatIsGone:
    """Rule 15: looked up when the call begins, not only when it was approved."""

    def test_of_the_account_forbids_the_call(self, engine: Engine, valves: Valves) -> None:
        engine.script(HOLD, says("Done."))
        engine.say()
        decided = engine.confirm(approve=True)
        User.objects.update(is_active=False)

        events = engine.watch(decided.turn, after=decided.after)

        assert kinds(events)[:2] == ["decided", "denied"]
        assert (events[1]["code"], valves.opened) == ("forbidden", [])
        assert engine.stored()[2]["content"][0]["content"] == outcomes.FORBIDDEN

    def test_to_the_tool_forbids_the_call(
        self, engine: Engine, valves: Valves, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Rule 19: a turn keeps its snapshot through holds, a tool gone by then answers an error."""
        engine.script(HOLD, says("Done."))
        engine.say()
        decided = engine.confirm(approve=True)
        monkeypatch.setattr(registry, "AGENTS", {"kenny": ()})

        events = engine.watch(decided.turn, after=decided.after)

        assert (events[1]["code"], events[-1]["stopReason"]) == ("forbidden", "end_turn")
        assert [tool["name"] for tool in engine.model.requests[-1].tools] == [
            "read_gauge",
            "set_valve",
        ]

    def test_to_see_what_was_shown_forbids_the_call_t108(
        self, engine: Engine, valves: Valves
    ) -> None:
        """The digest is made again from what will run."""
        engine.script(HOLD, says("Done."))
        engine.say()
        decided = engine.confirm(approve=True)
        ToolCall.objects.update(canonical_args='{"v":9}')

        events = engine.watch(decided.turn, after=decided.after)

        assert (valves.opened, events[1]["ok"]) == ([], False)
        assert "not what was shown" in events[1]["error"]
