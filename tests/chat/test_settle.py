"""The moment a segment's messages join the conversation: guarded by fence and flag, prepared outside, one transaction."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection

from chat import lease, material
from chat.journal import LeaseLost
from chat.models import ToolCall, Turn, TurnMessage
from chat.settle import Ending, NotYet, Settled, settle
from history import store
from history.models import Conversation
from tests.chat.starting import keep
from tests.support import rows
from tests.support.engine import NOW, Valves, spoken
from tests.support.notation import TU, A, T, U


@pytest.fixture
def turn(owner: User, valves: Valves) -> Turn:
    return rows.begun(owner)


def end(turn: Turn, reason: str = "end_turn", **more: Any) -> Settled:
    """Settle the turn as its segment would."""
    turn.refresh_from_db()
    ending = Ending(stop_reason=reason, last_seq=rows.last_seq(turn), **more)
    return settle(turn, ending, prefix=material.prefix_of(turn).messages, now=NOW)


class TestSettle:
    def test_writes_the_list_done_and_the_turns_end_at_once(self, turn: Turn) -> None:
        """Rule 16."""
        rows.kept(turn, T("Open."))

        settled = end(turn, usage={"output_tokens": 2}, rounds=1)

        assert [spoken(message) for message in rows.stored(turn)] == ["open V1", "Open."]
        assert rows.told(turn)[-1]["seq"] == settled.done.seq == 2
        assert rows.told(turn)[-1]["usage"] == {"output_tokens": 7} | CONTEXT(turn)
        row = Turn.objects.get()
        assert (row.status, row.base, row.version, row.rounds, row.lease_owner) == (
            "done",
            0,
            2,
            2,
            "",
        )
        assert not TurnMessage.objects.exists()

    def test_builds_on_what_was_healed_once(self, owner: User, valves: Valves) -> None:
        """Rule 16: the first settle writes heal(stored[:cut]) and sets `base` to its length."""
        keep(owner, U(T("x")), A(T("I will."), TU("a0")))
        turn = rows.begun(owner, "go on")
        rows.kept(turn, TU("a1", v=1))

        rows.hold(turn)

        stored = rows.stored(turn)
        assert [message["role"] for message in stored] == [
            "user",
            "assistant",
            "user",
            "user",
            "assistant",
        ]
        assert Turn.objects.get().base == 3
        assert material.load(Turn.objects.get()).prefix == stored[:3]

    def test_moves_the_time_on(self, owner: User, valves: Valves) -> None:
        """Contract 7, rule 5."""
        turn = rows.begun(owner)
        Conversation.objects.update(updated_at=NOW + 5)

        end(turn)

        assert Conversation.objects.get().updated_at == NOW + 6

    def test_never_takes_a_title_away(self, owner: User, valves: Valves) -> None:
        """Contract 7, rule 5: a person's own title stays, whatever the turn began with."""
        turn = rows.begun(owner)
        columns = {"title": "Valves"}
        store.patch(owner_id=owner.pk, cid="c-1", sent=store.Sent(columns=columns), now=NOW)

        end(turn)

        assert Conversation.objects.get().title == "Valves"

    def test_prepares_outside_its_transaction(
        self, turn: Turn, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Rule 16: 82 to 204 ms for 5 MB under the user's lock otherwise."""
        prepare = store.prepare

        def preparing(owner_id: int, messages: list[dict[str, Any]]) -> store.Prepared:
            assert not connection.in_atomic_block
            return prepare(owner_id, messages)

        monkeypatch.setattr(store, "prepare", preparing)

        end(turn)

    def test_that_leaves_the_list_as_it_was_counts_what_was_used(self, turn: Turn) -> None:
        """Rule 18: a turn that was to replace another and failed before a word came is paid for all the same."""
        Turn.objects.update(cut=0)

        end(turn, "failed", usage={"input_tokens": 10, "output_tokens": 2})

        done = rows.told(turn)[-1]
        assert rows.stored(turn) == []
        assert done["spent"] == Conversation.objects.get().facts["spent"]
        assert done["spent"]["tokens"] == 12
        assert done["spent"]["cost"] == done["cost"] > 0

    def test_tells_when_the_turn_began_and_ended_beside_the_list(self, turn: Turn) -> None:
        rows.kept(turn, T("Open."))
        end(turn, usage={"input_tokens": 3})

        (fact,) = Conversation.objects.get().facts["messages"]
        turn.refresh_from_db()
        assert (fact["n"], fact["at"], fact["ended"]["at"]) == (0, turn.created_at, NOW)
        assert (fact["ended"]["model"], fact["ended"]["stopReason"]) == (turn.model, "end_turn")
        assert fact["ended"]["usage"]["input_tokens"] == 3

    @pytest.mark.parametrize(
        "change",
        [{"fence": 9}, {"lease_owner": "another"}, {"status": "interrupted"}],
    )
    def test_of_a_turn_that_another_has_writes_nothing(
        self, turn: Turn, change: dict[str, Any]
    ) -> None:
        """Rule 8: it requires (fence, owner, running) in its own transaction."""
        turn.refresh_from_db()
        Turn.objects.update(**change)

        with pytest.raises(LeaseLost):
            settle(turn, Ending(stop_reason="end_turn", last_seq=1), prefix=[], now=NOW)

        assert rows.stored(turn) == []

    def test_of_a_deleted_conversation_writes_nothing(self, owner: User, turn: Turn) -> None:
        """Rules 8, 17."""
        store.bury(owner_id=owner.pk, cid="c-1", now=NOW)

        with pytest.raises(LeaseLost):
            settle(turn, Ending(stop_reason="end_turn", last_seq=1), prefix=[], now=NOW)

        assert Conversation.objects.get().is_deleted

    def test_gives_the_lease_up(self, turn: Turn) -> None:
        end(turn)

        assert not Turn.objects.held_under(lease=lease.BOOT, fence=1).exists()


def CONTEXT(turn: Turn) -> dict[str, int]:  # noqa: N802  reads as a constant beside the usage
    """Return what `done` says beside the tokens that were summed."""
    usage = rows.told(turn)[-1]["usage"]
    return {name: value for name, value in usage.items() if not name.endswith("_tokens")}


class TestAHold:
    @pytest.fixture
    def asked(self, turn: Turn) -> list[ToolCall]:
        return rows.kept(turn, TU("a1", v=1), TU("a2", v=2))

    def test_ends_the_list_with_the_unanswered_message(
        self, turn: Turn, asked: list[ToolCall]
    ) -> None:
        """Rule 16."""
        end(turn, "held")

        assert rows.stored(turn)[-1] == A(TU("a1", v=1), TU("a2", v=2))
        assert rows.told(turn)[-1]["pending"] == ["a1", "a2"]
        assert TurnMessage.objects.count() == 2

    def test_is_not_settled_where_a_stop_came_in(self, turn: Turn, asked: list[ToolCall]) -> None:
        """Rule 13."""
        Turn.objects.update(stop=True)

        with pytest.raises(NotYet):
            end(turn, "held")

    @pytest.mark.parametrize("state", ["approved", "denied"])
    def test_is_not_settled_where_a_decision_came_in(
        self, turn: Turn, asked: list[ToolCall], state: str
    ) -> None:
        """Rule 12: re-read under the lock."""
        ToolCall.objects.filter(call_id="a1").update(state=state, decided_at=NOW)

        with pytest.raises(NotYet):
            end(turn, "held")

        assert rows.stored(turn) == []

    def test_is_not_settled_where_all_is_decided(self, turn: Turn, asked: list[ToolCall]) -> None:
        """Rule 12."""
        ToolCall.objects.update(state="denied", announced=True, told=True, decided_at=NOW)

        with pytest.raises(NotYet):
            end(turn, "held")
