"""Sections 3 and 4: who may call, and how what is refused is told."""

import secrets

import pytest

from tests.contract.conftest import NewId
from tests.contract.place import Caller
from tests.contract.saying import LIST, at, code, delete, put

ADDRESSES = [
    ("GET", LIST),
    ("POST", LIST),
    ("GET", at("c-1")),
    ("PUT", at("c-1")),
    ("PATCH", at("c-1")),
    ("DELETE", at("c-1")),
    ("GET", f"{at('c-1')}/images/{'0' * 64}"),
    ("GET", "/api/chat/history"),
    ("GET", "/api/chat/history/c-1"),
    ("POST", "/api/chat/stream"),
    ("POST", "/api/chat/confirm/stream"),
    ("POST", "/api/chat/turns/t-1/stop"),
    ("GET", "/api/chat/turns/t-1/events"),
    ("GET", "/api/chat/pending"),
    ("GET", "/api/export"),
    ("POST", "/api/import"),
    ("GET", "/api/nothing-of-the-kind"),
]


class TestNobody:
    @pytest.mark.parametrize(("method", "path"), ADDRESSES[:-1])
    def test_is_refused_everywhere(self, me: Caller, method: str, path: str) -> None:
        stranger = me.without_token()

        assert code(stranger.request(method, path)) == (401, "unauthenticated")
        forged = stranger.request(method, path, authorization=f"Bearer kny_{secrets.token_hex(32)}")
        assert code(forged) == (401, "unauthenticated")


class TestAccountHeader:
    def test_of_another_account_reads_and_writes_nothing(self, me: Caller, cid: str) -> None:
        wrong = {"x_kenny_account": "999999999"}

        assert code(me.get(LIST, **wrong)) == (409, "account_mismatch")
        assert code(put(me, cid, None, **wrong)) == (409, "account_mismatch")
        assert me.get(at(cid)).status == 404


class TestIds:
    @pytest.mark.parametrize("bad", ["%20", "a%20b", ".hidden", "x" * 129, "%C3%A4", "a%2Fb"])
    def test_outside_the_pattern_are_refused(self, me: Caller, bad: str) -> None:
        answers = [me.get(at(bad)), put(me, bad), delete(me, bad)]

        assert {code(answer) for answer in answers} == {(400, "invalid_id")}

    def test_with_a_line_break_behind_them_store_nothing(self, me: Caller, cid: str) -> None:
        assert put(me, f"{cid}%0A").status in {400, 404}
        assert me.get(at(cid)).status == 404

    def test_of_the_whole_pattern_are_taken(self, me: Caller, new_id: NewId) -> None:
        longest = f"{new_id()}._-A9"

        try:
            assert put(me, longest).status == 201
        finally:
            delete(me, longest)

    def test_reserve_bulk(self, me: Caller) -> None:
        assert code(me.post(LIST, {"id": "bulk"})) == (400, "invalid_id")

    def test_unlike_the_address_are_refused(self, me: Caller, cid: str) -> None:
        assert code(put(me, cid, {"id": f"{cid}x"})) == (400, "bad_request")
        assert me.get(at(cid)).status == 404


class TestRefusals:
    def test_of_unknown_ids_never_repeat_them(self, me: Caller, cid: str) -> None:
        answer = me.get(at(cid))

        assert code(answer) == (404, "not_found")
        assert cid not in answer.text

    def test_name_unknown_fields_and_no_values(self, me: Caller, cid: str) -> None:
        answer = put(me, cid, {"title": "x", "colour": "secret-value"})

        assert code(answer) == (400, "unknown_field")
        assert answer.json["error"]["fields"] == ["colour"]
        assert "secret-value" not in answer.text
        assert me.get(at(cid)).status == 404

    @pytest.mark.parametrize(
        "raw",
        [
            b"{",
            b"[]",
            b"",
            b'"text"',
            b'{"title": "x", "title": "y"}',
            b'{"settings": {"n": NaN}}',
            b'{"settings": {"n": Infinity}}',
            b'{"settings": {"n": 1e999}}',
            b'{"title": "half \\ud83d"}',
            b'{"title": "\\u0000"}',
            b'{"title": "' + b"x" * 201 + b'"}',
            b'{"title": "\xff"}',
            b'{"title": 5}',
            b'{"pinned": 1}',
            b'{"createdAt": -1}',
            b'{"createdAt": 9007199254740992}',
            b'{"messages": {}}',
            b'{"messages": [{"role": "user"}]}',
            b'{"messages": [{"role": "user", "content": [{"text": "no type"}]}]}',
            b'{"settings": ' + b'{"a":' * 70 + b"1" + b"}" * 70 + b"}",
            b'{"settings": {"n": ' + b"9" * 4301 + b"}}",
        ],
    )
    def test_of_bad_bodies_store_nothing(self, me: Caller, cid: str, raw: bytes) -> None:
        answer = put(me, cid, raw, content_type="application/json")

        assert code(answer) == (400, "bad_request")
        assert me.get(at(cid)).status == 404

    def test_of_settings_over_16_kb_tell_the_limit(self, me: Caller, cid: str) -> None:
        answer = put(me, cid, {"settings": {"a": "x" * 20_000}})

        assert code(answer) == (413, "too_large")
        assert answer.json["error"]["limit"] == 16 * 1024

    def test_of_unknown_addresses_have_the_same_shape(self, me: Caller) -> None:
        assert code(me.get(ADDRESSES[-1][1])) == (404, "not_found")
