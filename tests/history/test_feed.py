"""The list and the delta: never an error, never a short answer, nothing lost between pages."""

from collections.abc import Iterator
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command

from history.cursors import Cursor, Place
from history.errors import Deleted
from history.models import Conversation, SyncState
from history.rows import LEAD
from tests.history.conftest import Api, said

HOUR = 3_600_000


def ids(listed: list[dict[str, Any]]) -> list[str]:
    return [row["id"] for row in listed]


def pages(api: Api, query: str) -> Iterator[dict[str, Any]]:
    """Yield all pages of a list."""
    page = api.list(query).body
    yield page
    while page["next"]:
        limit = query.partition("limit=")[2].partition("&")[0]
        page = api.list(f"?limit={limit}&next={page['next']}").body
        yield page


def gone(_row: Conversation) -> None:
    raise Deleted(version=2, deletedAt=1)


class TestList:
    def test_tells_live_from_deleted_without_bodies(self, api: Api, stranger: Api) -> None:
        api.put("c-1")
        gone = api.delete("c-2").body
        stranger.put("c-3")

        listed = api.list().body

        assert list(listed) == ["conversations", "deleted", "cursor", "epoch", "full", "next"]
        assert (ids(listed["conversations"]), listed["deleted"]) == (["c-1"], [gone])
        assert "messages" not in listed["conversations"][0]
        assert (listed["full"], listed["next"]) == (True, None)
        assert listed["conversations"][0] == {
            k: v for k, v in api.get("c-1").body.items() if k != "messages"
        }

    def test_adds_the_bodies_on_request(self, api: Api) -> None:
        api.put("c-1")

        assert api.list("?include=messages").body["conversations"][0]["messages"] == said("hello")
        assert api.list("?include=other").status_code == 400

    def test_shows_no_bodies_of_what_dies_while_it_is_made(
        self, api: Api, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        api.put("c-1")
        monkeypatch.setattr("history.feed.full_messages", gone)

        assert api.list("?include=messages").body["conversations"][0]["messages"] == []

    def test_is_newest_first_and_no_clock_pins_a_conversation_to_the_top(self, api: Api) -> None:
        now = api.put("now").body["updatedAt"]
        for cid, at in (
            ("future", 2**53 - 1),
            ("b", now - HOUR),
            ("a", now - HOUR),
            ("soon", now + LEAD * 2),
        ):
            api.put(cid, updatedAt=at)

        order = ids(api.list().body["conversations"])

        assert order[2:] == ["now", "a", "b"]
        assert set(order[:2]) == {"future", "soon"}
        later = api.put("later", updatedAt=now + LEAD + HOUR).body
        assert later["updatedAt"] == now + LEAD + HOUR
        assert ids(api.list().body["conversations"])[0] == "later"

    def test_is_empty_for_a_new_account_and_its_epoch_stays(self, api: Api) -> None:
        first, second = api.list().body, api.list().body

        assert first["conversations"] == first["deleted"] == []
        assert first["epoch"] == second["epoch"]
        assert first["cursor"] == second["cursor"]

    def test_is_spared_to_a_client_that_has_it(self, api: Api) -> None:
        api.put("c-1")
        etag = api.list().headers["ETag"]

        assert etag.startswith('W/"')
        answer = api.list(if_none_match=etag)
        assert (answer.status_code, answer.content, answer.headers["ETag"]) == (304, b"", etag)
        assert api.list("?include=messages", if_none_match=etag).status_code == 200
        api.put("c-1")
        assert api.list(if_none_match=etag).status_code == 200

    def test_is_the_same_under_chat_history(self, api: Api) -> None:
        api.put("c-1")

        assert api("GET", "chat/history").body == api.list().body


class TestDelta:
    def test_holds_what_changed_since_and_what_died(self, api: Api) -> None:
        for cid in ("kept", "changed", "dying"):
            api.put(cid)
        cursor = api.list().body["cursor"]
        api.put("new")
        api.delete("dying")
        api.put("changed")

        delta = api.list(f"?since={cursor}").body

        assert (delta["full"], "reset" in delta) == (False, False)
        assert ids(delta["conversations"]) == ["new", "changed"]
        assert ids(delta["deleted"]) == ["dying"]
        assert api.list(f"?since={delta['cursor']}").body["conversations"] == []

    def test_shows_each_conversation_once_at_its_newest(self, api: Api) -> None:
        cursor = api.list().body["cursor"]
        for _ in range(3):
            api.put("c-1")

        assert [row["version"] for row in api.list(f"?since={cursor}").body["conversations"]] == [3]

    @pytest.mark.parametrize(
        ("cursor", "reset"),
        [
            ("garbage", "cursor_invalid"),
            ("", "cursor_invalid"),
            ("v1.{epoch}.-1", "cursor_invalid"),
            ("v1.{epoch}.\u0661", "cursor_invalid"),
            ("v1.{epoch}." + "9" * 40, "cursor_invalid"),
            ("v1.{epoch}.99", "cursor_ahead"),
            ("v1.0000000000000000.1", "epoch_changed"),
        ],
    )
    def test_of_a_cursor_that_cannot_be_honoured_is_the_complete_list(
        self, api: Api, cursor: str, reset: str
    ) -> None:
        api.put("c-1")
        epoch = api.list().body["epoch"]

        answer = api.list(f"?since={cursor.format(epoch=epoch)}")

        assert answer.status_code == 200
        assert (answer.body["full"], answer.body["reset"]) == (True, reset)
        assert ids(answer.body["conversations"]) == ["c-1"]

    def test_of_another_accounts_cursor_is_the_complete_list(self, api: Api, stranger: Api) -> None:
        stranger.put("c-1")
        api.put("c-2")

        answer = api.list(f"?since={stranger.list().body['cursor']}").body

        assert (answer["reset"], ids(answer["conversations"])) == ("epoch_changed", ["c-2"])

    def test_after_a_restore_is_the_complete_list(self, api: Api) -> None:
        api.put("c-1")
        before = api.list().body

        call_command("rotate_sync_epoch", stdout=StringIO())

        after = api.list(f"?since={before['cursor']}").body
        assert (after["reset"], after["full"]) == ("epoch_changed", True)
        assert after["epoch"] != before["epoch"]


class TestPages:
    def test_together_are_the_complete_list(self, api: Api) -> None:
        for number in range(7):
            api.put(f"c-{number}", updatedAt=1000 + number // 2)
        for number in range(3):
            api.delete(f"d-{number}")
        whole = api.list().body

        got = list(pages(api, "?limit=2"))

        assert [row for page in got for row in page["conversations"]] == whole["conversations"]
        assert [row for page in got for row in page["deleted"]] == whole["deleted"]
        assert all(len(page["conversations"]) + len(page["deleted"]) <= 2 for page in got)
        assert all(page["full"] for page in got)

    def test_and_the_delta_from_the_first_miss_nothing_that_moves_meanwhile(self, api: Api) -> None:
        for number in range(6):
            api.put(f"c-{number}", updatedAt=1000 + number)
        first = api.list("?limit=2").body
        api.put("c-0")
        api.delete("c-1")
        api.put("c-9")

        rest = list(pages_from(api, first))
        delta = api.list(f"?since={first['cursor']}").body

        seen = [cid for page in (first, *rest) for cid in ids(page["conversations"])]
        assert seen == ["c-5", "c-4", "c-3", "c-2"]
        assert {page["cursor"] for page in rest} == {first["cursor"]}
        assert (set(ids(delta["conversations"])), ids(delta["deleted"])) == (
            {"c-0", "c-9"},
            ["c-1"],
        )

    def test_of_a_delta_are_bounded_by_its_first(self, api: Api) -> None:
        cursor = api.list().body["cursor"]
        for number in range(4):
            api.put(f"c-{number}")
        first = api.list(f"?since={cursor}&limit=3").body
        api.put("c-3")

        (rest,) = pages_from(api, first)

        assert ids(first["conversations"]) == ["c-0", "c-1", "c-2"]
        assert (ids(rest["conversations"]), rest["full"], rest["next"]) == ([], False, None)
        assert ids(api.list(f"?since={rest['cursor']}").body["conversations"]) == ["c-3"]

    def test_that_cannot_go_on_begin_again(self, api: Api) -> None:
        api.put("c-1")
        api.put("c-2")
        following = api.list("?limit=1").body["next"]
        SyncState.objects.all().update(epoch="0" * 16)

        for place, reset in ((following, "epoch_changed"), ("garbage", "cursor_invalid")):
            page = api.list(f"?limit=1&next={place}").body
            assert (page["reset"], page["full"], len(page["conversations"])) == (reset, True, 1)

    @pytest.mark.parametrize("limit", ["0", "-1", "x", "", "1.5", "²", "9" * 12])
    def test_need_a_sensible_limit(self, api: Api, limit: str) -> None:
        assert api.list(f"?limit={limit}").status_code == 400


def pages_from(api: Api, first: dict[str, Any]) -> Iterator[dict[str, Any]]:
    page = first
    while page["next"]:
        page = api.list(f"?limit=2&next={page['next']}").body
        yield page


class TestCursor:
    def test_reads_back_what_it_wrote(self) -> None:
        place = Place("ab12", 7, "l", 5, "a.b-c_d")

        assert Place.parse(str(place)) == place
        assert Cursor.parse("v1.ab12.7") == Cursor("ab12", 7) == place.cursor
