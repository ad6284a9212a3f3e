"""That copies kept by the documented API alone end up equal.

Whatever happens, nothing deleted comes back, no word is lost, versions and numbers have no gap.
"""

import os
from typing import Any

import pytest
from django.db import transaction
from hypothesis import HealthCheck, settings
from hypothesis.stateful import run_state_machine_as_test

from history import feed
from history.models import Conversation, SyncState
from history.sent import Conditions
from tests.history.conftest import Api
from tests.history.devices import Service
from tests.history.machine import Machine, simulate

LONG = os.environ.get("KENNY_LONG") == "1"
RUNS = 60_000 if LONG else int(os.environ.get("KENNY_MACHINE_RUNS", "100"))

# A run takes a tenth of a second of one core; a busy machine must not make it fail.
pytestmark = [pytest.mark.django_db, pytest.mark.timeout(0 if LONG else 900)]


class TestMachine:
    def test_holds_whatever_is_lost_late_deleted_or_restored(self) -> None:
        simulate(runs=RUNS)

    def test_holds_against_a_search_for_a_counterexample(self) -> None:
        run_state_machine_as_test(
            Machine,
            settings=settings(
                max_examples=RUNS // 4,
                stateful_step_count=16,
                deadline=None,
                suppress_health_check=list(HealthCheck),
            ),
        )


class TestMutants:
    """Each rule broken once: the machine must notice, or it proves nothing."""

    def caught(self) -> str:
        """Return the machine's complaint about the broken rule."""
        with pytest.raises(AssertionError) as caught, transaction.atomic():
            simulate(runs=400)
        return repr(caught.value)

    def test_ignored_conditions_lose_words(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(Conditions, "check", lambda _self, _row: None)

        assert "lost" in self.caught()

    def test_an_unknown_id_deleted_without_a_tombstone_comes_back(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        real = Service.delete
        monkeypatch.setattr(
            Service, "delete", lambda it, cid: real(it, cid) if cid in it.versions else None
        )

        assert "came back" in self.caught()

    def test_a_tombstone_that_takes_writes_is_noticed(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def swap(_rows: Any, row: Conversation, **changes: Any) -> bool:
            return bool(Conversation.objects.filter(pk=row.pk).update(**changes, deleted_at=None))

        monkeypatch.setattr("history.saving.refuse_deleted", lambda _row: None)
        monkeypatch.setattr(type(Conversation.objects.all()), "swap", swap)

        assert "tombstone" in self.caught()

    def test_a_delta_without_later_versions_is_noticed(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        real = feed._delta

        def forgetful(*args: Any) -> dict[str, Any]:
            answer = real(*args)
            return {
                **answer,
                "conversations": [row for row in answer["conversations"] if row["version"] == 1],
            }

        monkeypatch.setattr(feed, "_delta", forgetful)

        assert self.caught()

    def test_a_changed_epoch_that_goes_unsaid_is_noticed(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(feed, "rotate_epochs", lambda: 0)

        assert self.caught()


class TestRestore:
    def test_makes_no_old_tag_match_a_version_that_is_counted_again(self, api: Api) -> None:
        api.put("c-1")
        backup = list(Conversation.objects.all())
        lost = api.put("c-1").body
        Conversation.objects.all().delete()
        Conversation.objects.bulk_create(backup)
        SyncState.objects.all().update(last_seq=1)

        again = api.put("c-1").body

        assert again["version"] == lost["version"] == 2
        assert api.put("c-1", if_match=lost["etag"]).status_code == 412
