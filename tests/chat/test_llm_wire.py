"""Bytes to events, whatever way the network cuts them."""

import itertools
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chat.llm.wire import MAX_EVENT, Events, Malformed, encode

DELTAS: list[dict[str, Any]] = [
    {"type": "message_start", "message": {"id": "msg_1"}},
    {"type": "ping"},
    {
        "type": "content_block_delta",
        "index": 0,
        "delta": {"type": "text_delta", "text": "Ok 😀\u2028é\n"},
    },
    {"type": "message_stop"},
]


def plain(event: dict[str, Any]) -> bytes:
    """Write an event without escapes, so that its characters are several bytes long."""
    return f"event: {event['type']}\ndata: {json.dumps(event, ensure_ascii=False)}\n\n".encode()


def read(*chunks: bytes) -> list[dict[str, Any]]:
    events = Events()
    return [event for chunk in chunks for event in events.feed(chunk)]


class TestEvents:
    @pytest.mark.parametrize("ends", [b"\n", b"\r\n", b"\r"])
    @pytest.mark.parametrize("write", [plain, encode])
    def test_reads_the_same_wherever_the_stream_is_cut_t38(self, write: Any, ends: bytes) -> None:
        # The byte after the last blank line shows that a lone return ends a line.
        stream = b"".join(map(write, DELTAS)).replace(b"\n", ends) + b":"

        cut = [read(stream[:at], stream[at:]) for at in range(len(stream) + 1)]

        assert all(found == DELTAS for found in cut)

    @settings(deadline=None, max_examples=60)
    @given(st.lists(st.integers(min_value=0, max_value=500), max_size=20))
    def test_reads_the_same_however_many_cuts_there_are(self, places: list[int]) -> None:
        stream = b"".join(map(plain, DELTAS))
        marks = [0, *sorted(min(place, len(stream)) for place in places), len(stream)]

        found = read(*(stream[begin:end] for begin, end in itertools.pairwise(marks)))

        assert found == DELTAS

    def test_reads_one_byte_at_a_time(self) -> None:
        stream = b"".join(map(plain, DELTAS))

        found = read(*(stream[at : at + 1] for at in range(len(stream))))

        assert found == DELTAS

    def test_yields_nothing_of_an_event_whose_blank_line_is_missing(self) -> None:
        assert read(plain(DELTAS[0])[:-1]) == []

    @pytest.mark.parametrize(
        "block",
        [
            b'data: {"type": "ping"}',
            b'data:{"type": "ping"}',
            b'event: whatever\ndata: {"type": "ping"}',
            b'id: 7\nevent: ping\nretry: 9\ndata: {"type": "ping"}',
            b': a comment\ndata: {"type": "ping"}',
            b'data: {"type":\ndata:  "ping"}',
            b'data: {"type": "ping"   }   ',
            b'event: ping\ndata: {"type":\ndata: "ping"}',
        ],
    )
    def test_goes_by_the_data_whatever_stands_around_it(self, block: bytes) -> None:
        assert read(block + b"\n\n") == [{"type": "ping"}]

    @pytest.mark.parametrize("block", [b"", b": keep-alive", b"event: ping", b"data:", b"\n"])
    def test_skips_a_block_without_data(self, block: bytes) -> None:
        assert read(block + b"\n\n" + encode(DELTAS[1])) == [DELTAS[1]]

    @pytest.mark.parametrize(
        "payload",
        [
            b"[DONE]",
            b"{",
            b'{"type": "pi',
            b"[1]",
            b"{}",
            b'{"type": 1}',
            b'{"type": "a"} {}',
            b'"\xff"',
            b"[" * 100_000,
        ],
    )
    def test_calls_anything_else_malformed_and_repeats_none_of_it(self, payload: bytes) -> None:
        with pytest.raises(Malformed, match=r"^an event (that is no JSON|without a type)$"):
            read(b"data: " + payload + b"\n\n")

    def test_yields_what_stands_before_a_malformed_event(self) -> None:
        feed = Events().feed(encode(DELTAS[3]) + b"data: [DONE]\n\n")

        assert next(feed) == DELTAS[3]

    def test_does_not_collect_an_event_without_end(self) -> None:
        events = Events()
        chunk = b"x" * (MAX_EVENT // 2)
        list(events.feed(chunk))
        list(events.feed(chunk))

        with pytest.raises(Malformed, match="without an end"):
            list(events.feed(b"x"))


class TestEncode:
    def test_writes_one_line_of_ascii_t38(self) -> None:
        written = encode(DELTAS[2])

        assert written.isascii()
        assert written.count(b"\n") == 3
