"""PUT, POST, PATCH and GET of one conversation (sync.md, scenarios A and D)."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import transaction

from history import store
from history.models import Conversation
from tests.history.conftest import Api, said

Told = Callable[..., None]


def run_turn(api: Api, cid: str, *, status: str = "running") -> None:
    """Say that a turn runs or is held in alice's conversation."""
    with transaction.atomic():
        state = store.locked(api.owner_id)
        row = store.find(owner_id=api.owner_id, cid=cid)
        store.set_live(state, row, turn_id="t-1", status=status, now=1)


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

    @pytest.mark.parametrize("cid", ["a b", ".x", "a/b", "x" * 129, "bulk ", "é", "a%00"])
    def test_refuses_an_id_outside_the_alphabet(self, api: Api, told: Told, cid: str) -> None:
        told(api.put(cid), 400, "invalid_id")

    @pytest.mark.parametrize("cid", ["x" * 128, "-", "_", "a.b.c", "BULK"])
    def test_takes_every_id_inside_the_alphabet(self, api: Api, cid: str) -> None:
        assert api.put(cid).status_code == 201


class TestConditions:
    def test_match_lets_only_the_read_version_be_replaced(self, api: Api, told: Told) -> None:
        etag = api.put("c-1").body["etag"]

        assert api.put("c-1", if_match=f'"other", {etag}').status_code == 200
        newer = api.get("c-1").body["etag"]

        told(api.put("c-1", if_match=etag), 412, "conflict", version=2, etag=newer)
        told(api.put("c-1", if_match=f"W/{newer}"), 412, "conflict")
        assert api.get("c-1").body["version"] == 2

    def test_match_of_anything_needs_something(self, api: Api, told: Told) -> None:
        told(api.put("c-1", if_match="*"), 412, "conflict", version=None)
        api.put("c-1")
        assert api.put("c-1", if_match="*").status_code == 200

    def test_none_match_only_creates(self, api: Api, told: Told) -> None:
        assert api.put("c-1", if_none_match="*").status_code == 201
        told(api.put("c-1", if_none_match="*"), 412, "conflict", version=1)

    def test_a_deleted_id_outranks_every_condition(self, api: Api, told: Told) -> None:
        gone = api.delete("c-1").body

        for condition in ({"if_match": '"9.z"'}, {"if_none_match": "*"}, {}):
            told(
                api.put("c-1", **condition), 410, "deleted", version=1, deletedAt=gone["deletedAt"]
            )
        told(api("PATCH", "conversations/c-1", {"title": "x"}, if_match='"9.z"'), 410, "deleted")

    def test_hold_for_patch_and_delete_too(self, api: Api, told: Told) -> None:
        api.put("c-1")

        told(api("PATCH", "conversations/c-1", {"title": "x"}, if_match='"1.old"'), 412, "conflict")
        told(api.delete("c-1", if_match='"1.old"'), 412, "conflict")
        told(api.delete("c-2", if_match='"1.old"'), 412, "conflict")
        assert (api.get("c-1").body["title"], api.seq) == ("T", 1)

    def test_a_repeated_delete_has_been_applied_already(self, api: Api) -> None:
        api.put("c-1")
        gone = api.delete("c-1").body

        assert api.delete("c-1", if_match='"1.old"').body == gone


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


class TestDuringATurn:
    def test_a_save_of_messages_is_refused_before_its_condition_counts(
        self, api: Api, told: Told
    ) -> None:
        api.put("c-1")
        run_turn(api, "c-1")

        told(api.put("c-1", if_match='"1.old"'), 409, "busy", turnId="t-1")
        run_turn(api, "c-1", status="held")
        told(api.put("c-1"), 409, "pending", calls=[])
        assert api("PUT", "conversations/c-1", {"title": "n"}).status_code == 200

    def test_starting_one_moves_the_list_and_no_version(self, api: Api) -> None:
        before = api.put("c-1").body
        listed = api.list()

        run_turn(api, "c-1")

        after = api.get("c-1").body
        assert (after["version"], after["etag"]) == (1, before["etag"])
        assert api.list(if_none_match=listed.headers["ETag"]).status_code == 200
        delta = api.list(f"?since={listed.body['cursor']}").body
        assert [row["live"]["status"] for row in delta["conversations"]] == ["running"]


class TestThinking:
    """From where on earlier thinking may still be sent (turns.md, rule 19)."""

    def thinking_from(self) -> int:
        return Conversation.objects.get().thinking_from

    def test_a_rewritten_list_voids_what_came_before(self, api: Api) -> None:
        api.put("c-1")
        assert self.thinking_from() == 2

    def test_the_same_list_again_voids_nothing_more(self, api: Api) -> None:
        api.put("c-1", messages=[])
        api("PUT", "conversations/c-1", {"messages": []})
        assert self.thinking_from() == 0

    def test_another_system_text_voids_what_came_before(self, api: Api) -> None:
        api.put("c-1")
        Conversation.objects.all().update(thinking_from=0)

        api("PATCH", "conversations/c-1", {"settings": {"model": "m"}})
        assert self.thinking_from() == 0
        api("PATCH", "conversations/c-1", {"settings": {"system": "Be brief."}})
        assert self.thinking_from() == 2


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
