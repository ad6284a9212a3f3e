"""Section 3: one id in two accounts is two conversations, and another's looks like one that never was."""

from tests.contract.conftest import NewId
from tests.contract.place import Caller
from tests.contract.saying import LIST, at, delete, ids, patch, put


class TestStrangers:
    def test_get_the_very_answer_of_an_id_that_never_existed(
        self, me: Caller, other: Caller, new_id: NewId
    ) -> None:
        theirs, nobodys = new_id(), new_id()
        put(me, theirs)

        def asked(cid: str) -> list[tuple[int, bytes]]:
            answers = [
                other.get(at(cid)),
                patch(other, cid, title="x"),
                other.get(f"/api/chat/history/{cid}"),
                other.get(f"{at(cid)}/images/{'0' * 64}"),
            ]
            return [(answer.status, answer.content) for answer in answers]

        assert asked(theirs) == asked(nobodys)
        assert {status for status, _ in asked(theirs)} == {404}
        assert me.get(at(theirs)).json["version"] == 1

    def test_keep_their_own_under_the_same_id(self, me: Caller, other: Caller, cid: str) -> None:
        put(me, cid, {"title": "mine"})
        put(other, cid, {"title": "theirs"})
        delete(other, cid)

        assert me.get(at(cid)).json["title"] == "mine"
        assert other.get(at(cid)).status == 410

    def test_are_in_no_list(self, me: Caller, other: Caller, new_id: NewId) -> None:
        live, dead = new_id(), new_id()
        cursor = other.get(LIST).json["cursor"]
        put(me, live)
        delete(me, dead)

        for query in ("", f"?since={cursor}", "?limit=1000"):
            page = other.get(f"{LIST}{query}").json
            assert {live, dead}.isdisjoint(ids(page) + ids(page, "deleted"))
