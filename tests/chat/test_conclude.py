"""Ending a turn that nobody runs: truthfully, once, without any effect and without a model."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection

from chat import sweep
from chat.closing import CRASH, EXPIRY, RESTART, STOP
from chat.conclude import conclude, partial_text
from chat.events import Reset
from chat.models import ToolCall, Turn, TurnMessage
from history import outcomes, store
from history.messages import check, faults, heal
from history.models import Conversation
from tests.support import rows
from tests.support.engine import NOW, Valves, kinds, spoken
from tests.support.notation import TU, T, U


@pytest.fixture(autouse=True)
def _nothing_runs(valves: Valves) -> Iterator[None]:
    """Never an effect: recovery runs no tool."""
    yield
    assert (valves.read, valves.opened) == (0, [])


@pytest.fixture
def turn(owner: User, valves: Valves) -> Turn:
    return rows.begun(owner)


def texts(turn: Turn) -> list[object]:
    """Return what the model is told of its calls."""
    return [block["content"] for block in rows.stored(turn)[2]["content"]]


class TestAfterACrash:
    def test_keeps_the_message_and_says_why(self, turn: Turn) -> None:
        """Rule 10; contract 7, rule 3."""
        rows.abandon(turn)

        assert conclude(turn.pk, CRASH, now=NOW)

        assert kinds(rows.told(turn)) == ["user_text", "error", "done"]
        assert rows.told(turn)[1]["code"] == "interrupted"
        assert rows.told(turn)[2]["stopReason"] == "interrupted"
        assert [spoken(message) for message in rows.stored(turn)] == ["open V1"]
        row = Turn.objects.get()
        assert (row.status, row.left, row.error) == ("interrupted", 1, "interrupted")
        assert Conversation.objects.get().live is None
        assert not TurnMessage.objects.exists()

    def test_keeps_the_text_that_was_journaled(self, turn: Turn) -> None:
        """Rule 10: what a reset voided does not count, nor what belongs to a finished message."""
        rows.kept(turn, T("First."), TU("a1", "gone"))
        rows.text(turn, "void")
        rows.journal(turn, Reset())
        rows.text(turn, "The val", "ve")
        rows.abandon(turn)

        conclude(turn.pk, CRASH, now=NOW)

        assert [spoken(m) for m in rows.stored(turn) if m["role"] == "assistant"] == [
            "First.",
            "The valve",
        ]
        assert faults(rows.stored(turn)) == []

    def test_calls_what_had_begun_unknown_and_runs_it_never_again_t7_t72(self, turn: Turn) -> None:
        """Contract 7, rule 3."""
        rows.kept(turn, TU("a1", "read_gauge"), TU("a2", "read_gauge"))
        done = ToolCall.objects.filter(call_id="a1")
        done.update(state="done", ok=True, told=True, result={"text": "7 bar"})
        rows.abandon(turn)

        conclude(turn.pk, CRASH, now=NOW)

        first, second = texts(turn)
        assert "7 bar" in str(first)
        assert second == outcomes.UNKNOWN
        assert heal(rows.stored(turn)).messages == rows.stored(turn)

    def test_calls_what_was_approved_and_had_not_begun_not_run_t7(self, turn: Turn) -> None:
        """Contract 7, rule 3: and the approval is void: nobody stopped it."""
        rows.kept(turn, TU("a1", v=1))
        approved = {"state": "approved", "decided_by": turn.owner, "decided_at": NOW}
        ToolCall.objects.update(**approved)
        rows.abandon(turn)

        conclude(turn.pk, CRASH, now=NOW)

        assert kinds(rows.told(turn))[-4:] == ["decided", "tool_result", "error", "done"]
        assert texts(turn) == [outcomes.NOT_RUN]
        assert ToolCall.objects.get().announced

    def test_tells_a_refusal_that_was_written_down_and_not_told(self, turn: Turn) -> None:
        rows.kept(turn, TU("a1", v=1))
        ToolCall.objects.update(state="denied", decided_by=turn.owner, decided_at=NOW)
        rows.abandon(turn)

        conclude(turn.pk, CRASH, now=NOW)

        assert [event.get("code") for event in rows.told(turn)][-3:] == [
            "denied",
            "interrupted",
            None,
        ]
        assert texts(turn) == [outcomes.DENIED]

    def test_holds_again_what_still_waits_t66_t71(self, turn: Turn) -> None:
        """Rule 10: all others are answered first, nothing is reset."""
        rows.kept(turn, TU("a1", "read_gauge"), TU("a2", v=2))
        rows.abandon(turn)

        conclude(turn.pk, CRASH, now=NOW)

        assert kinds(rows.told(turn))[-3:] == ["tool_result", "error", "done"]
        last = rows.told(turn)[-1]
        assert (last["done"], last["pending"], last["stopReason"]) == (False, ["a2"], "held")
        assert Conversation.objects.get().live == {"turnId": turn.turn_id, "status": "held"}
        assert rows.stored(turn)[-1]["role"] == "assistant"

    def test_takes_no_turn_whose_lease_still_runs(self, turn: Turn) -> None:
        """Rules 8, 9."""
        assert not conclude(turn.pk, CRASH, now=NOW)
        assert not conclude(turn.pk, RESTART, now=NOW)
        assert Turn.objects.get().status == "running"

    def test_takes_none_that_was_taken_already(self, turn: Turn) -> None:
        """Rule 9: two that sweep at once conclude once; one held again meanwhile is left alone."""
        rows.kept(turn, TU("a2", v=2))
        rows.abandon(turn)
        conclude(turn.pk, CRASH, now=NOW)
        before = rows.told(turn)

        assert not conclude(turn.pk, CRASH, now=NOW)
        assert rows.told(turn) == before

    def test_obeys_a_stop_that_came_before_the_crash(self, turn: Turn) -> None:
        """Rule 13."""
        rows.kept(turn, TU("a1", v=1))
        Turn.objects.update(stop=True)
        rows.abandon(turn)

        conclude(turn.pk, CRASH, now=NOW)

        assert rows.told(turn)[-1]["stopReason"] == "stopped"
        assert texts(turn) == [outcomes.STOPPED]

    def test_prepares_outside_its_transaction_and_again_when_something_moved(
        self, turn: Turn, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Rule 16: what was heavy is not done under the lock, and what was written meanwhile is not lost."""
        rows.kept(turn, TU("a1", v=1))
        rows.abandon(turn)
        prepare = store.prepare
        prepared: list[int] = []

        def preparing(owner_id: int, messages: list[dict[str, Any]]) -> store.Prepared:
            assert not connection.in_atomic_block
            if not prepared:
                ToolCall.objects.update(state="approved", decided_by=turn.owner, decided_at=NOW)
            prepared.append(len(messages))
            return prepare(owner_id, messages)

        monkeypatch.setattr(store, "prepare", preparing)

        assert conclude(turn.pk, CRASH, now=NOW)

        assert prepared == [2, 3]
        assert texts(turn) == [outcomes.NOT_RUN]

    def test_makes_one_request_of_the_model_at_the_next_message_only(self, turn: Turn) -> None:
        """The list can be sent as it is."""
        rows.kept(turn, T("I look."), TU("a1", "read_gauge"))
        rows.abandon(turn)

        conclude(turn.pk, CRASH, now=NOW)

        assert check([*rows.stored(turn), U(T("go on"))]) == []


class TestAStopOfAHold:
    def test_answers_all_calls_and_settles(self, turn: Turn) -> None:
        """Rule 13."""
        rows.kept(turn, TU("a1", v=1), TU("a2", v=2))
        rows.hold(turn)

        assert conclude(turn.pk, STOP, now=NOW)

        assert texts(turn) == [outcomes.STOPPED] * 2
        assert Turn.objects.get().status == "stopped"
        assert Turn.objects.get().left is None

    def test_leaves_a_running_turn_to_its_process(self, turn: Turn) -> None:
        assert not conclude(turn.pk, STOP, now=NOW)


class TestAnExpiry:
    def test_answers_what_is_overdue_and_holds_the_rest(self, turn: Turn) -> None:
        """Rule 15."""
        rows.kept(turn, TU("a1", v=1), TU("a2", v=2))
        rows.hold(turn)
        ToolCall.objects.filter(call_id="a1").update(expires_at=1)

        assert conclude(turn.pk, EXPIRY, now=NOW)

        assert rows.told(turn)[-1]["pending"] == ["a2"]
        assert [call.state for call in ToolCall.objects.order_by("pk")] == ["expired", "pending"]

    def test_of_the_last_ends_the_turn_without_a_model(self, turn: Turn) -> None:
        """Contract 7, rule 6."""
        rows.kept(turn, TU("a1", v=1))
        rows.hold(turn)
        ToolCall.objects.update(expires_at=1)

        sweep.expire()

        assert rows.told(turn)[-1]["stopReason"] == "expired"
        assert texts(turn) == [outcomes.EXPIRED]
        assert Turn.objects.get().status == "done"

    def test_is_not_reached_before_its_time(self, turn: Turn) -> None:
        rows.kept(turn, TU("a1", v=1))
        rows.hold(turn)

        sweep.expire()

        assert Turn.objects.get().status == "held"


class TestPartialText:
    @pytest.mark.parametrize(
        ("made", "text"),
        [
            ([], ""),
            ([("text_delta", "a"), ("text_delta", "b")], "ab"),
            ([("text_delta", "a"), ("reset", ""), ("text_delta", "b")], "b"),
            ([("thinking_delta", "hm"), ("text_delta", "a")], "a"),
        ],
    )
    def test_is_what_was_shown_after_the_last_reset(
        self, made: list[tuple[str, str]], text: str
    ) -> None:
        """Rule 10: unsigned thinking is dropped."""
        assert partial_text([{"type": kind, "text": words} for kind, words in made]) == text
