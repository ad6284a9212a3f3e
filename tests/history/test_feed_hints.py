"""What other floors are told after a commit."""

from collections.abc import Iterator

import pytest
from django.contrib.auth.models import User
from django.db import transaction

from history import feed, store
from history.hooks import Change
from tests.history.conftest import Api


@pytest.fixture
def heard() -> Iterator[list[Change]]:
    changes: list[Change] = []
    store.hooks.changed.append(changes.append)
    yield changes
    store.hooks.changed.remove(changes.append)


@pytest.fixture
def committing(transactional_db: None) -> Api:
    """Return a client whose transactions really end."""
    return Api(User.objects.create_user("alice"))


class TestChanged:
    def test_tells_each_accepted_write_with_the_cursor_after_it(
        self, committing: Api, heard: list[Change]
    ) -> None:
        committing.put("c-1")
        committing("PATCH", "conversations/c-1", {"title": "n"})
        committing.delete("c-1")

        assert [(change.cid, change.version, change.deleted) for change in heard] == [
            ("c-1", 1, False),
            ("c-1", 2, False),
            ("c-1", 3, True),
        ]
        assert (
            heard[-1].cursor
            == feed.cursor_for(committing.owner_id)
            == committing.list().body["cursor"]
        )
        assert {change.owner_id for change in heard} == {committing.owner_id}

    def test_tells_nothing_of_what_was_refused_or_rolled_back(
        self, committing: Api, heard: list[Change]
    ) -> None:
        committing.delete("c-1")
        heard.clear()

        committing.put("c-1")
        committing.delete("c-1")
        with transaction.atomic():
            state = store.locked(committing.owner_id)
            store.open_for_turn(state, cid="c-2", title="x", agent_id=None, now=1)
            transaction.set_rollback(True)

        assert (heard, committing.seq) == ([], 1)

    def test_tells_of_many_at_once_only_so_often(
        self, committing: Api, heard: list[Change], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("history.tombstones.HINTS", 2)
        for number in range(4):
            committing.put(f"c-{number}")
        heard.clear()

        cursor = committing("DELETE", "conversations").body["cursor"]

        assert [change.cursor for change in heard] == [cursor, cursor]

    def test_a_listener_that_fails_stops_neither_the_write_nor_the_others(
        self, committing: Api, heard: list[Change]
    ) -> None:
        def fail(_change: Change) -> None:
            raise RuntimeError("deaf")

        store.hooks.changed.insert(0, fail)
        try:
            assert committing.put("c-1").status_code == 201
        finally:
            store.hooks.changed.remove(fail)
        assert len(heard) == 1
