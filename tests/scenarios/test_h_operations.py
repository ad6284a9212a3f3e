"""Scenarios H: restores, clocks, crowds, users who go, settings that must hold."""

from collections.abc import Callable
from functools import partial
from io import StringIO
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.exceptions import ImproperlyConfigured
from django.core.management import call_command
from django.db import OperationalError, connection
from django.test import Client

from history import feed, store
from history.models import Conversation, SyncState
from kenny import databases
from kenny.accounts import tokens
from tests.history.conftest import Api, picture, said
from tests.history.crowd import together
from tests.history.devices import Device, Put, Service
from tests.history.test_blobs import shot
from tests.history.test_store_races import save
from tests.scenarios.test_f_turns import Failing
from tests.scenarios.whole import rows

QUIET = (None, None, None)
Devices = Callable[[str], Device]


class Backup:
    """The account as it was, put back as an operator puts a file back."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self.rows = service.rows()
        self.of = (service.accepted, dict(service.versions), set(service.dead))

    def restore(self) -> None:
        it = self.service
        Conversation.objects.owned_by(it.owner_id).delete()
        Conversation.objects.bulk_create(self.rows)
        accepted, versions, dead = self.of
        it.accepted, it.versions, it.dead = accepted, dict(versions), set(dead)
        SyncState.objects.filter(pk=it.owner_id).update(last_seq=accepted)


def settle(service: Service, *devices: Device) -> None:
    for _ in range(3):
        for it in devices:
            it.sync(service, faults=QUIET)
    service.check()


def words(it: Device) -> set[tuple[str, ...]]:
    return {mine.words for mine in it.local.values()}


def test_h01_after_a_restore_by_the_book_devices_bring_back_what_the_server_lost(
    service: Service, device: Devices
) -> None:
    a, b = device("a"), device("b")
    a.edit("c1", "one", now=1)
    settle(service, a, b)
    backup = Backup(service)
    a.edit("c1", "two", now=2)
    b.edit("c2", "new", now=3)
    settle(service, a, b)

    backup.restore()
    output = StringIO()
    call_command("rotate_sync_epoch", stdout=output)
    # Others come first, so that the feed is past what the devices have seen when they return.
    for number in range(4):
        service.put(Put(f"x{number}", ("other",), number, None))
    settle(service, b, a)

    assert output.getvalue() == "1 account got a new epoch.\n"
    assert words(a) == words(b) == {("one", "two"), ("new",), ("other",)}
    assert (service.versions["c1"], len(service.live())) == (2, 6)


def test_h02_after_a_restore_with_the_epoch_forgotten_a_device_that_is_ahead_drops_nothing(
    service: Service, device: Devices
) -> None:
    """The server says that the cursor is ahead of it: it lost something, so nothing that is absent was deleted."""
    a = device("a")
    a.edit("c1", "one", now=1)
    settle(service, a)
    backup = Backup(service)
    a.edit("c2", "new", now=2)
    settle(service, a)

    backup.restore()
    answer = service.pull(a.cursor)
    settle(service, a)

    assert (answer["full"], answer["reset"]) == (True, "cursor_ahead")
    assert words(a) == {("one",), ("new",)}
    assert service.live() == {"c1": ("one",), "c2": ("new",)}


def test_h03_after_a_restore_nobody_noticed_no_old_tag_matches_a_version_counted_again(
    service: Service, device: Devices
) -> None:
    a, b = device("a"), device("b")
    a.edit("c1", "one", now=1)
    settle(service, a, b)
    backup = Backup(service)
    a.edit("c1", "two", now=2)
    settle(service, a)
    stale = a.local["c1"].base

    backup.restore()
    service.put(Put("c1", ("one", "other"), 3, b.local["c1"].base))
    a.edit("c1", "three", now=4)
    refused = service.put(Put("c1", a.local["c1"].words, 4, stale))
    settle(service, a, b)

    assert (refused.status, service.versions["c1"]) == (412, 2)
    assert words(a) == words(b) == {("one", "other"), ("one", "two", "three")}


def test_h04_what_was_deleted_after_the_backup_dies_again_where_a_device_remembers_it(
    service: Service, device: Devices
) -> None:
    a, b = device("a"), device("b")
    a.edit("c1", "one", now=1)
    settle(service, a, b)
    backup = Backup(service)
    a.delete("c1")
    a.sync(service, faults=("answer", "answer", None))

    backup.restore()
    feed.rotate_epochs()
    settle(service, b, a)

    assert (words(a), words(b)) == (set(), set())
    assert service.dead == {"c1"}


def test_h05_a_device_pointed_at_an_empty_database_drops_nothing(
    service: Service, device: Devices
) -> None:
    a = device("a")
    for number, cid in enumerate(("c1", "c2")):
        a.edit(cid, f"word {number}", now=number)
    settle(service, a)
    other = Service()

    answer = other.pull(a.cursor)
    settle(other, a)

    assert (answer["full"], answer["reset"], answer["conversations"]) == (True, "epoch_changed", [])
    assert words(a) == {("word 0",), ("word 1",)}
    assert set(other.live()) == {"c1", "c2"}


@pytest.mark.parametrize("dirty", [False, True])
def test_h06_h07_a_device_that_was_away_for_years_finds_the_tombstone(
    service: Service, device: Devices, *, dirty: bool
) -> None:
    """Tombstones are for good, so a first attempt whose answer never came is not stored again either."""
    a, b = device("a"), device("b")
    a.edit("c1", "one", now=1)
    a.sync(service, faults=(None, None, "answer" if dirty else None))
    b.sync(service, faults=QUIET)
    b.delete("c1")
    settle(service, b)
    for number in range(10):
        service.put(Put(f"d{number}", ("x",), number, None))
        service.delete(f"d{number}")
    call_command("rebuild_search", stdout=StringIO())

    settle(service, a)

    assert (words(a), a.trash) == (set(), {"one"} if dirty else set())
    assert service.dead >= {"c1"}
    assert service.live() == {}


def test_h09_a_clock_that_jumps_back_moves_no_number(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    api.put("c-1")
    cursor = api.list().body["cursor"]
    monkeypatch.setattr("history.views.now_ms", lambda: 1_000)

    written = api.put("c-1").body
    deleted = api.delete("c-2").body
    delta = api.list(f"?since={cursor}").body

    assert (written["version"], api.seq, deleted["deletedAt"]) == (2, 3, 1_000)
    assert written["updatedAt"] > 1_000
    assert ([row["id"] for row in delta["conversations"]], delta["deleted"]) == (["c-1"], [deleted])


def test_h10_eight_writers_in_eight_processes_are_never_told_that_the_database_is_locked(
    committed: Api,
) -> None:
    owner = committed.owner_id

    got = together([partial(save, owner, f"c-{n % 4}", f"writer {n}", times=6) for n in range(8)])

    assert all(isinstance(answer, list) for answer in got), got
    assert sorted(Conversation.objects.values_list("version", flat=True)) == [12] * 4
    assert SyncState.objects.get().last_seq == 48


def test_h11_of_a_user_whom_an_admin_deletes_nothing_stays_and_the_client_gets_401(
    api: Api, stranger: Api
) -> None:
    for it in (api, stranger):
        it.put("c-1", messages=[{"role": "user", "content": [shot(picture())]}])
        it.delete("c-2")
    his = {name: [row for row in found if _of(row, stranger)] for name, found in rows().items()}
    assert api.user is not None
    phone = {"authorization": f"Bearer {tokens.make(api.user, name='phone')[1]}"}
    browser = Client()
    browser.force_login(api.user)

    User.objects.filter(pk=api.owner_id).delete()

    for client, headers in ((Client(), phone), (browser, {})):
        answer = client.get("/api/conversations", headers=headers)
        assert (answer.status_code, answer.json()["error"]["code"]) == (401, "unauthenticated")
    left = rows()
    assert [len(left[name]) for name in ("SyncState", "Conversation", "Blob", "BlobLink")] == [
        1,
        2,
        1,
        1,
    ]
    assert {name: left[name] for name in ("SyncState", "Conversation", "Blob")} == {
        name: his[name] for name in ("SyncState", "Conversation", "Blob")
    }
    assert stranger.get("c-1").status_code == 200


def _of(row: dict[str, Any], api: Api) -> bool:
    return api.owner_id in {row.get("owner_id"), row.get("user_id")}


def test_h12_the_database_runs_with_durable_commits_and_the_start_insists_on_it(
    transactional_db: None,
) -> None:
    databases.check()
    weaken, mend = (
        ("PRAGMA synchronous=NORMAL", "PRAGMA synchronous=FULL")
        if connection.vendor == "sqlite"
        else ("SET synchronous_commit = off", "RESET synchronous_commit")
    )
    with connection.cursor() as cursor:
        cursor.execute(weaken)
        try:
            with pytest.raises(ImproperlyConfigured, match="DATABASE_URL"):
                databases.check()
        finally:
            cursor.execute(mend)
    databases.check()


WRITES: dict[str, Callable[[Api], Any]] = {
    "first save": lambda api: api.put("c-new", messages=seen()),
    "save again": lambda api: api.put("c-1", title="New", messages=seen()),
    "patch": lambda api: api("PATCH", "conversations/c-1", {"title": "New"}),
    "delete": lambda api: api.delete("c-1"),
    "delete unseen": lambda api: api.delete("c-new"),
    "delete all": lambda api: api("DELETE", "conversations"),
    "replace all": lambda api: api(
        "PUT",
        "conversations/bulk",
        {"conversations": [{"id": "c-2", "title": "New", "messages": seen()}, {"id": "c-3"}]},
    ),
}


def seen() -> list[dict[str, Any]]:
    return [{"role": "user", "content": [shot(picture())]}, *said("new words")]


@pytest.mark.parametrize("write", WRITES)
def test_h12_a_write_that_fails_at_any_statement_leaves_the_state_before(
    committed: Api, write: str
) -> None:
    """Every statement fails once, the last word of the disk: nothing of the write may stay. Then it goes through."""
    for cid in ("c-1", "c-2"):
        committed.put(cid, messages=seen())
    before, failing = rows(), Failing()

    with connection.execute_wrapper(failing):
        while (answer := WRITES[write](committed)).status_code == 503:
            assert rows() == before, failing.what
            failing.at, failing.seen = failing.at + 1, 0

    assert answer.status_code in {200, 201}
    assert failing.at > 2
    assert rows() != before


def test_h12_a_commit_that_fails_is_told_as_a_failure(
    committed: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    committed.put("c-1")
    before = rows()

    def full() -> None:
        raise OperationalError("database or disk is full")

    monkeypatch.setattr(connection, "_commit", full)
    answer = committed.put("c-1", title="New")
    monkeypatch.undo()

    assert (answer.status_code, answer.body["error"]["code"]) == (503, "unavailable")
    assert rows() == before
    assert store.find(owner_id=committed.owner_id, cid="c-1").title == "T"
