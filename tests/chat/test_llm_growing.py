"""A whole reply is what its events say, nothing added, nothing left out."""

import pytest

from tests.support.stream import (
    PING,
    D,
    E,
    Event,
    S,
    j,
    sig,
    start,
    t,
    th,
    whole,
    x,
)

OPEN = {"type": "text", "text": "Open"}
CALL = {"type": "tool_use", "id": "a1", "name": "set_valve", "input": {"v": 1}}
SEARCH = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {}}
FOUND = {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []}


class TestReply:
    def test_holds_text_thinking_and_calls_as_they_came(self) -> None:
        reply = whole(
            S,
            PING,
            th(0, "h"),
            th(0, "m"),
            sig(0, "c2ln"),
            x(0),
            j(1, ""),
            j(1, '{"v"'),
            j(1, ": 1}"),
            x(1),
            D("tool_use"),
            E,
        )

        assert reply.content == [{"type": "thinking", "thinking": "hm", "signature": "c2ln"}, CALL]
        assert reply.stop_reason == "tool_use"
        assert reply.unreadable == {}
        assert reply.request_id == "req_1"

    def test_keeps_thinking_that_is_not_displayed_t44(self) -> None:
        """The empty `thinking` is a field the API requires."""
        reply = whole(S, sig(0, "abc"), x(0), j(1, "{}"), x(1), D("tool_use"), E)

        assert reply.content[0] == {"type": "thinking", "thinking": "", "signature": "abc"}

    def test_keeps_redacted_thinking(self) -> None:
        redacted = {"type": "redacted_thinking", "data": "ZGF0YQ=="}

        reply = whole(S, start(0, redacted), x(0), t(1, "Open"), x(1), D("end_turn"), E)

        assert reply.content == [redacted, OPEN]

    def test_keeps_types_and_fields_it_does_not_know(self) -> None:
        novel = {"type": "hologram", "depth": 3, "nothing": None}
        caller = {**CALL, "input": {}, "caller": {"type": "direct"}}

        reply = whole(
            S,
            start(0, novel),
            {"type": "from_the_future"},
            x(0),
            start(1, caller),
            j(1, '{"v": 1}'),
            x(1),
            D("tool_use"),
            E,
        )

        assert reply.content == [novel, {**CALL, "caller": {"type": "direct"}}]

    def test_stores_nothing_of_a_delta_it_does_not_know(self) -> None:
        novel = {
            "type": "content_block_delta",
            "index": 0,
            "delta": {"type": "smell_delta", "smell": "x"},
        }

        assert whole(S, t(0, "Open"), novel, x(0), D("end_turn"), E).content == [OPEN]

    def test_fills_compaction_and_citations(self) -> None:
        compaction = {"type": "compaction_delta", "content": "short", "encrypted_content": "ZW5j"}
        citation = {"type": "citations_delta", "citation": {"cited_text": "x"}}
        block = {"type": "content_block_delta", "index": 0, "delta": compaction}
        cited = {"type": "content_block_delta", "index": 1, "delta": citation}

        reply = whole(
            S, start(0, {"type": "compaction", "content": None}), block, x(0),
            start(1, {"type": "text", "text": "", "citations": []}), t(1, "Open"), cited, cited, x(1), D("end_turn"), E,
        )  # fmt: skip

        assert reply.content == [
            {"type": "compaction", "content": "short", "encrypted_content": "ZW5j"},
            {
                "type": "text",
                "text": "Open",
                "citations": [{"cited_text": "x"}, {"cited_text": "x"}],
            },
        ]

    def test_keeps_the_streamed_input_of_a_server_tool_t96(self) -> None:
        """What is replayed after a pause equals what was received."""
        reply = whole(S, start(0, SEARCH), j(0, '{"q": 1}'), x(0), D("pause_turn"), E)

        assert reply.content == [{**SEARCH, "input": {"q": 1}}]

    def test_keeps_an_input_that_stands_in_the_start(self) -> None:
        reply = whole(S, start(0, {**CALL, "id": "a0"}), j(0, ""), x(0), D("tool_use"), E)

        assert reply.content == [{**CALL, "id": "a0"}]

    @pytest.mark.parametrize("text", ["", " ", "\n\t"])
    def test_leaves_out_text_that_the_api_would_refuse_t39_t40(self, text: str) -> None:
        """The API itself returns empty text and refuses it on the way back."""
        reply = whole(S, t(0, text), x(0), j(1, '{"v": 1}'), x(1), D("tool_use"), E)

        assert reply.content == [CALL]

    def test_is_empty_when_there_was_only_thinking(self) -> None:
        reply = whole(S, th(0, "hm"), sig(0, "abc"), x(0), D("end_turn"), E)

        assert reply.content == []

    def test_leaves_out_thinking_without_signature_t90_t92(self) -> None:
        """A proxy that drops signatures."""
        reply = whole(S, th(0, "hm"), x(0), j(1, '{"v": 1}'), x(1), D("tool_use"), E)

        assert reply.content == [CALL]

    @pytest.mark.parametrize(
        "reason",
        [
            "end_turn",
            "max_tokens",
            "stop_sequence",
            "refusal",
            "model_context_window_exceeded",
            "pause_turn",
            "compaction",
            "novel",
        ],
    )
    def test_carries_every_stop_reason_t52_t53(self, reason: str) -> None:
        """A cut reply looks whole but for its reason; the loop decides by that."""
        reply = whole(S, t(0, "Open"), x(0), j(1, '{"v": 1}'), x(1), D(reason), E)

        assert reply.stop_reason == reason
        assert reply.content == [OPEN, CALL]

    @pytest.mark.parametrize("closing", [[], [x(0)]])
    def test_never_completes_a_call_that_was_cut_t53(self, closing: list[Event]) -> None:
        """`{"v": 1, "percent": 1` of 100 is not a valve at one percent."""
        reply = whole(S, j(0, '{"v": 1, "percent": 1'), *closing, D("max_tokens"), E)

        assert reply.stop_reason == "max_tokens"
        assert reply.content == (
            [{**CALL, "id": "a0", "input": {"INVALID_JSON": '{"v": 1, "percent": 1'}}]
            if closing
            else []
        )

    def test_keeps_the_text_of_a_block_that_was_never_closed(self) -> None:
        reply = whole(S, t(0, "Open"), D("max_tokens"), E)

        assert reply.content == [OPEN]

    @pytest.mark.parametrize(
        ("raw", "reason"),
        [('{"v": "\\ud83d"}', "half of a surrogate pair"), ("[1]", "not a JSON object")],
    )
    def test_names_the_call_whose_arguments_it_cannot_read_t83(self, raw: str, reason: str) -> None:
        """The process survives a lone surrogate, and the model is told."""
        reply = whole(S, j(0, raw), x(0), D("tool_use"), E)

        assert reply.unreadable == {"a0": reason}
        assert reply.content[0]["input"] == {"INVALID_JSON": raw}

    def test_counts_usage_cumulatively(self) -> None:
        reply = whole(
            S,
            t(0, "Open"),
            x(0),
            D(None, output_tokens=3),
            D("end_turn", output_tokens=9, output_tokens_details={"thinking_tokens": 4}),
            E,
        )

        assert reply.usage == {"input_tokens": 25, "output_tokens": 9, "thinking_tokens": 4}

    def test_drops_a_server_call_without_result_unless_it_is_the_tail(self) -> None:
        ended = whole(S, start(0, SEARCH), x(0), t(1, "Open"), x(1), D("end_turn"), E)
        paired = whole(
            S, start(0, SEARCH), x(0), start(1, FOUND), x(1), t(2, "Open"), x(2), D("end_turn"), E
        )

        assert ended.content == [OPEN]
        assert paired.content == [SEARCH, FOUND, OPEN]
