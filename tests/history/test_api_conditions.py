"""Writes with a condition and writes during a turn: which refusal comes first."""

from collections.abc import Callable

from history.models import Conversation
from tests.history.conftest import Api, run_turn

Told = Callable[..., None]


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
