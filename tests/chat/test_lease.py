"""Who may write a turn: written and judged in the database's time, with a fence that only grows (rule 8)."""

import time

import pytest
from django.contrib.auth.models import User

from chat import lease
from chat.models import Turn
from tests.support import rows
from tests.support.engine import Valves


@pytest.fixture
def turn(owner: User, valves: Valves) -> Turn:
    turn = rows.begun(owner)
    turn.refresh_from_db()
    return turn


class TestALease:
    def test_is_taken_with_the_turn(self, turn: Turn) -> None:
        """Rule 1 of the contract: acknowledged and owned in one commit."""
        assert (turn.lease_owner, turn.fence) == (lease.BOOT, 1)
        assert Turn.objects.filter(lease_until__gt=lease.now()).exists()

    def test_ends_in_the_databases_time(self, turn: Turn) -> None:
        """Rule 8."""
        Turn.objects.update(lease_until=lease.now())

        assert not Turn.objects.filter(lease_until__gt=lease.now()).exists()

    def test_is_taken_over_with_a_higher_fence(self, turn: Turn) -> None:
        assert lease.take(turn) == 2

        turn.refresh_from_db()
        assert (turn.fence, turn.status) == (2, "running")

    @pytest.mark.parametrize("change", [{"fence": 5}, {"status": "held"}])
    def test_is_not_taken_over_twice(self, turn: Turn, change: dict[str, object]) -> None:
        """Rule 8: a guarded UPDATE."""
        Turn.objects.update(**change)

        assert lease.take(turn) is None

    def test_is_renewed_by_its_own_boot_only(
        self, turn: Turn, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        Turn.objects.update(lease_until="2020-01-01T00:00:00+00:00")
        monkeypatch.setattr(lease, "BOOT", "another boot")

        lease.renew([turn.pk])

        assert not Turn.objects.filter(lease_until__gt=lease.now()).exists()


class TestTheDatabasesClock:
    def test_counts_ms_since_1970(self, turn: Turn) -> None:
        """B5: what expiry is set and judged by."""
        assert lease.database_ms(turn.pk) == pytest.approx(time.time() * 1000, abs=60_000)

    def test_goes_forward(self, turn: Turn) -> None:
        assert lease.database_ms(turn.pk) <= lease.database_ms(turn.pk)

    def test_compares_with_what_is_stored(self, turn: Turn) -> None:
        later, earlier = 2**52, 1

        assert Turn.objects.filter(created_at__lt=lease.NowMs()).exists()
        Turn.objects.update(created_at=later)
        assert not Turn.objects.filter(created_at__lt=lease.NowMs()).exists()
        Turn.objects.update(created_at=earlier)
        assert Turn.objects.filter(created_at__lt=lease.NowMs()).exists()
