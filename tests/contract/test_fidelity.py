"""Section 5: what is stored comes back equal, images to the byte."""

import base64
import json
import secrets
from typing import Any

import pytest

from tests.contract.place import Caller
from tests.contract.saying import LIST, at, code, put
from tests.support.notation import png


def said(content: Any) -> list[dict[str, Any]]:
    return [{"role": "user", "content": content}]


def image(data: str) -> dict[str, Any]:
    return {
        "type": "image",
        "source": {"type": "base64", "media_type": "image/png", "data": data},
    }


def big_png() -> str:
    """Return a PNG that no other conversation holds and that is too large to stay in the text."""
    return base64.b64encode(base64.b64decode(png(3, 2)) + secrets.token_bytes(30_000)).decode()


class TestMessages:
    @pytest.mark.parametrize(
        "value",
        [
            {"b": 1, "a": 2, "": 3, "ä": {"z": [], "y": {}}},
            {"float": 1e16, "one": 1.0, "tiny": 5e-324, "minus": -0.0, "int": 10**16},
            {"big": 2**60, "huge": 10**4000, "negative": -(2**63) - 1},
            {"nul": "a\x00b", "line": "\u2028\u2029", "face": "\U0001f600", "bom": "\ufeff"},
            {"deep": [[[[[[[[[[[[[[[["bottom"]]]]]]]]]]]]]]]]},
            {"true": True, "null": None, "zero": 0, "empty": ""},
        ],
        ids=["key order", "floats", "big integers", "characters", "depth", "constants"],
    )
    def test_come_back_to_the_last_key(self, me: Caller, cid: str, value: Any) -> None:
        use = {"type": "tool_use", "id": "toolu_1", "name": "t", "input": value}
        sent = [*said("x"), {"role": "assistant", "content": [use]}]

        put(
            me,
            cid,
            {"messages": sent, "settings": {"kept": value["nul"]} if "nul" in value else {}},
        )
        stored = me.get(at(cid)).json

        assert json.dumps(stored["messages"]) == json.dumps(sent)
        assert stored["settings"] == ({"kept": "a\x00b"} if "nul" in value else {})

    def test_keep_blocks_of_unknown_types_and_thinking(self, me: Caller, cid: str) -> None:
        blocks = [
            {"type": "thinking", "thinking": "", "signature": "c2ln"},
            {"type": "redacted_thinking", "data": "abc"},
            {"type": "of_next_year", "payload": [1, {"x": None}]},
            {"type": "text", "text": "", "citations": None},
        ]
        sent = [*said([{"type": "text", "text": "x"}]), {"role": "assistant", "content": blocks}]

        put(me, cid, {"messages": sent})

        assert json.dumps(me.get(at(cid)).json["messages"]) == json.dumps(sent)


class TestImages:
    def test_are_stored_to_the_byte_and_served_for_good(self, me: Caller, cid: str) -> None:
        data = big_png()
        sent = said([image(data), {"type": "text", "text": "see"}])

        put(me, cid, {"messages": sent})
        shown = me.get(f"/api/chat/history/{cid}").json["transcript"][0]["images"][0]
        answer = me.get(shown["url"])

        assert me.get(at(cid)).json["messages"] == sent
        assert (shown["mediaType"], shown["width"], shown["height"]) == ("image/png", 3, 2)
        assert base64.b64encode(answer.content).decode() == data
        assert answer.headers["content-type"] == "image/png"
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert "immutable" in answer.headers["cache-control"]

    def test_are_the_owners_alone(self, me: Caller, other: Caller, cid: str) -> None:
        put(me, cid, {"messages": said([image(big_png())])})
        url = me.get(f"/api/chat/history/{cid}").json["transcript"][0]["images"][0]["url"]
        put(other, cid, {"title": "the same id, another owner"})

        assert code(other.get(url)) == (404, "not_found")
        assert me.get(url).status == 200

    def test_of_odd_base64_come_back_as_they_were(self, me: Caller, cid: str) -> None:
        sent = said([image(f"{png(2, 2)}\n"), image("not base64"), image("AB==")])

        put(me, cid, {"messages": sent})

        assert me.get(at(cid)).json["messages"] == sent


class TestText:
    def test_in_any_script_is_listed_as_it_was_sent(self, me: Caller, cid: str) -> None:
        title = "Größe — 尺寸 \U0001f469\u200d\U0001f52c \u202ertl <b>&amp;"

        put(me, cid, {"title": title})

        found = [item for item in me.get(LIST).json["conversations"] if item["id"] == cid]
        assert found[0]["title"] == title
