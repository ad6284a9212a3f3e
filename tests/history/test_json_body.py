"""JSON in and out, strictly (contract, section 5: bodies)."""

import json
import math
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest_django import Settings
from rest_framework.request import Request
from rest_framework.test import APIRequestFactory

from history.errors import BadRequest
from history.json_body import DEPTH, StrictJSONParser, dumps, loads
from history.models import Conversation
from history.requests import body_of
from tests.history.conftest import Api

Told = Callable[..., None]

values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


def nested(depth: int) -> str:
    return "[" * depth + "]" * depth


class TestLoads:
    @given(values)
    def test_reads_what_dumps_wrote(self, value: Any) -> None:
        assert json.dumps(loads(dumps(value))) == json.dumps(value)

    @given(st.text())
    def test_refuses_or_reads_any_text_and_never_fails_otherwise(self, text: str) -> None:
        try:
            loads(text)
        except BadRequest:
            return
        json.loads(text)

    @given(st.binary())
    def test_refuses_or_reads_any_bytes(self, raw: bytes) -> None:
        try:
            loads(raw)
        except BadRequest:
            return
        json.loads(raw.decode())

    @pytest.mark.parametrize(
        "text",
        [
            "NaN",
            "[Infinity]",
            "-Infinity",
            "1e400",
            '{"a":1,"a":1}',
            '{"a":{"b":1,"c":2,"b":3}}',
            r'"\ud83d"',
            r'{"\udc00":1}',
            r'["\ude00\ud83d"]',
            "9" * 4301,
            "-" + "9" * 4301,
            nested(65),
            nested(5000),
            nested(200_000),
            '{"a":' * 65 + "1" + "}" * 65,
            "",
            "{",
            "nul",
            "[1,]",
            "'a'",
            "\ufeff{}",
            b"\xff\xfe",
            b'"\xed\xa0\x80"',
            '"a\nb"',
        ],
    )
    def test_refuses_what_is_no_sound_json(self, text: str | bytes) -> None:
        with pytest.raises(BadRequest):
            loads(text)

    @pytest.mark.parametrize(
        ("text", "value"),
        [
            ("9" * 4300, int("9" * 4300)),
            (r'"\ud83d\ude00"', "\U0001f600"),
            (r'"\\ud83d"', "\\ud83d"),
            (r'"\u0000"', "\x00"),
            ("1e16", 1e16),
            ("1e308", 1e308),
            (r'"[[\"{{["', '[["{{['),
            ('"\u2028"', "\u2028"),
        ],
    )
    def test_reads_what_is_sound_if_unusual(self, text: str, value: Any) -> None:
        assert loads(text) == value

    def test_takes_sixty_four_levels(self) -> None:
        assert json.dumps(loads(nested(DEPTH))) == nested(DEPTH)
        assert loads('{"a":[' * 32 + "]}" * 32)

    def test_tells_an_int_from_a_float(self) -> None:
        read = loads("[1, 1.0, 1e2, -0.0, 12345678901234567890]")

        assert [type(value) for value in read] == [int, float, float, float, int]
        assert math.copysign(1, read[3]) == -1

    def test_judges_brackets_in_long_strings_in_passing(self) -> None:
        text = '["' + "[" * 1_000_000 + '"]'

        assert len(loads(text)[0]) == 1_000_000


class TestDumps:
    def test_writes_half_a_pair_as_an_escape(self) -> None:
        assert dumps({"a": "\ud83d"}) == rb'{"a":"\ud83d"}'

    def test_never_writes_nan(self) -> None:
        with pytest.raises(ValueError, match="not JSON compliant"):
            dumps(math.nan)


class TestBodies:
    @pytest.mark.parametrize(
        ("body", "code"),
        [
            ('{"title":"x","messages":[{"role":"user","content":NaN}]}', "bad_request"),
            ('{"title":"x","settings":' + nested(5000) + "}", "bad_request"),
            ('{"title":"x\\ud83d","messages":[]}', "bad_request"),
            ("{", "bad_request"),
            ("[]", "bad_request"),
            ("null", "bad_request"),
            ('"x"', "bad_request"),
            ('{"title":"x","title":"y"}', "bad_request"),
            ("", "bad_request"),
        ],
    )
    def test_that_are_no_sound_object_write_nothing(
        self, api: Api, told: Told, body: str, code: str
    ) -> None:
        told(api("PUT", "conversations/c-1", body), 400, code)

        assert not Conversation.objects.exists()

    def test_of_undeclared_length_are_read(self, api: Api) -> None:
        request = APIRequestFactory().put("/", b'{"title":"x"}', content_type="application/json")
        del request.META["CONTENT_LENGTH"]

        assert body_of(Request(request, parsers=[StrictJSONParser()])) == {"title": "x"}

    def test_of_another_type_are_refused(self, api: Api, told: Told) -> None:
        answer = api.client.put(
            "/api/conversations/c-1", "a=b", content_type="application/x-www-form-urlencoded"
        )

        assert (answer.status_code, answer.json()["error"]["code"]) == (400, "bad_request")

    def test_over_the_limit_are_too_large(self, api: Api, told: Told, settings: Settings) -> None:
        settings.KENNY_MAX_BODY = settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 1000

        told(api.put("c-1", title="x" * 1000), 413, "too_large", limit=1000)
        assert api("PUT", "conversations/c-1", {"title": "x"}).status_code == 201

    def test_come_back_equal_on_every_database(self, api: Api) -> None:
        arguments = {
            "b": 1,
            "a": 2,
            "10": 0,
            "9": 0,
            "n": 1e16,
            "m": 1e22,
            "big": 2**70,
            "f": 1.0,
            "z": -0.0,
        }
        said = [
            {
                "role": "assistant",
                "content": [
                    {"type": "thinking", "thinking": "", "signature": "abc"},
                    {"type": "tool_use", "id": "t", "name": "x", "input": arguments},
                ],
            },
            {"role": "user", "content": "\x00 \u2028 \U0001f600 \x1b[0m \\u0000", "extra": None},
        ]
        kept = {"z": [1, {"k": None}], "a": "\x00", "e": 1e300}

        api.put("c-1", messages=said, settings=kept)

        got = api.get("c-1").body
        assert json.dumps(got["messages"]) == json.dumps(said)
        assert json.dumps(got["settings"]) == json.dumps(kept)
        assert json.dumps(
            api.list("?include=messages").body["conversations"][0]["messages"]
        ) == json.dumps(said)


class TestAnswers:
    def test_are_json_whatever_accept_says(self, api: Api) -> None:
        answer = api.list(accept="text/html")

        assert (answer.status_code, answer.headers["Content-Type"]) == (200, "application/json")

    def test_name_a_wrong_method(self, api: Api, told: Told) -> None:
        told(api("PATCH", "conversations", {}), 405, "bad_request")
