"""Scenarios C, the server's side: lists, cursors, pages."""

import threading
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext

from history import feed, hooks, saving, store
from history.models import Conversation, SyncState
from tests.history.conftest import Api
from tests.history.devices import Device, Put, Service
from tests.support.server import wait_until

QUIET = (None, None, None)


class Mirror:
    """A copy kept by what the API answers, as its documentation says."""

    def __init__(self) -> None:
        self.live: dict[str, Any] = {}
        self.cursor = ""

    def apply(self, answer: dict[str, Any]) -> None:
        if answer["full"]:
            self.live = {}
        self.live |= {row["id"]: row for row in answer["conversations"]}
        for gone in answer["deleted"]:
            self.live.pop(gone["id"], None)
        self.cursor = answer["cursor"]


def ids(answer: Any) -> list[str]:
    return [row["id"] for row in answer.body["conversations"]]


def test_c01_whoever_takes_the_smaller_number_commits_first(
    committed: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A writer that dawdles after taking its number keeps the next one waiting, and readers see no gap."""
    committed.put("c-0")
    seen: list[tuple[str, list[int]]] = []
    taken, second_done = threading.Event(), threading.Event()

    def look(change: hooks.Change) -> None:
        seen.append((change.cid, sorted(Conversation.objects.values_list("seq", flat=True))))

    def put_and_dawdle(*args: Any, cid: str, **more: Any) -> saving.Saved:
        saved = put(*args, cid=cid, **more)
        if cid == "c-1":
            taken.set()
            wait_until(lambda: waits() or second_done.is_set(), within=20, what="the second waits")
            assert not second_done.is_set(), "the second writer did not wait for the first"
        return saved

    def write(cid: str) -> None:
        Api(committed.user).put(cid)
        second_done.set()
        connection.close()

    put = saving._put
    monkeypatch.setattr(hooks, "changed", [look])
    monkeypatch.setattr(saving, "_put", put_and_dawdle)
    first, second = (threading.Thread(target=write, args=[cid]) for cid in ("c-1", "c-2"))
    first.start()
    assert taken.wait(20)
    second.start()
    for thread in (first, second):
        thread.join(20)

    assert sorted(cid for cid, _ in seen) == ["c-1", "c-2"]
    assert all(numbers == list(range(1, len(numbers) + 1)) for _, numbers in seen)
    assert [Conversation.objects.get(cid=cid).seq for cid in ("c-1", "c-2")] == [2, 3]


def waits() -> bool:
    """Tell whether another connection waits for ours; SQLite cannot be asked, there it is given some time to come."""
    if connection.vendor != "postgresql":
        return not threading.Event().wait(0.3)
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE pg_backend_pid() = ANY (pg_blocking_pids(pid))"
        )
        return bool(cursor.fetchone()[0])


def test_c02_a_write_between_the_two_reads_of_a_list_is_in_it_or_in_the_next_delta(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    pull, late = feed.pull, iter(["c-1", "c-2", "c-3"])

    def write_and_pull(state: SyncState, wish: feed.Wish) -> dict[str, Any]:
        api.put(next(late))
        return pull(state, wish)

    monkeypatch.setattr(feed, "pull", write_and_pull)
    mirror = Mirror()
    mirror.apply(api.list().body)
    for _ in range(2):
        mirror.apply(api.list(f"?since={mirror.cursor}").body)
    monkeypatch.setattr(feed, "pull", pull)
    mirror.apply(api.list(f"?since={mirror.cursor}").body)

    assert set(mirror.live) == {"c-1", "c-2", "c-3"}
    assert mirror.cursor.endswith(".3")


def test_c03_what_moves_while_pages_are_read_comes_with_the_next_delta(api: Api) -> None:
    for number in range(6):
        api.put(f"c-{number}", updatedAt=1000 + number)
    first = api.list("?limit=3")
    api.put("c-5", title="moved", updatedAt=2000)
    api.put("c-new", updatedAt=500)
    api.delete("c-0")

    second = api.list(f"?limit=3&next={first.body['next']}")
    mirror = Mirror()
    mirror.apply(first.body)
    mirror.live |= {row["id"]: row for row in second.body["conversations"]}
    mirror.apply(api.list(f"?since={first.body['cursor']}").body)

    assert ids(first) == ["c-5", "c-4", "c-3"]
    assert second.body["next"] is None
    assert "c-new" not in ids(second)
    assert mirror.live == {row["id"]: row for row in api.list().body["conversations"]}


def test_c04_a_delta_applied_twice_and_pages_in_any_order_give_the_same(api: Api) -> None:
    start = api.list().body
    for number in range(4):
        api.put(f"c-{number}")
    api.delete("c-2")
    pages = [api.list(f"?since={start['cursor']}&limit=2").body]
    while pages[-1]["next"]:
        pages.append(api.list(f"?next={pages[-1]['next']}&limit=2").body)
    twice, backwards = Mirror(), Mirror()

    for page in [*pages, *pages]:
        twice.apply(page)
    for page in reversed(pages):
        backwards.apply(page)

    assert len(pages) == 2
    assert twice.live == backwards.live
    assert twice.live == {row["id"]: row for row in api.list().body["conversations"]}


def test_c05_a_delta_that_leaves_one_out_says_nothing_of_it(
    service: Service, device: Callable[[str], Device]
) -> None:
    a = device("a")
    a.edit("c1", "one", now=1)
    for _ in range(2):
        a.sync(service, faults=QUIET)
    service.put(Put("c2", ("two",), 2, None))

    answer = service.pull(a.cursor)
    a.sync(service, faults=QUIET)

    assert (answer["full"], [row["id"] for row in answer["conversations"]]) == (False, ["c2"])
    assert set(a.local) == {"c1", "c2"}


def test_c06_a_list_that_was_not_read_to_its_end_says_so(api: Api) -> None:
    for number in range(3):
        api.put(f"c-{number}")

    first = api.list("?limit=2")
    again = api.list("?limit=3")

    assert (first.body["full"], first.body["next"] is None) == (True, False)
    assert (again.body["next"], len(ids(again))) == (None, 3)


def test_c08_no_cursor_is_ever_too_old(api: Api) -> None:
    """Nothing is pruned: the very first position still gets every deletion since, without a reset."""
    start = api.list().body["cursor"]
    for number in range(30):
        api.put(f"c-{number}")
        api.delete(f"c-{number}")

    delta = api.list(f"?since={start}").body

    assert ("reset" in delta, delta["full"]) == (False, False)
    assert [gone["id"] for gone in delta["deleted"]] == [f"c-{number}" for number in range(30)]


def test_c09_a_cursor_ahead_of_the_server_gets_the_complete_list_and_the_reason(api: Api) -> None:
    api.put("c-1")
    epoch = api.list().body["epoch"]

    answer = api.list(f"?since=v1.{epoch}.{api.seq + 1}").body

    assert (answer["full"], answer["reset"]) == (True, "cursor_ahead")
    assert [row["id"] for row in answer["conversations"]] == ["c-1"]
    assert answer["cursor"] == f"v1.{epoch}.1"


@pytest.mark.parametrize(
    "cursor",
    ["", "garbage", "v1", "v1..", "v1.x.-1", "v2.a.1", "v1.a." + "9" * 400, "%00", "\u0664", "' OR 1=1"],
)  # fmt: skip
def test_c10_a_cursor_that_is_none_gets_the_complete_list(api: Api, cursor: str) -> None:
    api.put("c-1")

    answer = api("GET", f"conversations?since={cursor}")

    assert (answer.status_code, answer.body["full"]) == (200, True)
    assert answer.body["reset"] == "cursor_invalid"
    assert ids(answer) == ["c-1"]


def test_c10_another_users_cursor_gets_the_complete_list(api: Api, stranger: Api) -> None:
    api.put("c-1")
    stranger.put("c-2")

    answer = api.list(f"?since={stranger.list().body['cursor']}")

    assert (answer.body["full"], answer.body["reset"]) == (True, "epoch_changed")
    assert ids(answer) == ["c-1"]


def test_c11_a_poll_of_a_list_that_did_not_move_is_one_small_query(api: Api) -> None:
    api.put("c-1")
    etag = api.list()["ETag"]

    with CaptureQueriesContext(connection) as asked:
        answer = api.list(if_none_match=etag)

    assert (answer.status_code, answer.content) == (304, b"")
    assert len(asked) == 1
    assert "history_conversation" not in asked.captured_queries[0]["sql"]
    api.put("c-1")
    assert api.list(if_none_match=etag).status_code == 200


def test_c12_hints_that_are_lost_doubled_or_old_change_no_copy(
    api: Api, alice: User, monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Any
) -> None:
    hints: list[hooks.Change] = []
    monkeypatch.setattr(hooks, "changed", [hints.append])
    mirror = Mirror()
    mirror.apply(api.list().body)
    with django_capture_on_commit_callbacks(execute=True):
        for number in range(3):
            api.put(f"c-{number}")
        assert api.delete("c-1").status_code == 200

    lost = hints.pop(1)
    for hint in [*hints, *hints, lost]:
        mirror.apply(api.list(f"?since={mirror.cursor}").body)
        assert hint.cursor.startswith(f"v1.{SyncState.objects.get(pk=alice.pk).epoch}.")

    assert mirror.live == {row["id"]: row for row in api.list().body["conversations"]}
    assert api.list(f"?since={mirror.cursor}").body["conversations"] == []
    assert store.cursor(SyncState.objects.get(pk=alice.pk)) == mirror.cursor
