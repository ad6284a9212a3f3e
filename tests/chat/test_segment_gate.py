"""Calls that change something: held, decided, run once, repeated, forbidden."""

import pytest

from chat.models import Turn
from history import outcomes
from history.errors import Pending
from tests.support.engine import Engine, Valves, kinds, of_kind, spoken
from tests.support.notation import TU
from tests.support.scripted import calls, says

HOLD = calls(TU("a1", v=1), before="I will open V1.")


class TestACallThatChangesSomething:
    def test_is_held_and_nothing_has_run_t62(self, engine: Engine, valves: Valves) -> None:
        """Contract 7, rule 6; a pause persists and returns."""
        engine.script(HOLD)
        turn = engine.send()

        events = engine.watch(turn)

        assert kinds(events) == ["user_text", "text_delta", "tool_call", "pending", "done"]
        held = of_kind(events, "pending")
        assert (held["tool"], held["args"], held["digest"]) == (
            "set_valve",
            {"v": 1},
            engine.call().digest,
        )
        told = {
            "type": "done", "turnId": turn.turn_id, "conversationId": "c-1", "done": False,
            "pending": ["a1"], "stopReason": "held", "version": 2,
        }  # fmt: skip
        assert events[-1] | told == events[-1]
        assert valves.opened == []
        assert engine.conversation().live == {"turnId": turn.turn_id, "status": "held"}

    def test_ends_the_list_while_it_waits_t61(self, engine: Engine) -> None:
        """Rule 16: nothing is lost over a reload."""
        engine.script(HOLD)

        engine.say()

        _, held = engine.stored()
        assert spoken(held) == "I will open V1."
        assert held["content"][-1] == TU("a1", v=1)

    def test_runs_once_it_is_approved_and_the_turn_goes_on(
        self, engine: Engine, valves: Valves
    ) -> None:
        engine.script(HOLD, says("It is open."))
        engine.say()

        events = engine.decide(approve=True)

        assert kinds(events) == ["decided", "tool_result", "text_delta", "done"]
        assert (events[0]["approve"], events[0]["by"], events[1]["autoRun"]) == (
            True,
            "alice",
            False,
        )
        assert valves.opened == [1]
        assert (events[-1]["done"], events[-1]["version"]) == (True, 3)
        assert [message["role"] for message in engine.stored()] == ["user", "assistant"] * 2

    def test_does_not_run_once_it_is_denied_and_the_model_is_told_t60_t7(
        self, engine: Engine, valves: Valves
    ) -> None:
        engine.script(HOLD, says("As you wish."))
        engine.say()

        events = engine.decide(approve=False)

        assert kinds(events) == ["decided", "denied", "text_delta", "done"]
        assert (events[1]["code"], events[1]["message"]) == ("denied", outcomes.DENIED)
        assert valves.opened == []
        result = engine.model.requests[-1].messages[-1]["content"][0]
        assert (result["content"], result["is_error"]) == (outcomes.DENIED, True)

    def test_takes_events_through_the_hold(self, engine: Engine) -> None:
        """Contract 7: one numbering over the whole turn, whoever watches from wherever."""
        engine.script(HOLD, says("It is open."))
        turn = engine.send()
        before = engine.watch(turn)
        after = engine.decide(approve=True)

        assert engine.watch(turn) == before + after
        assert engine.watch(turn, after=3) == (before + after)[3:]

    def test_closes_no_other_conversation_t59(self, engine: Engine) -> None:
        """Pending is keyed by conversation and call."""
        engine.script(HOLD, says("Hello."))
        engine.say()

        events = engine.say("hello", conversation_id="c-2")

        assert events[-1]["stopReason"] == "end_turn"

    def test_closes_its_own_until_it_is_decided_t57_t58(self, engine: Engine) -> None:
        """Never both open; what was typed is refused before anything is stored."""
        engine.script(HOLD)
        engine.say()

        with pytest.raises(Pending) as refused:
            engine.send("what is V2?")

        assert refused.value.facts == {"calls": ["a1"]}
        assert len(engine.stored()) == 2

    def test_survives_the_process_t62_t66(self, engine: Engine, valves: Valves) -> None:
        """A decision starts exactly one continuation, in whatever process it comes to."""
        engine.script(HOLD, says("It is open."))
        engine.say()
        engine.restart()

        events = engine.decide(approve=True)

        assert events[-1]["stopReason"] == "end_turn"
        assert valves.opened == [1]


class TestSeveralCalls:
    def test_wait_for_the_one_that_is_held_t66(self, engine: Engine, valves: Valves) -> None:
        """Results in call order, nothing runs twice, over a restart."""
        engine.script(
            calls(TU("a1", "read_gauge"), TU("a2", v=2), TU("a3", "read_gauge")), says("Done.")
        )
        events = engine.say()
        assert kinds(events)[-3:] == ["tool_result", "tool_result", "done"]
        engine.restart()

        engine.decide("a2", approve=True)

        results = engine.stored()[2]["content"]
        assert [block["tool_use_id"] for block in results] == ["a1", "a2", "a3"]
        assert (valves.read, valves.opened) == (2, [2])

    def test_run_as_they_are_approved_and_the_model_is_asked_after_the_last(
        self, engine: Engine, valves: Valves
    ) -> None:
        """Contract 7, rule 6."""
        engine.script(calls(TU("a1", v=1), TU("a2", v=2)), says("Done."))
        engine.say()

        first = engine.decide("a2", approve=True)
        assert kinds(first) == ["decided", "tool_result", "done"]
        assert (first[-1]["pending"], valves.opened) == (["a1"], [2])

        second = engine.decide("a1", approve=False)

        assert kinds(second) == ["decided", "denied", "text_delta", "done"]
        assert len(engine.model.requests) == 2

    def test_decided_while_another_runs_are_taken_up_by_the_running_segment(
        self, engine: Engine, valves: Valves
    ) -> None:
        """Rule 12."""
        valves.gate.clear()
        engine.script(calls(TU("a1", "read_gauge"), TU("a2", v=2)), says("Done."))
        turn = engine.send()
        engine.until(valves.entered.is_set)

        decided = engine.confirm("a2", approve=True)
        valves.gate.set()
        events = engine.watch(turn)

        assert not decided.fresh
        assert kinds(events).count("done") == 1
        assert valves.opened == [2]
        assert events[-1]["stopReason"] == "end_turn"


class TestACallThatWasRefused:
    def test_is_refused_without_asking_when_it_comes_again_t69(self, engine: Engine) -> None:
        """By name and canonical arguments, until three refusals end the turn."""
        engine.script(
            HOLD, calls(TU("a2", v=1)), calls(TU("a3", v=1)), calls(TU("a4", v=1)), says("never")
        )
        engine.say()

        events = engine.decide(approve=False)

        denied = [event["code"] for event in events if event["type"] == "denied"]
        assert denied == ["denied", "repeated", "repeated", "repeated"]
        assert "pending" not in kinds(events)
        assert (events[-2]["code"], events[-1]["stopReason"]) == ("denied", "denied")
        assert Turn.objects.get().status == "done"

    def test_says_nothing_about_another_t68(self, engine: Engine) -> None:
        engine.script(HOLD, calls(TU("a2", v=2)))
        engine.say()

        events = engine.decide(approve=False)

        assert (events[-1]["done"], events[-1]["pending"]) == (False, ["a2"])

    def test_may_be_asked_again_in_the_next_turn(self, engine: Engine) -> None:
        engine.script(HOLD, says("As you wish."), calls(TU("a2", v=1)))
        engine.say()
        engine.decide(approve=False)

        events = engine.say("now do it")

        assert events[-1]["pending"] == ["a2"]
