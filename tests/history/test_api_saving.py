"""PUT, POST, PATCH and GET of one conversation."""

from collections.abc import Callable
from typing import Any

import pytest

from history.models import Conversation
from tests.history.conftest import Api, run_turn, said

Told = Callable[..., None]


class TestPut:
    def test_saves_the_first_time_as_version_one(self, api: Api) -> None:
        answer = api.put("c-1", createdAt=1000, updatedAt=2000)

        assert answer.status_code == 201
        assert answer.headers["ETag"] == answer.body["etag"]
        assert {**answer.body, "etag": ""} == {
            "id": "c-1",
            "title": "T",
            "agentId": None,
            "settings": {},
            "pinned": False,
            "archived": False,
            "createdAt": 1000,
            "updatedAt": 2000,
            "version": 1,
            "etag": "",
            "messageCount": 2,
            "preview": "re hello",
            "live": None,
        }

    def test_counts_on_whatever_version_the_body_names(self, api: Api) -> None:
        first = api.put("c-1")

        second = api.put(
            "c-1", version=99, etag="x", messageCount=7, preview="no", live={"turnId": "t"}
        )

        assert (second.status_code, second.body["version"], second.body["live"]) == (200, 2, None)
        assert second.body["etag"] != first.body["etag"]

    def test_keeps_what_the_body_leaves_out(self, api: Api) -> None:
        api.put(
            "c-1",
            createdAt=5,
            agentId="workspace",
            pinned=True,
            archived=True,
            settings={"model": "m"},
        )

        answer = api("PUT", "conversations/c-1", {"updatedAt": 9})

        kept = api.get("c-1").body
        assert answer.status_code == 200
        assert kept["messages"] == said("hello")
        assert [
            kept[name]
            for name in ("title", "agentId", "pinned", "archived", "settings", "createdAt")
        ] == [
            "T",
            "workspace",
            True,
            True,
            {"model": "m"},
            5,
        ]

    def test_stamps_only_times_that_are_zero_or_absent(self, api: Api) -> None:
        stamped = api.put("c-1", createdAt=0, updatedAt=0).body
        again = api.put("c-1").body
        future = api.put("c-1", updatedAt=2**53 - 1).body

        assert stamped["createdAt"] == stamped["updatedAt"] > 1_600_000_000_000
        assert again["updatedAt"] > stamped["updatedAt"]
        assert again["createdAt"] == stamped["createdAt"]
        assert future["updatedAt"] == 2**53 - 1

    def test_refuses_an_id_in_the_body_unlike_the_address(self, api: Api, told: Told) -> None:
        told(api.put("c-1", id="c-2"), 400, "bad_request")

        assert not Conversation.objects.exists()

    @pytest.mark.parametrize(
        ("field", "value"),
        [
            ("title", 7),
            ("title", None),
            ("title", "x" * 201),
            ("title", "a\x00b"),
            ("agentId", 7),
            ("agentId", "x" * 201),
            ("pinned", 1),
            ("archived", "yes"),
            ("settings", []),
            ("createdAt", -1),
            ("createdAt", True),
            ("updatedAt", 2**53),
            ("updatedAt", 1.5),
            ("messages", {}),
            ("messages", [{"role": "user"}]),
            ("messages", [{"role": "user", "content": [{"no": "type"}]}]),
            ("messages", ["x"]),
        ],
    )
    def test_refuses_a_value_that_is_none_and_names_its_field(
        self, api: Api, told: Told, field: str, value: Any
    ) -> None:
        api.put("c-1")

        answer = api.put("c-1", **{field: value})

        told(answer, 400, "bad_request")
        assert field in answer.body["error"]["message"]
        assert (api.get("c-1").body["version"], api.seq) == (1, 1)

    def test_names_unknown_keys_and_drops_none_silently(self, api: Api, told: Told) -> None:
        told(
            api.put("c-1", reasoningEffort="x", owner=7),
            400,
            "unknown_field",
            fields=["reasoningEffort", "owner"],
        )

    def test_refuses_settings_over_sixteen_kilobytes(self, api: Api, told: Told) -> None:
        told(api.put("c-1", settings={"x": "y" * 16_400}), 413, "too_large", limit=16_384)
        assert api.put("c-1", settings={"x": "y" * 16_300}).status_code == 201

    @pytest.mark.parametrize(
        "cid", ["a b", ".x", "a/b", "x" * 129, "bulk ", "é", "a%00", "a%0A", "%0A", "a%0Ab"]
    )
    def test_refuses_an_id_outside_the_alphabet(self, api: Api, told: Told, cid: str) -> None:
        told(api.put(cid), 400, "invalid_id")

    @pytest.mark.parametrize("cid", ["x" * 128, "-", "_", "a.b.c", "BULK"])
    def test_takes_every_id_inside_the_alphabet(self, api: Api, cid: str) -> None:
        assert api.put(cid).status_code == 201


class TestPost:
    def test_makes_an_id_and_is_an_upsert_under_a_given_one(self, api: Api) -> None:
        made = api("POST", "conversations", {"title": "x"})
        again = api("POST", "conversations", {"id": made.body["id"], "title": "y"})

        assert (made.status_code, again.status_code, again.body["version"]) == (201, 200, 2)
        assert api.get(made.body["id"]).body["title"] == "y"

    @pytest.mark.parametrize("cid", ["bulk", "a/b", 7, None])
    def test_refuses_an_id_that_is_none(self, api: Api, told: Told, cid: Any) -> None:
        told(api("POST", "conversations", {"id": cid}), 400, "invalid_id")


class TestPatch:
    def test_changes_metadata_only_and_moves_the_time(self, api: Api, told: Told) -> None:
        before = api.put("c-1", updatedAt=5000).body

        answer = api(
            "PATCH",
            "conversations/c-1",
            {
                "title": "n",
                "pinned": True,
                "archived": True,
                "settings": {"a": 1},
                "agentId": "kenny",
            },
        )

        assert answer.status_code == 200
        assert (answer.body["version"], answer.body["title"], answer.body["agentId"]) == (
            2,
            "n",
            "kenny",
        )
        assert answer.body["updatedAt"] > before["updatedAt"]
        assert answer.headers["ETag"] == answer.body["etag"] != before["etag"]
        assert api.get("c-1").body["messages"] == said("hello")
        told(
            api("PATCH", "conversations/c-1", {"messages": []}),
            400,
            "unknown_field",
            fields=["messages"],
        )
        told(api("PATCH", "conversations/none", {"title": "x"}), 404, "not_found")

    def test_keeps_the_time_a_client_edited_at(self, api: Api) -> None:
        api.put("c-1", updatedAt=5000)

        assert (
            api("PATCH", "conversations/c-1", {"title": "n", "updatedAt": 6000}).body["updatedAt"]
            == 6000
        )

    def test_is_allowed_while_a_turn_runs(self, api: Api) -> None:
        api.put("c-1")
        run_turn(api, "c-1")

        answer = api("PATCH", "conversations/c-1", {"title": "n"})

        assert (answer.status_code, answer.body["live"]) == (
            200,
            {"turnId": "t-1", "status": "running"},
        )


class TestGet:
    def test_tells_unknown_from_deleted_and_foreign_from_neither(
        self, api: Api, stranger: Api, told: Told
    ) -> None:
        api.put("c-1")
        api.delete("c-2")

        told(api.get("none"), 404, "not_found")
        told(api.get("c-2"), 410, "deleted", version=1)
        for cid in ("c-1", "c-2"):
            foreign, unknown = stranger.get(cid), stranger.get("none")
            assert (foreign.status_code, foreign.content) == (404, unknown.content)
            assert "ETag" not in foreign.headers

    def test_is_spared_to_a_client_that_has_it(self, api: Api) -> None:
        etag = api.put("c-1").body["etag"]

        assert api.get("c-1", if_none_match=etag).status_code == 304
        run_turn(api, "c-1")
        assert api.get("c-1", if_none_match=etag).body["live"]["turnId"] == "t-1"


class TestPartition:
    def test_two_owners_have_two_conversations_under_one_id(self, api: Api, stranger: Api) -> None:
        api.put("c-1", title="alice's")
        stranger.put("c-1", title="bob's")

        stranger.delete("c-1")

        assert api.get("c-1").body["title"] == "alice's"
        assert stranger.get("c-1").status_code == 410
        assert (api.seq, stranger.seq) == (1, 2)

    def test_nobody_gets_in_without_an_account(self, db: None, told: Told) -> None:
        for method, path in (
            ("GET", "conversations"),
            ("PUT", "conversations/c-1"),
            ("DELETE", "chat/history/c-1"),
        ):
            told(Api(None)(method, path), 401, "unauthenticated")
