"""Section 5: what replaces or deletes the whole set. On an operator's server only when told to."""

import pytest

from tests.contract.conftest import NewId
from tests.contract.place import Caller
from tests.contract.saying import LIST, at, code, delete, ids, messages, put

BULK = f"{LIST}/bulk"
pytestmark = pytest.mark.usefixtures("whole_account")


class TestBulk:
    def test_replaces_the_set_and_brings_nothing_back(self, me: Caller, new_id: NewId) -> None:
        kept, new, dead, absent = (new_id() for _ in range(4))
        for cid in (kept, dead, absent):
            put(me, cid)
        delete(me, dead)
        sent = [{"id": cid, "title": "bulk", "messages": messages()} for cid in (kept, new, dead)]

        answer = me.request("PUT", BULK, {"conversations": sent})

        assert (answer.status, answer.json) == (200, {"count": 2, "skipped": [dead], "busy": []})
        assert set(ids(me.get(LIST).json)) == {kept, new}
        assert [me.get(at(cid)).status for cid in (dead, absent)] == [410, 410]
        assert me.get(at(kept)).json["version"] == 2

    def test_of_a_bad_one_stores_none(self, me: Caller, new_id: NewId) -> None:
        kept, new = new_id(), new_id()
        put(me, kept)

        for bad in ({"id": "a b"}, {"id": new, "colour": 1}, {"title": "no id"}, "text"):
            answer = me.request("PUT", BULK, {"conversations": [{"id": new}, bad]})
            assert code(answer)[0] == 400

        assert me.get(at(new)).status == 404
        assert me.get(at(kept)).json["version"] == 1


class TestDeleteAll:
    def test_spares_what_came_after_the_cursor(self, me: Caller, new_id: NewId) -> None:
        before, after = new_id(), new_id()
        put(me, before)
        cursor = me.get(LIST).json["cursor"]
        put(me, after)

        answer = me.request("DELETE", f"{LIST}?before={cursor}")

        assert answer.status == 200
        assert set(answer.json) == {"count", "cursor"}
        assert answer.json["count"] >= 1
        assert [me.get(at(cid)).status for cid in (before, after)] == [410, 200]

    def test_leaves_tombstones_and_the_other_account_alone(
        self, me: Caller, other: Caller, cid: str
    ) -> None:
        put(me, cid)
        put(other, cid)

        me.request("DELETE", LIST)

        page = me.get(LIST).json
        assert page["conversations"] == []
        assert cid in ids(page, "deleted")
        assert other.get(at(cid)).status == 200
