"""What is done for turns that nobody runs: recovery, and forgetting old events."""

import json
from collections.abc import Iterator

import pytest
from django.contrib.auth.models import User

from chat import lease, sweep
from chat.closing import CRASH
from chat.conclude import conclude
from chat.models import ToolCall, Turn, TurnEvent, TurnMessage
from history.models import Conversation
from tests.chat.starting import keep, send
from tests.support import rows
from tests.support.engine import NOW, Valves, spoken
from tests.support.notation import TU, A, T, U


@pytest.fixture(autouse=True)
def _nothing_runs(valves: Valves) -> Iterator[None]:
    """Never an effect: recovery runs no tool."""
    sweep._faults.clear()
    yield
    assert (valves.read, valves.opened) == (0, [])


@pytest.fixture
def turn(owner: User, valves: Valves) -> Turn:
    return rows.begun(owner)


class TestRecovery:
    def test_takes_up_expired_leases(self, owner: User, valves: Valves) -> None:
        """Rule 9: but none of its own process, and none that another one renews."""
        mine, theirs, gone = (rows.begun(owner, cid=f"c-{n}") for n in range(3))
        rows.abandon(mine)
        rows.abandon(gone)

        sweep.recover({mine.pk}, every=False)

        found = dict(Turn.objects.values_list("pk", "status"))
        assert found == {mine.pk: "running", theirs.pk: "running", gone.pk: "interrupted"}

    def test_takes_up_every_turn_of_another_boot_where_this_one_is_alone(
        self, owner: User, valves: Valves, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Rule 9: SQLite, whatever the lease says."""
        turn = rows.begun(owner)
        monkeypatch.setattr(lease, "BOOT", "the next boot")

        sweep.recover(set(), every=True)

        turn.refresh_from_db()
        assert turn.status == "interrupted"

    def test_of_one_that_cannot_be_settled_does_not_keep_the_others(
        self, owner: User, valves: Valves, caplog: pytest.LogCaptureFixture
    ) -> None:
        bad, good = (rows.abandon(rows.begun(owner, cid=f"c-{n}")) for n in range(2))
        TurnEvent.objects.filter(turn=bad).update(events="no JSON", last_seq=9)

        sweep.recover(set(), every=False)

        found = dict(Turn.objects.values_list("pk", "status"))
        assert found == {bad.pk: "running", good.pk: "interrupted"}
        assert "could not be settled" in caplog.text


class TestATurnThatCannotBeSettled:
    """Its events are no JSON, as a disk might leave them: whoever reads them fails, each time anew."""

    @pytest.fixture
    def broken(self, turn: Turn) -> Turn:
        TurnEvent.objects.filter(turn=turn).update(events="no JSON", last_seq=9)
        return rows.abandon(turn)

    def sweep(self, times: int = sweep.TRIES) -> None:
        for _ in range(times):
            sweep.recover(set(), every=False)

    def test_is_tried_again_before_it_is_given_up(self, broken: Turn) -> None:
        self.sweep(sweep.TRIES - 1)

        broken.refresh_from_db()
        assert broken.status == "running"

    def test_ends_as_failed_and_is_named(
        self, broken: Turn, caplog: pytest.LogCaptureFixture
    ) -> None:
        self.sweep()

        broken.refresh_from_db()
        assert (broken.status, broken.stop_reason, broken.error) == ("failed", "failed", "internal")
        assert f"turn {broken.turn_id} could not be settled" in caplog.text
        assert Conversation.objects.get().live is None

    def test_tells_whoever_watches(self, broken: Turn) -> None:
        self.sweep()

        last = TurnEvent.objects.filter(turn=broken).order_by("last_seq").last()
        assert last is not None
        error, done = json.loads(last.events)
        assert (error["type"], error["seq"], error["code"]) == ("error", 10, "internal")
        assert (done["type"], done["seq"], done["stopReason"]) == ("done", 11, "failed")

    def test_keeps_what_the_person_said(self, broken: Turn) -> None:
        """Acknowledged is stored."""
        self.sweep()

        assert [spoken(message) for message in rows.stored(broken)] == ["open V1"]
        assert Conversation.objects.get().version == 2

    def test_leaves_the_history_as_it_was_where_not_even_that_can_be_read(
        self, owner: User, valves: Valves
    ) -> None:
        keep(owner, U(T("one")), A(T("1")))
        broken = rows.abandon(rows.begun(owner))
        TurnMessage.objects.filter(turn=broken).delete()

        self.sweep()

        broken.refresh_from_db()
        assert broken.status == "failed"
        assert rows.stored(broken) == [U(T("one")), A(T("1"))]

    def test_cuts_nothing(self, owner: User, valves: Valves) -> None:
        version = keep(owner, U(T("one")), A(T("1")))
        broken = send(owner, "one again", truncate_at=0, version=version).turn
        TurnEvent.objects.filter(turn=broken).update(events="no JSON", last_seq=9)
        rows.abandon(broken)

        self.sweep()

        assert rows.stored(broken) == [U(T("one")), A(T("1"))]
        assert TurnMessage.objects.filter(turn=broken).exists(), "for whoever looks into it"

    def test_runs_no_call_and_asks_nobody_any_more(self, turn: Turn) -> None:
        rows.kept(turn, TU("a1", v=1), TU("r1", "read_gauge"), TU("a2", v=2))
        ToolCall.objects.filter(call_id="a2").update(state="approved", decided_at=NOW)
        TurnEvent.objects.create(turn=turn, events="no JSON", last_seq=rows.last_seq(turn) + 1)
        rows.abandon(turn)

        self.sweep()

        states = dict(ToolCall.objects.values_list("call_id", "state"))
        assert states == {"a1": "not_run", "r1": "unknown", "a2": "not_run"}

    def test_does_not_stand_in_the_way_of_the_next_message(self, owner: User, broken: Turn) -> None:
        self.sweep()

        assert send(owner, "and now?").fresh

    def test_does_not_count_the_faults_of_another_time(self, broken: Turn) -> None:
        self.sweep(sweep.TRIES - 1)
        TurnEvent.objects.filter(turn=broken).update(events="[]", last_seq=1)
        self.sweep(1)

        broken.refresh_from_db()
        assert broken.status == "interrupted"
        assert broken.pk not in sweep._faults


class TestForgetting:
    def test_drops_events_ten_minutes_after_the_end(self, turn: Turn) -> None:
        """Rule 6: never those of a hold."""
        rows.abandon(turn)
        conclude(turn.pk, CRASH, now=NOW)

        sweep.forget_events(now=NOW + sweep.KEEP_EVENTS_MS)
        assert TurnEvent.objects.exists()
        sweep.forget_events(now=NOW + sweep.KEEP_EVENTS_MS + 1)
        assert not TurnEvent.objects.exists()

    def test_keeps_those_of_a_hold(self, turn: Turn) -> None:
        """Rule 6."""
        rows.kept(turn, TU("a1", v=1))
        rows.hold(turn)

        sweep.forget_events(now=NOW * 2)

        assert TurnEvent.objects.exists()
