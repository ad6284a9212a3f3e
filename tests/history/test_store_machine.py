"""That copies kept by the documented API alone end up equal.

Whatever happens, nothing deleted comes back, no word is lost, versions and numbers have no gap.
"""

import os
from collections.abc import Callable
from typing import Any

import pytest
from django.db import transaction
from django.db.models import F
from hypothesis import HealthCheck, settings
from hypothesis.stateful import run_state_machine_as_test

from history import feed, store
from history.errors import Conflict
from history.models import Conversation, ConversationQuerySet, SyncState
from history.sent import Conditions
from tests.history.conftest import Api
from tests.history.devices import Device, Local, Service, words_of
from tests.history.machine import Machine, simulate

LONG = os.environ.get("KENNY_LONG") == "1"
RUNS = 60_000 if LONG else int(os.environ.get("KENNY_MACHINE_RUNS", "2000"))
PARTS = 4

pytestmark = [pytest.mark.django_db, pytest.mark.timeout(0 if LONG else 600)]


class TestMachine:
    @pytest.mark.parametrize("part", range(PARTS))
    def test_holds_whatever_is_lost_late_deleted_or_restored(self, part: int) -> None:
        simulate(range(part, RUNS, PARTS))

    def test_holds_against_a_search_for_a_counterexample(self) -> None:
        run_state_machine_as_test(
            Machine,
            settings=settings(
                max_examples=RUNS // 10,
                stateful_step_count=16,
                deadline=None,
                suppress_health_check=list(HealthCheck),
            ),
        )


def ignored_conditions(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Conditions, "check", lambda _self, _row: None)


def no_tombstone_for_an_unseen_id(patch: pytest.MonkeyPatch) -> None:
    real = Service.delete
    patch.setattr(Service, "delete", lambda it, cid: real(it, cid) if cid in it.versions else None)


def a_tombstone_that_takes_writes(patch: pytest.MonkeyPatch) -> None:
    def swap(_rows: Any, row: Conversation, **changes: Any) -> bool:
        return bool(Conversation.objects.filter(pk=row.pk).update(**changes, deleted_at=None))

    patch.setattr("history.saving.refuse_deleted", lambda _row: None)
    patch.setattr(ConversationQuerySet, "swap", swap)


def a_delta_without_later_versions(patch: pytest.MonkeyPatch) -> None:
    real = feed._delta

    def forgetful(*args: Any) -> dict[str, Any]:
        answer = real(*args)
        first = [row for row in answer["conversations"] if row["version"] == 1]
        return {**answer, "conversations": first}

    patch.setattr(feed, "_delta", forgetful)


def a_delta_without_deletions(patch: pytest.MonkeyPatch) -> None:
    real = feed._delta
    patch.setattr(feed, "_delta", lambda *args: {**real(*args), "deleted": []})


def a_cursor_from_before_the_last_write_is_taken_for_newer(patch: pytest.MonkeyPatch) -> None:
    real = feed.pull

    def early(state: SyncState, wish: feed.Wish) -> dict[str, Any]:
        answer = real(state, wish)
        return {**answer, "cursor": f"v1.{state.epoch}.{state.last_seq + 1}"}

    patch.setattr(feed, "pull", early)


def a_changed_epoch_that_goes_unsaid(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(feed, "rotate_epochs", lambda: 0)


def a_number_that_a_refusal_takes(patch: pytest.MonkeyPatch) -> None:
    real = store.save

    def save(**named: Any) -> store.Saved:
        try:
            return real(**named)
        except Conflict:
            SyncState.objects.update(last_seq=F("last_seq") + 1)
            raise

    patch.setattr(store, "save", save)


def a_version_that_skips(patch: pytest.MonkeyPatch) -> None:
    real = ConversationQuerySet.swap

    def swap(rows: Any, row: Conversation, **changes: Any) -> bool:
        return bool(real(rows, row, **{**changes, "version": changes["version"] + 1}))

    patch.setattr(ConversationQuerySet, "swap", swap)


def a_number_that_stays_at_later_writes(patch: pytest.MonkeyPatch) -> None:
    real = ConversationQuerySet.swap

    def swap(rows: Any, row: Conversation, **changes: Any) -> bool:
        return bool(real(rows, row, **{**changes, "seq": row.seq}))

    patch.setattr(ConversationQuerySet, "swap", swap)


def a_device_that_forgets_a_delete_too_early(patch: pytest.MonkeyPatch) -> None:
    real = Device._send_deletes

    def send(it: Device, service: Service, fault: Any) -> None:
        real(it, service, fault)
        it.pending.clear()

    patch.setattr(Device, "_send_deletes", send)


def a_device_that_overwrites_instead_of_forking(patch: pytest.MonkeyPatch) -> None:
    def merge(it: Device, row: dict[str, Any], *, rebuilt: bool) -> None:
        if row["id"] not in it.pending:
            it.local[row["id"]] = Local(words_of(row["messages"]), row["etag"])

    patch.setattr(Device, "_merge", merge)


def a_device_that_shows_what_it_deleted(patch: pytest.MonkeyPatch) -> None:
    real = Device._merge

    def merge(it: Device, row: dict[str, Any], *, rebuilt: bool) -> None:
        pending, it.pending = it.pending, set()
        real(it, row, rebuilt=rebuilt)
        it.pending = pending

    patch.setattr(Device, "_merge", merge)


def a_device_blind_to_a_restore(patch: pytest.MonkeyPatch) -> None:
    real = Device._miss
    patch.setattr(Device, "_miss", lambda it, listed, *, rebuilt: real(it, listed, rebuilt=False))


MUTANTS: dict[Callable[[pytest.MonkeyPatch], None], tuple[str, int]] = {
    ignored_conditions: ("lost", 67),
    no_tombstone_for_an_unseen_id: ("came back", 141),
    a_tombstone_that_takes_writes: ("tombstone", 42),
    a_delta_without_later_versions: ("", 5),
    a_delta_without_deletions: ("", 4),
    a_cursor_from_before_the_last_write_is_taken_for_newer: ("", 1),
    a_changed_epoch_that_goes_unsaid: ("", 23),
    a_number_that_a_refusal_takes: ("number was skipped", 26),
    a_version_that_skips: ("version was skipped", 5),
    a_number_that_stays_at_later_writes: ("", 12),
    a_device_that_forgets_a_delete_too_early: ("", 423),
    a_device_that_overwrites_instead_of_forking: ("lost", 13),
    a_device_that_shows_what_it_deleted: ("visible again", 561),
    a_device_blind_to_a_restore: ("lost", 17),
}
"""What the machine says of each, and the first of the seeds that it is tried with: the one that shows it today."""


class TestMutants:
    """Each rule broken once: the machine must notice, or it proves nothing."""

    @pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.__name__)
    def test_is_caught(
        self, monkeypatch: pytest.MonkeyPatch, mutant: Callable[[pytest.MonkeyPatch], None]
    ) -> None:
        complaint, seed = MUTANTS[mutant]
        mutant(monkeypatch)

        with pytest.raises(AssertionError) as caught, transaction.atomic():
            simulate(range(seed, seed + 2000))

        assert complaint in repr(caught.value)


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
