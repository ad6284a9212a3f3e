"""What a replay says beside the stored list: the events of a live turn and of its replay tell the same."""

from typing import Any

import pytest

from chat import answers, thinking
from chat.models import ToolCall, Turn
from history import store
from history.clock import now_ms
from history.replay import events_of
from history.sent import Sent
from tests.support.engine import Engine
from tests.support.notation import TH, TU, T, U
from tests.support.scripted import Said, calls, fails, says


def thinks(words: str, *then: dict[str, Any], **options: Any) -> Said:
    return Said(blocks=[{"type": "thinking", "thinking": words}, *then], **options)


def of_kind(events: list[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    return [event for event in events if event["type"] == kind]


def replayed(engine: Engine, kind: str) -> list[dict[str, Any]]:
    return of_kind(events_of(engine.conversation()), kind)


class TestThinking:
    def test_ends_with_how_long_it_took_live_and_in_the_replay(self, engine: Engine) -> None:
        engine.script(thinks("about it", TU("a1", "read_gauge", v=1)), thinks("again", T("7 bar")))

        live = of_kind(engine.say(), "thinking_delta")

        spans = [event["ms"] for event in live if "ms" in event]
        assert len(spans) == 2
        assert all(event["text"] == "" for event in live if "ms" in event)
        assert "".join(event["text"] for event in live) == "about itagain"
        assert [event["ms"] for event in replayed(engine, "thinking_delta")] == spans

    def test_of_an_attempt_that_failed_does_not_count(self, engine: Engine) -> None:
        engine.script(
            fails("invalid", blocks=[TH("void")]), thinks("kept", TU("a1", "read_gauge", v=1))
        )

        engine.say()

        assert len(replayed(engine, "thinking_delta")) <= 1
        assert len(Turn.objects.get().thought) == len(replayed(engine, "thinking_delta"))

    @pytest.mark.parametrize(
        ("content", "count"),
        [
            ([], 0),
            ([TH("a"), TH("b"), T("x")], 1),
            ([TH("a"), T("x"), TH("b"), TU("c1")], 2),
            ([TH("a"), TU("c1"), TH("b")], 2),
            ([TH(""), T("x")], 0),
            ([TH("a"), {"type": "redacted_thinking", "data": "x"}, TH("b")], 1),
        ],
    )
    def test_is_counted_in_runs_as_a_person_sees_them(
        self, content: list[dict[str, Any]], count: int
    ) -> None:
        assert thinking.runs(content) == count


class TestCalls:
    def test_say_how_long_they_took(self, engine: Engine) -> None:
        engine.script(calls(TU("a1", "read_gauge", v=1)), says("7 bar"))

        live = of_kind(engine.say(), "tool_result")

        call = ToolCall.objects.get()
        assert live[0]["ms"] == (call.ended_at or 0) - (call.started_at or 0)
        assert replayed(engine, "tool_result")[0]["ms"] == live[0]["ms"]

    def test_whose_end_was_not_seen_say_nothing(self, engine: Engine) -> None:
        engine.script(calls(TU("a1", "read_gauge", v=1)), says("7 bar"))
        engine.say()
        call = ToolCall.objects.get()
        call.state = "unknown"

        assert answers.took(call) is None


class TestTurns:
    def test_say_when_they_were_and_how_they_ended(self, engine: Engine) -> None:
        engine.script(says("yes"), fails("rate_limited", retry_after=90.0))

        first = of_kind(engine.say("one"), "user_text")[0]
        failed = of_kind(engine.say("two"), "error")[0]

        said = replayed(engine, "user_text")
        assert said[0]["at"] == first["at"]
        assert said[0]["ended"]["stopReason"] == "end_turn"
        assert "error" not in said[0]["ended"]
        assert said[1]["ended"]["stopReason"] == "failed"
        assert said[1]["ended"]["error"] == {
            "code": failed["code"],
            "message": failed["message"],
            "retryable": True,
        }
        assert failed["message"].endswith("Try again in 90 seconds.")
        assert failed["retryAfter"] == 90

    def test_that_are_held_have_no_end(self, engine: Engine) -> None:
        engine.script(calls(TU("a1", v=1)))

        engine.say()

        assert "ended" not in replayed(engine, "user_text")[0]

    def test_of_another_list_lend_it_nothing(self, engine: Engine) -> None:
        """A client may replace the messages: positions are the same then, the words are not."""
        engine.script(says("yes"))
        engine.say("one")
        sent = Sent(columns={}, ready=store.prepare(engine.owner.pk, [U(T("other"))]))

        store.save(owner_id=engine.owner.pk, cid="c-1", sent=sent, now=now_ms())

        assert "at" not in replayed(engine, "user_text")[0]

    def test_that_were_replaced_are_told_no_more(self, engine: Engine) -> None:
        engine.script(says("first"), says("second"))
        engine.say("one")
        version = engine.conversation().version

        again = of_kind(engine.say("one", truncate_at=0, version=version), "user_text")[0]

        said = replayed(engine, "user_text")
        assert [event["at"] for event in said] == [again["at"]]
