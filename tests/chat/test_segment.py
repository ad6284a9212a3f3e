"""Whole turns over real rows, against a scripted model: what is shown, what is stored, what is sent."""

import pytest
from django.conf import settings
from django.contrib.auth.models import User

from chat.models import ToolCall, Turn, TurnMessage
from history.messages import transcript
from tests.support.engine import Engine, Valves, journaled, kinds, of_kind, spoken
from tests.support.notation import SU, TU, T
from tests.support.scripted import Said, calls, says


class TestATurn:
    def test_shows_what_is_said_and_stores_it_at_its_end(self, engine: Engine) -> None:
        """Rule 16; contract 7, rule 5."""
        engine.script(says("Hello there.", usage={"input_tokens": 3, "output_tokens": 2}))

        events = engine.say("hi")

        assert kinds(events) == ["user_text", "text_delta", "done"]
        assert [event["seq"] for event in events] == list(range(1, len(events) + 1))
        assert events[-1] | {"seq": 0, "turnId": ""} == {
            "type": "done",
            "turnId": "",
            "seq": 0,
            "conversationId": "c-1",
            "done": True,
            "pending": [],
            "stopReason": "end_turn",
            "version": 2,
            "usage": {"input_tokens": 3, "output_tokens": 2, "contextTokens": 5},
            "model": "claude-sonnet-5-5",
            "cost": 26,
            "spent": {"tokens": 5, "cost": 26},
            "at": events[-1]["at"],
        }
        asked, answered = engine.stored()
        assert (spoken(asked), spoken(answered)) == ("hi", "Hello there.")
        stored = engine.conversation()
        assert (stored.version, stored.title, stored.live) == (2, "hi", None)

    def test_runs_calls_that_read_and_goes_on_t101(self, engine: Engine, valves: Valves) -> None:
        """A result continues the turn it belongs to."""
        engine.script(
            calls(TU("a1", "read_gauge", v=1), before="I will look."),
            calls(TU("a2", "read_gauge")),
            says("7 bar."),
        )

        events = engine.say()

        assert kinds(events) == [
            "user_text", "text_delta", "tool_call", "tool_result", "tool_call", "tool_result", "text_delta", "done"
        ]  # fmt: skip
        assert valves.read == 2
        result = of_kind(events, "tool_result")
        assert (result["ok"], result["autoRun"], result["text"]) == (True, True, "7 bar")
        assert [message["role"] for message in engine.stored()] == ["user", "assistant"] * 3
        assert events[-1]["usage"] == {"output_tokens": 21}

    def test_numbers_its_events_once(self, engine: Engine) -> None:
        """Rule 1: what was shown is what was kept, in one row a flush."""
        engine.script(calls(TU("a1", "read_gauge"), before="I will look."), says("7 bar."))
        turn = engine.send()

        shown = engine.watch(turn)

        assert journaled(turn) == shown

    def test_is_told_the_same_to_whoever_comes_later(self, engine: Engine) -> None:
        """Rule 1: a resume from every position gives no gap and no double."""
        engine.script(calls(TU("a1", "read_gauge"), before="I will look."), says("7 bar."))
        turn = engine.send()
        shown = engine.watch(turn)

        for after in range(len(shown)):
            assert engine.watch(turn, after=after) == shown[after:]

    def test_is_replayed_from_the_list_as_it_was_shown(self, engine: Engine) -> None:
        """Contract 6: the shapes of the live stream."""
        engine.script(
            calls(TU("a1", "read_gauge")), calls(TU("a2", "gone", v=1)), says("7 bar.", chunk=99)
        )
        *shown, _ = engine.say()

        replayed = transcript(engine.stored(), image_url=lambda _: None)

        keys = ("type", "callId", "tool", "args", "ok", "text", "error", "images")
        told, retold = (
            [{k: e.get(k) for k in keys} for e in events] for events in (shown, replayed)
        )
        assert retold == told

    def test_leaves_its_audit_and_no_working_copy(self, engine: Engine) -> None:
        engine.script(calls(TU("a1", "read_gauge")), says("7 bar."))
        engine.say()

        call, turn = ToolCall.objects.get(), Turn.objects.get()
        assert not TurnMessage.objects.exists()
        assert (call.state, call.ok, call.result, call.told) == ("done", True, None, True)
        assert (turn.status, turn.lease_owner, turn.rounds) == ("done", "", 2)

    def test_is_over_after_as_many_rounds_as_it_may_take(
        self, engine: Engine, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Contract 7, rule 7."""
        monkeypatch.setattr(settings, "KENNY_MAX_ROUNDS", 2)
        engine.script(calls(TU("a1", "read_gauge")), calls(TU("a2", "read_gauge")))

        events = engine.say()

        assert kinds(events)[-3:] == ["tool_result", "error", "done"]
        assert (events[-2]["code"], events[-1]["stopReason"]) == (
            "too_many_rounds",
            "too_many_rounds",
        )
        assert engine.stored()[-1]["content"][0]["type"] == "tool_result"

    def test_goes_on_by_itself_after_a_pause_t96(self, engine: Engine) -> None:
        engine.script(
            Said(blocks=[T("Looking."), SU("srvtoolu_1")], stop="pause_turn"), says("Found.")
        )

        events = engine.say()

        assert events[-1]["stopReason"] == "end_turn"
        assert [message["role"] for message in engine.stored()] == [
            "user",
            "assistant",
            "assistant",
        ]


class TestReplies:
    def test_that_were_cut_are_tried_once_with_more_room_t52(self, engine: Engine) -> None:
        cut = Said(blocks=[T("half"), TU("a1")], stop="max_tokens")
        engine.script(cut, cut)

        events = engine.say()

        assert [request.max_tokens for request in engine.model.requests] == [16_000, 32_000]
        assert (events[-2]["code"], events[-1]["stopReason"]) == ("max_tokens", "max_tokens")
        assert spoken(engine.stored()[-1]) == "half"
        assert not ToolCall.objects.exists()

    def test_that_refuse_leave_nothing(self, engine: Engine) -> None:
        engine.script(Said(blocks=[T("I will n")], stop="refusal"))

        events = engine.say()

        assert kinds(events)[-3:] == ["reset", "error", "done"]
        assert len(engine.stored()) == 1

    def test_with_unreadable_arguments_are_answered_and_go_on_t83(self, engine: Engine) -> None:
        """The process survives, the model is told."""
        block = TU("a1") | {"input": {"INVALID_JSON": '{"v": NaN}'}}
        engine.script(calls(block, unreadable={"a1": "It is no JSON."}), says("Sorry."))

        events = engine.say()

        result = of_kind(events, "tool_result")
        assert (result["ok"], result["error"]) == (False, "It is no JSON. The call was not run.")
        assert events[-1]["stopReason"] == "end_turn"

    def test_with_the_same_call_id_twice_are_told_apart_t25(
        self, engine: Engine, valves: Valves
    ) -> None:
        """A proxy's ids are not trusted to be unique."""
        engine.script(
            calls(TU("a1", "read_gauge"), TU("a1", "read_gauge")),
            calls(TU("a1", "read_gauge")),
            says("7 bar."),
        )

        events = engine.say()

        assert events[-1]["stopReason"] == "end_turn"
        assert valves.read == 3


class TestTwoPeople:
    def test_have_turns_of_their_own(self, engine: Engine, django_user_model: type[User]) -> None:
        bob = django_user_model.objects.create_user("bob")
        engine.say("mine")

        mine, engine.owner = engine.owner, bob
        engine.say("his")

        assert [spoken(message) for message in engine.stored()] == ["his", "ok"]
        engine.owner = mine
        assert [spoken(message) for message in engine.stored()] == ["mine", "ok"]
