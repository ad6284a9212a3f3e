"""Section 5: save, change, delete, conditions, tombstones."""

import pytest

from tests.contract.conftest import NewId
from tests.contract.place import Caller
from tests.contract.saying import LIST, at, code, delete, messages, patch, put


class TestSave:
    def test_counts_versions_and_ignores_what_is_the_servers(self, me: Caller, cid: str) -> None:
        first = put(me, cid, {"title": "a", "version": 99, "etag": "x", "preview": "y"})
        second = put(me, cid, {"title": "b"})

        assert (first.status, first.json["version"]) == (201, 1)
        assert (second.status, second.json["version"]) == (200, 2)
        assert "messages" not in second.json
        assert second.headers["etag"] == second.json["etag"] != first.json["etag"]
        assert not second.headers["etag"].startswith("W/")

    def test_keeps_what_is_left_out(self, me: Caller, cid: str) -> None:
        sent = {
            "title": "kept",
            "agentId": "no-such-agent",
            "settings": {"effort": "low", "z": [1, None]},
            "pinned": True,
            "createdAt": 1000,
            "updatedAt": 2000,
            "messages": messages(),
        }
        put(me, cid, sent)
        put(me, cid, {"archived": True, "updatedAt": 3000})

        stored = me.get(at(cid)).json
        assert {name: stored[name] for name in sent} == {**sent, "updatedAt": 3000}
        assert (stored["archived"], stored["messageCount"], stored["live"]) == (True, 2, None)

    def test_stamps_absent_times(self, me: Caller, cid: str) -> None:
        stored = put(me, cid, {"createdAt": 0}).json

        assert 1_600_000_000_000 < stored["createdAt"] <= stored["updatedAt"]

    def test_by_post_takes_an_id_or_makes_one(self, me: Caller, cid: str) -> None:
        named, unnamed = me.post(LIST, {"id": cid}), me.post(LIST, {"title": "made"})

        assert (named.status, named.json["id"]) == (201, cid)
        assert (unnamed.status, unnamed.json["version"]) == (201, 1)
        assert delete(me, unnamed.json["id"]).status == 200


class TestPatch:
    def test_changes_one_thing(self, me: Caller, cid: str) -> None:
        put(me, cid)

        answer = patch(me, cid, title="new", pinned=True)

        assert (answer.status, answer.json["version"]) == (200, 2)
        stored = me.get(at(cid)).json
        assert (stored["title"], stored["pinned"]) == ("new", True)
        assert stored["messages"] == messages()

    def test_of_messages_is_refused_by_name(self, me: Caller, cid: str) -> None:
        put(me, cid)

        answer = patch(me, cid, messages=[])

        assert code(answer) == (400, "unknown_field")
        assert me.get(at(cid)).json["version"] == 1

    def test_of_an_unknown_id_is_404(self, me: Caller, cid: str) -> None:
        assert code(patch(me, cid, title="x")) == (404, "not_found")


class TestDelete:
    def test_is_idempotent(self, me: Caller, cid: str) -> None:
        put(me, cid)

        first, again = delete(me, cid), delete(me, cid)

        assert first.status == again.status == 200
        assert first.json == again.json
        assert (first.json["id"], first.json["version"]) == (cid, 2)

    def test_of_an_id_never_seen_leaves_a_tombstone(self, me: Caller, cid: str) -> None:
        assert (delete(me, cid).json["version"], me.get(at(cid)).status) == (1, 410)

    def test_wins_over_every_later_call(self, me: Caller, cid: str) -> None:
        put(me, cid)
        dead = delete(me, cid).json

        answers = [
            me.get(at(cid)),
            put(me, cid),
            put(me, cid, None, if_match='"9.z"'),
            put(me, cid, None, if_none_match="*"),
            patch(me, cid, title="x"),
            me.post(LIST, {"id": cid}),
            me.get(f"/api/chat/history/{cid}"),
            me.get(f"{at(cid)}/images/{'0' * 64}"),
        ]

        assert {code(answer) for answer in answers} == {(410, "deleted")}
        facts = {(a.json["error"]["version"], a.json["error"]["deletedAt"]) for a in answers}
        assert facts == {(dead["version"], dead["deletedAt"])}

    def test_by_the_address_of_replay_is_the_same(self, me: Caller, cid: str) -> None:
        put(me, cid)

        answer = me.request("DELETE", f"/api/chat/history/{cid}")

        assert (answer.status, answer.json) == (200, delete(me, cid).json)


class TestConditions:
    def test_hold_once(self, me: Caller, cid: str) -> None:
        etag = put(me, cid).headers["etag"]

        assert put(me, cid, {"title": "x"}, if_match=etag).status == 200
        late = put(me, cid, {"title": "y"}, if_match=etag)
        stored = me.get(at(cid))

        assert code(late) == (412, "conflict")
        assert late.json["error"]["etag"] == stored.headers["etag"]
        assert late.json["error"]["version"] == stored.json["version"] == 2
        assert stored.json["title"] == "x"

    def test_guard_patch_and_delete(self, me: Caller, cid: str) -> None:
        put(me, cid)
        stale = {"if_match": '"1.nothing"'}

        assert code(me.request("PATCH", at(cid), {"title": "x"}, **stale)) == (412, "conflict")
        assert code(delete(me, cid, **stale)) == (412, "conflict")
        assert me.get(at(cid)).json["version"] == 1

    def test_of_create_only_take_a_free_id(self, me: Caller, new_id: NewId) -> None:
        free = new_id()

        assert put(me, free, None, if_none_match="*").status == 201
        assert code(put(me, free, None, if_none_match="*")) == (412, "conflict")

    def test_spare_a_reader_what_it_holds(self, me: Caller, cid: str) -> None:
        etag = put(me, cid).headers["etag"]

        same = me.get(at(cid), if_none_match=etag)
        patch(me, cid, title="x")

        assert (same.status, same.content) == (304, b"")
        assert me.get(at(cid), if_none_match=etag).status == 200


@pytest.mark.parametrize("name", ["title", "settings", "pinned", "archived", "agentId"])
def test_every_key_that_a_page_sends_round_trips(me: Caller, cid: str, name: str) -> None:
    values = {
        "title": "Ünïcode \U0001f600",
        "settings": {"model": "m", "nested": {"b": 1, "a": [True, None]}},
        "pinned": True,
        "archived": True,
        "agentId": "workspace",
    }
    put(me, cid)

    patch(me, cid, **{name: values[name]})

    assert me.get(at(cid)).json[name] == values[name]
