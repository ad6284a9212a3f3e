"""A reply that does not end well has not ended; what of it may be kept, and what is shown on the way."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chat.llm.base import Delta
from chat.llm.growing import Growing, UpstreamError
from chat.llm.wire import Malformed
from tests.support.stream import (
    ERR,
    PING,
    D,
    E,
    Event,
    S,
    grown,
    j,
    shown,
    sig,
    start,
    t,
    take,
    th,
    whole,
    x,
)

OPEN = {"type": "text", "text": "Open"}
CALL = {"type": "tool_use", "id": "a1", "name": "set_valve", "input": {"v": 1}}
SEARCH = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {}}
FOUND = {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []}


class TestFaults:
    @pytest.mark.parametrize(
        "events",
        [
            [],
            [S],
            [S, t(0, "The valve is")],
            [S, t(0, "The valve is"), x(0), D("end_turn")],
        ],
    )
    def test_a_stream_that_just_ends_is_no_reply_t36(self, events: list[Event]) -> None:
        """A raw end of the body is not success, whatever came before it."""
        with pytest.raises(Malformed, match="ended before its message did"):
            whole(*events)

    @pytest.mark.parametrize(
        "events",
        [
            [S, t(0, "Hello"), S],
            [t(0, "Hello")],
            [D("end_turn")],
            [E],
            [S, E],
            [S, D(None), E],
            [S, start(1, OPEN)],
            [S, start(0, OPEN), start(0, OPEN)],
            [S, x(0)],
            [S, t(0, "a"), x(0), t(0, "b")],
            [S, start(0, OPEN), j(0, "{}")],
            [S, start(0, {**CALL, "id": None})],
            [S, start(0, {"type": "tool_use", "id": "a0", "name": "set_valve"}), j(0, "{}")],
            [S, start(0, {"text": "x"})],
            [S, start(0, {"type": 4})],
            [S, start(0, {"type": "text"})],
            [S, start(0, OPEN), {"type": "content_block_delta", "index": 0}],
            [
                S,
                start(0, OPEN),
                {
                    "type": "content_block_delta",
                    "index": 0,
                    "delta": {"type": "text_delta", "text": 4},
                },
            ],
            [
                S,
                j(0, "{"),
                {
                    "type": "content_block_delta",
                    "index": 0,
                    "delta": {"type": "input_json_delta", "partial_json": 4},
                },
            ],
            [S, j(0, "{}"), D("tool_use"), E],
        ],
    )
    def test_a_stream_out_of_order_is_malformed(self, events: list[Event]) -> None:
        growing = Growing()

        with pytest.raises(Malformed):
            take(growing, *events)

        assert isinstance(growing.partial(), list)

    @pytest.mark.parametrize("before", [[], [S], [S, PING], [S, t(0, "Open")]])
    def test_an_error_in_the_stream_is_raised_with_its_type_t45_t49(
        self, before: list[Event]
    ) -> None:
        """Under HTTP 200, and even as the only event."""
        with pytest.raises(UpstreamError) as raised:
            grown(*before, ERR("overloaded_error", details={"error_code": "c"}))

        assert (raised.value.type, raised.value.code, raised.value.prose) == (
            "overloaded_error",
            "c",
            "scripted",
        )
        assert "scripted" not in str(raised.value)

    def test_an_error_without_parts_has_no_type(self) -> None:
        with pytest.raises(UpstreamError) as raised:
            grown({"type": "error", "error": {}})

        assert (raised.value.type, raised.value.code, raised.value.prose) == (None, None, "")


class TestPartial:
    @pytest.mark.parametrize(
        ("events", "kept"),
        [
            pytest.param([S, t(0, "Open"), x(0), j(1, '{"v": 1')], [OPEN], id="T30: half a call"),
            pytest.param([S, th(0, "hm")], [], id="T32: only thinking"),
            pytest.param([S, th(0, "hm"), sig(0, "abc"), x(0)], [], id="T32: only whole thinking"),
            pytest.param([S, t(0, "\n")], [], id="T32: white space"),
            pytest.param(
                [S, th(0, "hm"), x(0), j(1, '{"v": 1}'), x(1)],
                [],
                id="T90: a call after unsigned thinking",
            ),
            pytest.param([S, t(0, "Op"), t(0, "en")], [OPEN], id="the text of the open block"),
            pytest.param(
                [S, t(0, "Open"), x(0), j(1, '{"v": 1}'), x(1), t(2, " ")],
                [OPEN, CALL],
                id="a whole call",
            ),
            pytest.param(
                [S, t(0, "Open"), x(0), start(1, SEARCH), x(1)],
                [OPEN],
                id="a server call without result",
            ),
            pytest.param([S, start(0, FOUND)], [], id="an open block of another kind"),
            pytest.param([], [], id="nothing"),
        ],
    )
    def test_keeps_closed_blocks_and_open_text(self, events: list[Event], kept: list[Any]) -> None:
        assert grown(*events).partial() == kept

    def test_keeps_signed_thinking_before_text_t91(self) -> None:
        """The block is opaque, its text and signature stay together."""
        growing = grown(S, th(0, "long text"), sig(0, "abc"), x(0), t(1, "Open"))

        assert growing.partial() == [
            {"type": "thinking", "thinking": "long text", "signature": "abc"},
            OPEN,
        ]


class TestDeltas:
    def test_shows_text_and_thinking_and_nothing_else(self) -> None:
        found = shown(
            S,
            PING,
            th(0, "h"),
            sig(0, "abc"),
            x(0),
            start(1, {"type": "text", "text": "a"}),
            t(1, ""),
            t(1, "b"),
            x(1),
            j(2, "{}"),
            x(2),
            D("tool_use"),
            E,
        )

        assert found == [Delta("thinking", "h"), Delta("text", "a"), Delta("text", "b")]

    @settings(deadline=None, max_examples=60)
    @given(st.lists(st.text(st.sampled_from("aé😀\ud83d\ude00\udcff"), max_size=4), max_size=6))
    def test_shows_exactly_what_is_stored_and_can_always_be_encoded(self, parts: list[str]) -> None:
        events = [
            S,
            start(0, {"type": "text", "text": "."}),
            *(t(0, part) for part in parts),
            x(0),
            D("end_turn"),
            E,
        ]

        found = [delta.text for delta in shown(*events)]

        assert all(text.encode() for text in found)
        assert "".join(found) == whole(*events).content[0]["text"]
        assert "".join(found).encode("utf-16-le") == "".join([".", *parts]).encode(
            "utf-16-le", "surrogatepass"
        ).decode("utf-16-le", "replace").encode("utf-16-le")

    def test_joins_a_pair_that_came_in_two_deltas(self) -> None:
        found = shown(S, t(0, "a\ud83d"), t(0, "\ude00b"), x(0))

        assert found == [Delta("text", "a"), Delta("text", "😀b")]

    def test_does_not_keep_half_a_pair_that_was_never_shown(self) -> None:
        assert grown(S, t(0, "a\ud83d")).partial() == [{"type": "text", "text": "a"}]

    def test_joins_a_pair_in_arguments_that_came_in_two_deltas(self) -> None:
        reply = whole(S, j(0, '{"v": "\ud83d'), j(0, '\ude00"}'), x(0), D("tool_use"), E)

        assert reply.content[0]["input"] == {"v": "😀"}

    def test_cannot_read_arguments_with_half_a_pair(self) -> None:
        reply = whole(S, j(0, '{"v": "\ud83d"}'), x(0), D("tool_use"), E)

        assert reply.unreadable == {"a0": "half of a surrogate pair"}
        assert reply.content[0]["input"] == {"INVALID_JSON": '{"v": "\ufffd"}'}
