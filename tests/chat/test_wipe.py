"""A delete takes chat's rows along, inside history's transaction (rule 17)."""

import json
from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.db import transaction

from chat.journal import LeaseLost
from chat.models import ToolCall, Turn, TurnEvent, TurnMessage
from chat.settle import Ending, settle
from history import store
from tests.support import rows
from tests.support.engine import NOW, Engine, Valves
from tests.support.notation import TU

SECRET = "the safe is behind the clock"

DELETES: dict[str, Callable[[int], object]] = {
    "bury": lambda owner_id: store.bury(owner_id=owner_id, cid="c-1", now=NOW),
    "bury_all": lambda owner_id: store.bury_all(owner_id=owner_id, now=NOW),
}


@pytest.fixture
def turn(owner: User, valves: Valves) -> Turn:
    turn = rows.begun(owner, SECRET)
    rows.kept(turn, TU("a1", "read_gauge", said=SECRET), TU("a2", v=2))
    rows.text(turn, SECRET)
    ToolCall.objects.filter(call_id="a1").update(state="done", result={"text": SECRET}, told=True)
    return turn


class TestADelete:
    @pytest.mark.parametrize("how", DELETES)
    def test_leaves_no_word_of_the_turn(self, owner: User, turn: Turn, how: str) -> None:
        DELETES[how](owner.pk)

        left = [
            *TurnEvent.objects.values_list("events", flat=True),
            *TurnMessage.objects.values_list("payload", flat=True),
            *ToolCall.objects.values_list("canonical_args", "args", "result"),
        ]
        assert SECRET not in json.dumps(left)
        assert not TurnMessage.objects.exists()

    def test_keeps_the_audit(self, owner: User, turn: Turn) -> None:
        """Contract 5: tool, digest, decision, times; never arguments."""
        DELETES["bury"](owner.pk)

        done, open_ = ToolCall.objects.order_by("pk")
        assert (done.state, open_.state, open_.tool) == ("done", "superseded", "set_valve")
        assert len(open_.digest) == 64

    def test_ends_the_turn_with_one_done(self, owner: User, turn: Turn) -> None:
        before = rows.last_seq(turn)

        DELETES["bury"](owner.pk)

        (done,) = rows.told(turn)
        assert (done["type"], done["stopReason"], done["seq"]) == ("done", "deleted", before + 1)
        assert done["version"] == store_version(turn)
        row = Turn.objects.get()
        assert (row.status, row.fence, row.lease_owner) == ("discarded", 2, "")

    def test_sends_who_had_seen_more_than_was_kept_back_to_the_start(
        self, owner: User, turn: Turn
    ) -> None:
        """Rule 3: text may be shown before it is kept."""
        before = rows.last_seq(turn)

        DELETES["bury"](owner.pk)

        assert Turn.objects.get().left == before

    def test_takes_the_lease_from_the_process_that_runs_it(self, owner: User, turn: Turn) -> None:
        turn.refresh_from_db()
        DELETES["bury"](owner.pk)

        with pytest.raises(LeaseLost):
            settle(turn, Ending(stop_reason="end_turn", last_seq=9), prefix=[], now=NOW)

    def test_is_undone_with_its_transaction(self, owner: User, turn: Turn) -> None:
        with transaction.atomic():
            DELETES["bury"](owner.pk)
            transaction.set_rollback(True)

        assert Turn.objects.get().status == "running"
        assert ToolCall.objects.get(call_id="a2").state == "pending"

    def test_empties_turns_that_were_over(self, engine: Engine) -> None:
        turn = engine.send(SECRET)
        engine.watch(turn)

        DELETES["bury"](engine.owner.pk)

        assert rows.told(turn) == []
        assert Turn.objects.get().status == "done"


def store_version(turn: Turn) -> int:
    turn.conversation.refresh_from_db()
    return turn.conversation.version
