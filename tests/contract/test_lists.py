"""Section 5: the complete list, the delta, pages, cursors, 304, search."""

import secrets
from typing import Any

from tests.contract.conftest import NewId
from tests.contract.place import Caller
from tests.contract.saying import LIST, at, delete, ids, messages, patch, put

KEYS = {
    "id", "title", "agentId", "settings", "pinned", "archived", "createdAt", "updatedAt", "version", "etag",
    "messageCount", "preview", "live",
}  # fmt: skip


def listed(client: Caller, query: str = "") -> dict[str, Any]:
    answer = client.get(f"{LIST}?{query}")
    assert answer.status == 200, answer.text
    page: dict[str, Any] = answer.json
    return page


class TestList:
    def test_holds_what_lives_and_what_died_without_bodies(self, me: Caller, new_id: NewId) -> None:
        live, dead = new_id(), new_id()
        put(me, live)
        put(me, dead)
        tombstone = delete(me, dead).json

        page = listed(me)

        found = next(item for item in page["conversations"] if item["id"] == live)
        assert set(found) == KEYS
        assert tombstone in page["deleted"]
        assert dead not in ids(page)
        assert (page["full"], page["next"]) == (True, None)
        assert page["epoch"] in page["cursor"]

    def test_brings_bodies_when_asked(self, me: Caller, cid: str) -> None:
        put(me, cid)

        page = listed(me, "include=messages&limit=5")

        found = next(item for item in page["conversations"] if item["id"] == cid)
        assert found["messages"] == messages()

    def test_stands_newest_first(self, me: Caller, new_id: NewId) -> None:
        old, new, clock_ahead = new_id(), new_id(), new_id()
        put(me, old, {"updatedAt": 1000})
        put(me, new)
        put(me, clock_ahead, {"updatedAt": 2**53 - 1})

        mine = [cid for cid in ids(listed(me)) if cid in {old, new, clock_ahead}]

        assert mine == [clock_ahead, new, old]

    def test_under_the_name_of_history_is_the_same(self, me: Caller, cid: str) -> None:
        put(me, cid)

        assert me.get("/api/chat/history").json == listed(me)

    def test_is_not_sent_again_while_nothing_moves(self, me: Caller, cid: str) -> None:
        put(me, cid)
        first = me.get(LIST)
        etag = first.headers["etag"]

        again = me.get(LIST, if_none_match=etag)
        patch(me, cid, title="moved")

        assert etag.startswith('W/"')
        assert (again.status, again.content) == (304, b"")
        assert me.get(LIST, if_none_match=etag).status == 200


class TestDelta:
    def test_holds_what_changed_and_nothing_else(self, me: Caller, new_id: NewId) -> None:
        still, changed, gone = new_id(), new_id(), new_id()
        for cid in (still, changed, gone):
            put(me, cid)
        cursor = listed(me)["cursor"]
        patch(me, changed, title="x")
        delete(me, gone)

        delta = listed(me, f"since={cursor}")

        assert delta["full"] is False
        assert still not in ids(delta)
        assert changed in ids(delta)
        assert gone in ids(delta, "deleted")
        after = listed(me, f"since={delta['cursor']}")
        assert changed not in ids(after)

    def test_of_a_cursor_that_means_nothing_is_the_complete_list(
        self, me: Caller, cid: str
    ) -> None:
        put(me, cid)
        epoch = listed(me)["epoch"]

        wrong = {
            "garbage": "cursor_invalid",
            f"v1.{epoch}.{10**15}": "cursor_ahead",
            "v1.0123456789abcdef.1": "epoch_changed",
        }
        pages = {cursor: listed(me, f"since={cursor}") for cursor in wrong}

        assert all(page["full"] and cid in ids(page) for page in pages.values())
        assert {page["reset"] for page in pages.values()} <= {*wrong.values(), "cursor_expired"}
        assert pages["garbage"]["reset"] == "cursor_invalid"


class TestPages:
    def test_together_are_the_list_of_the_first_and_a_delta_the_rest(
        self, me: Caller, new_id: NewId
    ) -> None:
        made = [new_id() for _ in range(5)]
        for cid in made:
            put(me, cid)
        page = first = listed(me, "limit=2")
        late = new_id()
        put(me, late)
        seen = ids(page)
        while page["next"]:
            page = listed(me, f"limit=2&next={page['next']}")
            assert len(page["conversations"]) <= 2
            seen += ids(page)

        assert set(made) <= set(seen)
        assert len(seen) == len(set(seen))
        assert late not in seen
        assert late in ids(listed(me, f"since={first['cursor']}"))

    def test_take_no_senseless_length(self, me: Caller) -> None:
        for limit in ("0", "-1", "x", "1.5"):
            assert me.get(f"{LIST}?limit={limit}").status == 400


class TestSearch:
    def test_finds_titles_and_texts_with_snippets(self, me: Caller, new_id: NewId) -> None:
        word = f"zeppelin{secrets.token_hex(5)}"
        in_title, in_text, neither = new_id(), new_id(), new_id()
        put(me, in_title, {"title": f"the {word} plan"})
        put(me, in_text, {"title": "x", "messages": messages(f"about the {word} valve")})
        put(me, neither)

        page = listed(me, f"q={word}")

        assert set(ids(page)) == {in_title, in_text}
        assert page["deleted"] == []
        for hit in page["conversations"]:
            assert any(marked and word in text.lower() for text, marked in hit["snippet"])

    def test_is_in_step_with_every_write_and_the_owners_alone(
        self, me: Caller, other: Caller, cid: str
    ) -> None:
        before, after = (f"word{secrets.token_hex(6)}" for _ in range(2))
        put(me, cid, {"messages": messages(before)})
        found = [ids(listed(me, f"q={before}")), ids(listed(other, f"q={before}"))]
        put(me, cid, {"messages": messages(after)})
        moved = [ids(listed(me, f"q={word}")) for word in (before, after)]
        delete(me, cid)

        assert found == [[cid], []]
        assert moved == [[], [cid]]
        assert ids(listed(me, f"q={after}")) == []
        assert me.get(at(cid)).status == 410
