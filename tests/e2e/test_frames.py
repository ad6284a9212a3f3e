"""Whatever a client sends over the socket: an error and an open socket, until it is too often wrong or too fast."""

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from websockets.exceptions import ConnectionClosed

from tests.support.http import Client
from tests.support.server import Server
from tests.support.sockets import Socket

DEEP = "[" * 30_000
BAD: dict[str, str | bytes] = {
    "malformed": "{",
    "a list": "[]",
    "a string": '"ping"',
    "a number": "7",
    "null": "null",
    "binary": b"\x00\xff",
    "JSON in binary": b'{"type":"ping"}',
    "deep": DEEP,
    "deep in a frame": '{"type":"ping","ref":' + "[" * 5000 + "]" * 5000 + "}",
    "5000 digits": '{"type":"watch","conversationId":"a","turnId":"b","after":' + "9" * 5000 + "}",
    "no type": '{"message":"x"}',
    "a type that is no string": '{"type":["ping"]}',
    "an unknown type": '{"type":"websocket.close"}',
    "a method of the consumer": '{"type":"disconnect","code":1000}',
    "half a character": '{"type":"\\ud800"}',
    "a ref that is no string": '{"type":"ping","ref":7}',
}
REFUSED = {
    "NaN": '{"type":"watch","conversationId":"a","turnId":"b","after":NaN}',
    "infinity": '{"type":"watch","conversationId":"a","turnId":"b","after":1e400}',
    "a bool for a number": '{"type":"watch","conversationId":"a","turnId":"b","after":true}',
    "half a character in words": '{"type":"send","message":"\\udfff"}',
    "NUL in words": '{"type":"send","message":"a\\u0000"}',
    "a foreign key": '{"type":"ping","__proto__":{}}',
    "an id with a slash": '{"type":"watch","conversationId":"../x"}',
    "too long": json.dumps({"type": "send", "message": "x" * (512 * 1024)}),
    "too many words": json.dumps({"type": "send", "message": "x" * 400_001}),
}


class TestBadFrames:
    @pytest.mark.parametrize("frame", BAD.values(), ids=BAD)
    def test_are_answered_and_the_next_good_one_too(
        self, person: Client, frame: str | bytes
    ) -> None:
        with Socket(person) as socket:
            socket.wire.send(frame)
            error = socket.until("error")
            pong = socket.ask("ping")

        assert error["code"] == "bad_request"
        assert pong["type"] == "ack"

    def test_end_the_socket_at_the_fifth(self, person: Client) -> None:
        with Socket(person) as socket:
            for _ in range(5):
                socket.wire.send("{")
            code = socket.closed()

        assert code == 4009
        errors = [frame for frame in socket.frames if frame["type"] == "error"]
        assert len(errors) == 5, "each is answered, the fifth too"

    def test_of_a_client_that_only_asks_for_the_wrong_thing_never_end_it(
        self, person: Client
    ) -> None:
        with Socket(person) as socket:
            answers = [socket.ask("stop", turnId=f"t-{n}")["code"] for n in range(12)]

        assert answers == ["not_found"] * 12


class TestRefusedFrames:
    @pytest.mark.parametrize("frame", REFUSED.values(), ids=REFUSED)
    def test_are_answered_and_change_nothing(self, person: Client, frame: str) -> None:
        with Socket(person) as socket:
            socket.wire.send(frame)
            error = socket.until("error")
            pong = socket.ask("ping")

        assert error["code"] in {"bad_request", "unknown_field", "invalid_id", "too_large"}
        assert "xxxx" not in error["message"], "a message never holds what was sent"
        assert pong["type"] == "ack"
        assert person.get("/api/conversations").json["conversations"] == []


class TestSize:
    def test_beyond_one_mebibyte_ends_the_socket(self, person: Client) -> None:
        with Socket(person) as socket:
            try:
                socket.wire.send('{"type":"send","message":"' + "x" * 1_100_000 + '"}')
                code = socket.closed()
            except ConnectionClosed as error:
                code = error.rcvd.code if error.rcvd else 1006

        assert code in {1006, 1009}

    def test_of_many_small_pieces_counts_as_one_frame(self, person: Client) -> None:
        with Socket(person) as socket:
            socket.wire.send(iter(['{"type":', '"ping",', '"ref":"pieces"}']))
            pong = socket.until("ack")

        assert pong["ref"] == "pieces"


class TestSpeed:
    def test_of_a_burst_is_borne_and_of_a_flood_ends_the_socket(self, person: Client) -> None:
        with Socket(person) as socket:
            for _ in range(50):
                socket.say("ping")
            pong = socket.ask("ping")
            with_flood = _flood(socket)

        assert pong["type"] == "ack"
        assert with_flood == 4008


def _flood(socket: Socket) -> int:
    try:
        for _ in range(2000):
            socket.say("ping")
    except ConnectionClosed:
        pass
    return socket.closed()


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=8,
)
KEYS = st.sampled_from(
    ["conversationId", "turnId", "after", "callId", "digest", "approve", "message", "ref",
     "render", "images", "truncateAt", "version", "agentId", "\ud800", ""]
)  # fmt: skip
TYPES = st.sampled_from(["send", "watch", "unwatch", "confirm", "stop", "ping", "connect", "close"])
FRAMES = st.one_of(
    st.binary(max_size=200),
    st.text(max_size=200).filter(lambda text: not any("\ud800" <= c <= "\udfff" for c in text)),
    st.builds(
        lambda kind, rest: json.dumps({"type": kind, **rest}), TYPES, st.dictionaries(KEYS, VALUES)
    ),
)


@pytest.fixture(scope="module")
def fuzzer(product: Server) -> Client:
    return product.user("fuzzer")


class TestAnyFrame:
    @settings(
        max_examples=60,
        deadline=None,
        suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    )
    @given(frames=st.lists(FRAMES, min_size=1, max_size=4))
    def test_leaves_the_socket_alive_and_the_log_clean(
        self, frames: list[Any], product: Server, fuzzer: Client
    ) -> None:
        with Socket(fuzzer) as socket:
            for frame in frames:
                socket.wire.send(frame)
            pong = socket.ask("ping")

        assert pong["type"] == "ack"
        assert not any(frame.get("code") == "internal" for frame in socket.frames)
        assert product.process is not None
        assert product.process.poll() is None
