"""What is done for turns that nobody runs: recovery, and forgetting old events."""

from collections.abc import Iterator

import pytest
from django.contrib.auth.models import User

from chat import lease, sweep
from chat.closing import CRASH
from chat.conclude import conclude
from chat.models import Turn, TurnEvent
from tests.support import rows
from tests.support.engine import NOW, Valves
from tests.support.notation import TU


@pytest.fixture(autouse=True)
def _nothing_runs(valves: Valves) -> Iterator[None]:
    """Never an effect: recovery runs no tool."""
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
