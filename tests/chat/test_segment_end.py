"""Ends that nobody in the turn asked for: of the account, of the process, of the conversation."""

import pytest
from django.contrib.auth.models import User

from chat import runner
from chat.models import ToolCall, Turn
from history import outcomes, store
from history.errors import Unavailable
from tests.support.engine import NOW, Engine, Valves, kinds, spoken
from tests.support.notation import TU, T
from tests.support.scripted import Said, calls, says


class TestADeactivatedAccount:
    def test_has_its_turns_stopped_by_the_next_sweep(self, engine: Engine) -> None:
        """Rule 15: within two seconds, as the sweep runs every second."""
        engine.script(says("The valve is open.", hold=2), says("Mine too.", hold=1))
        turn = engine.send()
        engine.until_held()
        engine.run(runner.the_runner()._stop_orphans())
        assert Turn.objects.get().status == "running"

        User.objects.update(is_active=False)
        engine.run(runner.the_runner()._stop_orphans())

        assert engine.watch(turn)[-1]["stopReason"] == "stopped"
        assert runner.SWEEP_EVERY <= 1


class TestTheEndOfTheProcess:
    def test_settles_what_was_said_and_says_why(self, engine: Engine) -> None:
        """Rule 23."""
        engine.script(says("The valve is open.", hold=2))
        turn = engine.send()
        engine.until_held()

        engine.restart()
        events = engine.watch(turn)

        assert (events[-2]["code"], events[-1]["stopReason"]) == ("interrupted", "interrupted")
        assert spoken(engine.stored()[-1]) == "The valv"
        assert Turn.objects.get().status == "interrupted"

    def test_takes_no_turn_any_more(self, engine: Engine) -> None:
        """Rule 23."""
        runner.the_runner().draining = True

        with pytest.raises(Unavailable):
            engine.send()

    def test_leaves_held_calls_held(self, engine: Engine, valves: Valves) -> None:
        """Contract 7, rule 3."""
        valves.gate.clear()
        engine.script(calls(TU("a1", "read_gauge"), TU("a2", v=2)))
        turn = engine.send()
        engine.until(valves.entered.is_set)

        engine.restart()
        events = engine.watch(turn)

        assert (events[-1]["done"], events[-1]["pending"]) == (False, ["a2"])
        assert engine.call("a1").state == "unknown"

    def test_calls_what_had_not_begun_not_run_t7(self, engine: Engine) -> None:
        """Nobody stopped it."""
        engine.script(Said(blocks=[TU("a1", "read_gauge"), T("and now")], hold=1))
        turn = engine.send()
        engine.until_held()

        engine.restart()
        engine.watch(turn)

        assert engine.stored()[2]["content"][0]["content"] == outcomes.NOT_RUN


class TestADelete:
    def test_ends_a_running_turn_with_one_done(self, engine: Engine) -> None:
        """Rule 17; contract 5."""
        engine.script(says("The valve is open.", hold=2))
        turn = engine.send()
        engine.until_held()

        store.bury(owner_id=engine.owner.pk, cid="c-1", now=NOW)
        events = engine.watch(turn)

        assert kinds(events)[-2:] == ["restart", "done"]
        assert events[-1]["stopReason"] == "deleted"
        assert Turn.objects.get().status == "discarded"

    def test_has_no_tool_run_that_was_approved_before(self, engine: Engine, valves: Valves) -> None:
        """Rule 17: without the fence the tool ran."""
        engine.script(calls(TU("a1", v=1)))
        engine.say()
        decided = engine.confirm(approve=True)

        store.bury(owner_id=engine.owner.pk, cid="c-1", now=NOW)
        events = engine.watch(decided.turn, after=decided.after)

        assert kinds(events) == ["restart", "done"]
        assert valves.opened == []
        assert ToolCall.objects.get().state == "superseded"
