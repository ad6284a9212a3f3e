"""The script engine writes what the API would, and whatever it writes is read back as it was meant."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chat.llm.growing import Growing
from chat.llm.script import Script, call, mint, pieces, split, text, thinking
from chat.llm.wire import Events, encode

_words = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=40)
_blocks = st.lists(
    st.builds(text, _words.map("a{}".format))
    | st.builds(lambda words: thinking(words, signature="c2ln"), _words)
    | st.builds(lambda words: call("read_gauge", {"path": words}, call_id=mint("toolu")), _words),
    min_size=1,
    max_size=4,
).filter(lambda blocks: any(block["type"] != "thinking" for block in blocks))


def script(blocks: list[dict[str, Any]], **changes: Any) -> Script:
    return Script(blocks=blocks, model="m", message_id="msg_1", **changes)


class TestScript:
    @settings(deadline=None, max_examples=60)
    @given(
        _blocks,
        st.none() | st.integers(min_value=1, max_value=5),
        st.integers(min_value=1, max_value=9),
    )
    def test_is_read_back_block_by_block(
        self, blocks: list[dict[str, Any]], size: int | None, chunk: int
    ) -> None:
        data = b"".join(map(encode, script(blocks, size=size).events()))
        events, growing = Events(), Growing()

        for part in split_bytes(data, size=chunk):
            for event in events.feed(part):
                growing.apply(event)

        assert growing.reply(request_id=None).content == blocks

    def test_writes_the_events_in_the_order_of_the_api(self) -> None:
        blocks = [
            thinking("hm", signature="c2ln"),
            {**text("yes"), "citations": [{"cited_text": "x"}]},
            {"type": "hologram"},
        ]

        kinds = [event.get("delta", event).get("type") for event in script(blocks).events()]

        assert kinds == [
            "message_start", "ping", "content_block_start", "thinking_delta", "signature_delta", "content_block_stop",
            "content_block_start", "text_delta", "citations_delta", "content_block_stop",
            "content_block_start", "content_block_stop", None, "message_stop",
        ]  # fmt: skip

    @pytest.mark.parametrize(
        ("blocks", "given_reason", "wanted"),
        [
            ([text("yes")], None, "end_turn"),
            ([call("t", {}, call_id="a1")], None, "tool_use"),
            ([call("t", {}, call_id="a1")], "max_tokens", "max_tokens"),
        ],
    )
    def test_stops_for_the_reason_that_its_blocks_ask_for(
        self, blocks: list[dict[str, Any]], given_reason: str | None, wanted: str
    ) -> None:
        assert script(blocks, stop_reason=given_reason).reason == wanted


class TestPieces:
    @settings(deadline=None, max_examples=60)
    @given(st.text())
    def test_lose_nothing(self, words: str) -> None:
        assert "".join(pieces(words)) == words

    def test_are_words_and_parts_of_long_ones(self) -> None:
        assert pieces("two words\nandonethatisverylong") == [
            "two ",
            "words\n",
            "andonethatis",
            "verylong",
        ]

    @settings(deadline=None, max_examples=60)
    @given(st.text(), st.integers(min_value=1, max_value=9))
    def test_of_a_size_lose_nothing_either(self, words: str, size: int) -> None:
        assert "".join(split(words, size=size)) == words


def split_bytes(data: bytes, *, size: int) -> list[bytes]:
    return [data[at : at + size] for at in range(0, len(data), size)]
