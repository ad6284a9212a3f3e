"""Writers at the same moment, in processes of their own: each write counts once and a delete always wins."""

from functools import partial
from typing import Any

import pytest
from django.contrib.auth.models import User

from history import store
from history.errors import Conflict, Deleted
from history.models import Conversation, SyncState
from history.prepared import prepare
from history.sent import Conditions, Sent
from tests.history.conftest import said
from tests.history.crowd import together

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def owner_id(transactional_db: None) -> int:
    return User.objects.create_user("alice").pk


def save(
    owner_id: int, cid: str, text: str, *, times: int = 1, conditions: Conditions = store.ALWAYS
) -> list[int | str]:
    """Save `times` times; return the versions, or the name of what refused it."""
    got: list[int | str] = []
    for turn in range(times):
        sent = Sent(columns={"title": text}, ready=prepare(said(f"{text} {turn}")))
        try:
            saved = store.save(
                owner_id=owner_id, cid=cid, sent=sent, now=1000, conditions=conditions
            )
            got.append(saved.row.version)
        except (Deleted, Conflict) as refused:
            got.append(type(refused).__name__)
    return got


def delete(owner_id: int, cid: str) -> list[int | str]:
    return [store.bury(owner_id=owner_id, cid=cid, now=1000).version]


def flat(answers: list[Any]) -> list[Any]:
    assert all(isinstance(answer, list) for answer in answers), answers
    return [value for answer in answers for value in answer]


class TestFirstWrites:
    def test_of_one_id_are_versions_one_and_two(self, owner_id: int) -> None:
        for number in range(5):
            got = together(
                [partial(save, owner_id, f"c-{number}", text) for text in ("one", "two")]
            )

            assert sorted(flat(got)) == [1, 2]
        assert SyncState.objects.get().last_seq == 10

    def test_that_only_create_succeed_once(self, owner_id: int) -> None:
        create = partial(save, owner_id, "c-1", conditions=Conditions(create=True))

        got = together([partial(create, text) for text in ("one", "two", "three")])

        assert sorted(map(str, flat(got))) == ["1", "Conflict", "Conflict"]


class TestWriters:
    def test_all_count_and_none_is_told_that_the_database_is_locked(self, owner_id: int) -> None:
        got = together([partial(save, owner_id, "c-1", f"writer {n}", times=15) for n in range(8)])

        row = Conversation.objects.get()
        assert sorted(flat(got)) == list(range(1, 121))
        assert (row.version, SyncState.objects.get().last_seq) == (120, 120)
        assert store.full_messages(row)[0]["content"] == f"{row.title} 14"

    def test_of_many_conversations_leave_no_gap_in_the_feed(self, owner_id: int) -> None:
        together([partial(save, owner_id, f"c-{n}", "x", times=5) for n in range(6)])

        seqs = Conversation.objects.values_list("seq", flat=True)
        assert SyncState.objects.get().last_seq == 30
        assert len(set(seqs)) == 6

    def test_with_a_condition_succeed_once_for_each_version(self, owner_id: int) -> None:
        save(owner_id, "c-1", "first")
        held = Conditions(match=(Conversation.objects.get().etag,))

        got = together([partial(save, owner_id, "c-1", f"w{n}", conditions=held) for n in range(4)])

        assert sorted(map(str, flat(got))) == ["2", "Conflict", "Conflict", "Conflict"]


class TestDeletes:
    @pytest.mark.parametrize("exists", [True, False])
    def test_win_against_every_writer(self, owner_id: int, *, exists: bool) -> None:
        for number in range(4):
            cid = f"c-{number}"
            if exists:
                save(owner_id, cid, "first")
            writers = [partial(save, owner_id, cid, f"w{n}", times=5) for n in range(3)]
            got = together([*writers, partial(delete, owner_id, cid)])

            row = Conversation.objects.with_cid(cid).get()
            accepted = [version for version in flat(got[:3]) if isinstance(version, int)]
            assert row.is_deleted
            assert (row.title, row.messages) == ("", [])
            assert row.version == len(accepted) + 1 + exists
            assert sorted(accepted) == list(range(1 + exists, len(accepted) + 1 + exists))

    def test_repeated_at_once_are_one(self, owner_id: int) -> None:
        save(owner_id, "c-1", "first")

        got = together([partial(delete, owner_id, "c-1") for _ in range(4)])

        assert (flat(got), SyncState.objects.get().last_seq) == ([2, 2, 2, 2], 2)

    def test_of_all_against_writers_leave_whole_states(self, owner_id: int) -> None:
        for number in range(6):
            save(owner_id, f"c-{number}", "first")

        got = together(
            [
                partial(save, owner_id, "c-1", "w", times=5),
                partial(save, owner_id, "new", "w", times=5),
                lambda: [store.bury_all(owner_id=owner_id, now=1).count],
            ]
        )

        assert got[2][0] in {6, 7}
        assert Conversation.objects.live().exclude(cid="new").count() == 0
        seqs = sorted(Conversation.objects.values_list("seq", flat=True))
        assert seqs == sorted(set(seqs))
        assert seqs[-1] == SyncState.objects.get().last_seq
