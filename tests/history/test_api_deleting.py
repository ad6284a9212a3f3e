"""DELETE of one, of all, and the bulk replacement."""

from collections.abc import Callable, Iterator

import pytest
from django.db import IntegrityError, transaction

from history import store
from history.models import Blob, BlobLink, Conversation, SearchText
from tests.history.conftest import Api, picture, run_turn, said
from tests.history.test_blobs import shot

Told = Callable[..., None]


@pytest.fixture
def wiped() -> Iterator[list[list[int]]]:
    """Collect what the wipe hook is told while a test runs."""
    seen: list[list[int]] = []
    store.hooks.wipe.append(seen.append)
    yield seen
    store.hooks.wipe.remove(seen.append)


class TestDelete:
    def test_leaves_id_version_and_moment_and_nothing_else(
        self, api: Api, wiped: list[list[int]]
    ) -> None:
        api.put(
            "c-1",
            messages=[{"role": "user", "content": [shot(picture())]}],
            settings={"a": 1},
            agentId="workspace",
        )
        row = Conversation.objects.get()

        answer = api.delete("c-1")

        assert (answer.status_code, answer.body["id"], answer.body["version"]) == (200, "c-1", 2)
        assert answer.body["deletedAt"] > 1_600_000_000_000
        assert wiped == [[row.pk]]
        assert [model.objects.count() for model in (Blob, BlobLink, SearchText)] == [0, 0, 0]
        row.refresh_from_db()
        assert (row.title, row.messages, row.settings, row.agent_id, row.preview) == (
            "",
            [],
            {},
            None,
            "",
        )

    def test_repeated_changes_nothing(self, api: Api) -> None:
        api.put("c-1")
        first = api.delete("c-1")
        seq = api.seq

        assert api.delete("c-1").body == first.body
        assert api("DELETE", "chat/history/c-1").body == first.body
        assert api.seq == seq

    def test_of_an_id_never_seen_leaves_a_tombstone(self, api: Api, told: Told) -> None:
        assert api.delete("c-1").body["version"] == 1
        told(api.put("c-1"), 410, "deleted", version=1)

    def test_ends_the_mark_of_a_turn(self, api: Api) -> None:
        api.put("c-1")
        run_turn(api, "c-1", status="held")

        api.delete("c-1")

        row = Conversation.objects.get()
        assert (row.live_turn, row.live_status) == (None, None)

    def test_keeps_an_image_that_another_conversation_shows(self, api: Api) -> None:
        messages = [{"role": "user", "content": [shot(picture())]}]
        api.put("c-1", messages=messages)
        api.put("c-2", messages=messages)
        assert Blob.objects.count() == 1

        api.delete("c-1")
        assert api.get("c-2").body["messages"] == messages
        api.delete("c-2")
        assert not Blob.objects.exists()


class TestTombstone:
    @pytest.mark.parametrize(
        "content",
        [
            {"title": "x"},
            {"messages": said("x")},
            {"settings": {"a": 1}},
            {"preview": "x"},
            {"system": "x"},
        ],
    )
    def test_cannot_hold_content_whoever_writes(self, api: Api, content: dict[str, object]) -> None:
        api.delete("c-1")

        with pytest.raises(IntegrityError), transaction.atomic():
            Conversation.objects.all().update(**content)

    def test_is_never_swapped_back_to_life(self, api: Api) -> None:
        api.put("c-1")
        stale = Conversation.objects.get()
        api.delete("c-1")

        assert not Conversation.objects.all().swap(stale, title="back")


class TestDeleteAll:
    def test_leaves_a_tombstone_and_a_number_for_each(self, api: Api, stranger: Api) -> None:
        for cid in ("c-1", "c-2", "c-3"):
            api.put(cid)
        dead = api.delete("c-4").body
        stranger.put("c-1")

        answer = api("DELETE", "conversations")

        listed = api.list().body
        assert answer.body == {"count": 3, "cursor": listed["cursor"]}
        assert (listed["conversations"], len(listed["deleted"]), api.seq) == ([], 4, 7)
        assert dead in listed["deleted"]
        assert stranger.get("c-1").status_code == 200
        assert sorted(
            Conversation.objects.owned_by(api.owner_id).values_list("seq", flat=True)
        ) == [4, 5, 6, 7]

    def test_with_before_spares_what_was_created_later(self, api: Api) -> None:
        api.put("c-1")
        cursor = api.list().body["cursor"]
        api.put("c-1")
        api.put("c-2")

        assert api("DELETE", f"conversations?before={cursor}").body["count"] == 1
        assert [row["id"] for row in api.list().body["conversations"]] == ["c-2"]

    @pytest.mark.parametrize("before", ["", "garbage", "v1.0000.1", "v1.{epoch}.99"])
    def test_with_a_foreign_cursor_deletes_nothing(self, api: Api, told: Told, before: str) -> None:
        api.put("c-1")
        epoch = api.list().body["epoch"]

        told(
            api("DELETE", f"conversations?before={before.format(epoch=epoch)}"), 400, "bad_request"
        )
        assert api.get("c-1").status_code == 200

    def test_takes_more_than_one_statement_holds(
        self, api: Api, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("history.tombstones.BATCH", 2)
        for number in range(5):
            api.put(f"c-{number}")

        assert api("DELETE", "conversations").body["count"] == 5
        assert api.seq == 10


class TestBulk:
    def test_replaces_the_set(self, api: Api) -> None:
        api.put("old")
        api.put("kept", title="was")
        dead = api.delete("dead").body["id"]
        payload = [
            {"id": "kept", "title": "is"},
            {"id": "new", "messages": said("n")},
            {"id": dead, "title": "x"},
        ]

        answer = api("PUT", "conversations/bulk", {"conversations": payload})

        assert answer.body == {"count": 2, "skipped": ["dead"], "busy": []}
        assert {row["id"] for row in api.list().body["conversations"]} == {"kept", "new"}
        assert api.get("old").status_code == 410
        kept = api.get("kept").body
        assert (kept["title"], kept["version"], kept["messages"]) == ("is", 2, said("hello"))

    def test_leaves_a_conversation_in_a_turn_alone(self, api: Api) -> None:
        for cid in ("named", "unnamed"):
            api.put(cid)
            run_turn(api, cid)

        answer = api(
            "PUT", "conversations/bulk", {"conversations": [{"id": "named", "title": "x"}]}
        )

        assert {**answer.body, "busy": sorted(answer.body["busy"])} == {
            "count": 0,
            "skipped": [],
            "busy": ["named", "unnamed"],
        }
        assert (api.get("named").body["title"], api.get("unnamed").status_code) == ("T", 200)

    @pytest.mark.parametrize(
        ("listed", "code"),
        [
            ({}, "bad_request"),
            ([7], "bad_request"),
            ([{"title": "x"}], "invalid_id"),
            ([{"id": "a"}, {"id": "a"}], "bad_request"),
            ([{"id": "a"}, {"id": "b", "nope": 1}], "unknown_field"),
        ],
    )
    def test_with_one_bad_entry_changes_nothing(
        self, api: Api, told: Told, listed: object, code: str
    ) -> None:
        api.put("c-1")

        told(api("PUT", "conversations/bulk", {"conversations": listed}), 400, code)
        assert ([row["id"] for row in api.list().body["conversations"]], api.seq) == (["c-1"], 1)
