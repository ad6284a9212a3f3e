"""Stop: what is kept of a turn that a person ended."""

import pytest

from chat.models import Turn
from history import outcomes
from tests.support.engine import Engine, Valves, kinds, of_kind, spoken
from tests.support.notation import TH, TU, T
from tests.support.scripted import Said, calls, fails, is_prefix, says


class TestStop:
    def test_in_a_text_keeps_what_was_shown_t30_t33(self, engine: Engine) -> None:
        """Contract 7, rule 4."""
        engine.script(says("The valve is open.", hold=2))
        turn = engine.send()
        engine.until_held()

        engine.stop(turn)
        events = engine.watch(turn)

        assert kinds(events) == ["user_text", "text_delta", "done"]
        assert events[-1]["stopReason"] == "stopped"
        assert [spoken(message) for message in engine.stored()] == ["open V1", "The valv"]
        assert Turn.objects.get().status == "stopped"

    def test_in_a_thought_keeps_nothing_t32(self, engine: Engine) -> None:
        engine.script(Said(blocks=[TH("hm, let me see"), T("x")], hold=2))
        turn = engine.send()
        engine.until_held()

        engine.stop(turn)

        assert engine.watch(turn)[-1]["stopReason"] == "stopped"
        assert len(engine.stored()) == 1

    def test_before_anything_was_said_asks_no_model(self, engine: Engine) -> None:
        turn = engine.send()

        engine.stop(turn)

        assert engine.watch(turn)[-1]["stopReason"] == "stopped"
        assert engine.model.requests == []

    def test_may_be_pressed_twice_t14(self, engine: Engine) -> None:
        """Idempotent, also after the end."""
        engine.script(says("The valve is open.", hold=2))
        turn = engine.send()
        engine.until_held()

        engine.stop(turn)
        engine.stop(turn)
        events = engine.watch(turn)
        engine.stop(turn)

        assert kinds(events).count("done") == 1
        assert len(engine.stored()) == 2

    def test_names_its_turn_and_ends_no_other_t99(self, engine: Engine) -> None:
        done = engine.send("one", conversation_id="c-1")
        engine.watch(done)
        engine.script(says("still going", hold=1))
        other = engine.send("two", conversation_id="c-2")
        engine.until_held()

        engine.stop(done)

        assert engine.conversation("c-2").live == {"turnId": other.turn_id, "status": "running"}

    def test_of_a_tool_waits_for_it_and_keeps_its_result(
        self, engine: Engine, valves: Valves, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Rule 14: five seconds, here as long as it takes."""
        monkeypatch.setattr("chat.calls.STOP_GRACE", 20)
        valves.gate.clear()
        engine.script(calls(TU("a1", "read_gauge")))
        turn = engine.send()
        engine.until(valves.entered.is_set)

        engine.stop(turn)
        engine.turn_over()
        valves.gate.set()
        events = engine.watch(turn)

        assert (of_kind(events, "tool_result")["ok"], events[-1]["stopReason"]) == (True, "stopped")
        assert len(engine.model.requests) == 1

    def test_of_a_tool_that_does_not_end_calls_its_outcome_unknown_t7_t13_t16(
        self, engine: Engine, valves: Valves
    ) -> None:
        """Rule 14: and what comes too late goes to the audit, never to the list (rule 8)."""
        valves.gate.clear()
        engine.script(calls(TU("a1", "read_gauge"), TU("a2", v=2)))
        turn = engine.send()
        engine.until(valves.entered.is_set)

        engine.stop(turn)
        events = engine.watch(turn)

        assert of_kind(events, "tool_result")["error"] == outcomes.UNKNOWN
        assert of_kind(events, "denied")["code"] == "stopped"
        told = [block["content"] for block in engine.stored()[2]["content"]]
        assert told == [outcomes.UNKNOWN, outcomes.STOPPED]

        valves.gate.set()
        engine.until_late()

        assert (engine.call("a1").state, engine.call("a1").ok) == ("unknown", True)
        assert engine.stored()[2]["content"][0]["content"] == outcomes.UNKNOWN

    def test_with_whole_calls_in_a_reply_cut_short_says_they_were_not_run(
        self, engine: Engine, valves: Valves
    ) -> None:
        """Rule 14: only what has begun may have had an effect."""
        engine.script(Said(blocks=[TU("a1", "read_gauge"), T("and now")], hold=1))
        turn = engine.send()
        engine.until_held()

        engine.stop(turn)
        events = engine.watch(turn)

        assert of_kind(events, "denied")["code"] == "stopped"
        assert (valves.read, engine.call().started_at) == (0, None)
        assert engine.stored()[2]["content"][0]["content"] == outcomes.STOPPED

    def test_of_a_hold_denies_all_its_calls(self, engine: Engine, valves: Valves) -> None:
        """Rule 13: settled in a transaction of its own, without a model."""
        engine.script(calls(TU("a1", v=1), TU("a2", v=2)))
        turn = engine.send()
        engine.watch(turn)

        engine.stop(turn)
        events = engine.watch(turn, after=4)

        assert [event.get("code") for event in events if event["type"] == "denied"] == [
            "stopped"
        ] * 2
        assert events[-1]["stopReason"] == "stopped"
        assert (valves.opened, len(engine.model.requests)) == ([], 1)
        assert engine.conversation().live is None

    def test_between_two_tries_ends_the_waiting(
        self, engine: Engine, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("chat.loop.BACKOFF", (30.0, 30.0))
        engine.script(fails("transient"))
        turn = engine.send()
        engine.until(lambda: engine.model.streams and engine.model.streams[0].closed)

        engine.stop(turn)

        assert engine.watch(turn)[-1]["stopReason"] == "stopped"

    def test_is_followed_by_a_message_as_if_nothing_had_been_t1_t11(self, engine: Engine) -> None:
        """The list is right the moment Stop is handled; parents are positions, not streams in memory."""
        engine.script(calls(TU("a1", v=1)))
        turn = engine.send()
        engine.watch(turn)
        engine.stop(turn)

        engine.say("wait, stop")

        sent = engine.model.bodies
        assert is_prefix(sent[0], sent[1])
        last = sent[1]["messages"][-1]["content"]
        assert [block["type"] for block in last] == ["tool_result", "text", "text"]
