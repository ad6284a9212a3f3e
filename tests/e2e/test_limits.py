"""Each limit that is published is enforced, with the error that docs/limits.md gives it."""

import base64
from collections.abc import Iterator
from pathlib import Path

import pytest
from websockets.exceptions import ConnectionClosed

from tests.support.answers import calls, says, use
from tests.support.cast import Cast
from tests.support.http import Client
from tests.support.notation import png
from tests.support.server import Server, wait_until
from tests.support.sockets import Socket
from tests.support.sse import Stream, decide, stream
from tests.support.upstream import Upstream

DOCS = Path(__file__).resolve().parents[2] / "docs/limits.md"
SMALL = {"KENNY_MAX_TURNS": "2", "KENNY_MAX_ROUNDS": "2", "KENNY_APPROVAL_TTL": "2"}
MEGABYTE = 1024 * 1024


@pytest.fixture(scope="module")
def small(env: dict[str, str]) -> Iterator[Server]:
    """A server whose settable limits are low."""
    body = {"KENNY_MAX_BODY": str(16 * MEGABYTE)}
    with Server(env={**env, **SMALL, **body}) as server:
        yield server


@pytest.fixture
def somebody(small: Server, request: pytest.FixtureRequest) -> Client:
    return small.user(request.node.name.removeprefix("test_"))


def refused(answer: Stream) -> tuple[int, str]:
    with answer:
        return answer.status, answer.body["error"]["code"]


class TestLimits:
    def test_are_all_published_and_all_documented(self, somebody: Client) -> None:
        with Socket(somebody) as socket:
            published = socket.hello["limits"]

        text = DOCS.read_text()
        assert [name for name in published if f"| `{name}` |" not in text] == []
        tested = {name.removeprefix("test_") for name in dir(TestEach) if name.startswith("test_")}
        assert {name.lower() for name in published} == {name.replace("_", "") for name in tested}
        assert (published["turns"], published["rounds"]) == (2, 2)


class TestEach:
    """One test for each name."""

    def test_message_chars(self, somebody: Client) -> None:
        answer = stream(somebody, "x" * 400_001)

        assert refused(answer) == (413, "too_large")
        assert answer.body["error"]["limit"] == 400_000

    def test_images(self, somebody: Client) -> None:
        image = {"mediaType": "image/png", "data": png(2, 2)}

        assert refused(stream(somebody, "x", images=[image] * 21)) == (413, "too_large")

    def test_image_bytes(self, somebody: Client) -> None:
        data = base64.b64encode(base64.b64decode(png(2, 2)) + bytes(10 * MEGABYTE)).decode()
        image = {"mediaType": "image/png", "data": data}

        assert refused(stream(somebody, "x", images=[image])) == (400, "bad_request")

    def test_body_bytes(self, somebody: Client) -> None:
        answer = somebody.post("/api/chat/stream", b" " * (16 * MEGABYTE + 1))

        assert (answer.status, answer.json["error"]["code"]) == (413, "too_large")
        assert answer.json["error"]["limit"] == 16 * MEGABYTE

    def test_frame_chars(self, somebody: Client) -> None:
        with Socket(somebody) as socket:
            socket.say("send", message="x" * 524_288)
            error = socket.until("error")
            pong = socket.ask("ping")

        assert (error["code"], error["limit"], pong["type"]) == ("too_large", 524_288, "ack")

    def test_turns(self, somebody: Client, cast: Cast, hold: Upstream) -> None:
        words = [cast.teach("slow", says("A long answer", chunk=4, hold_after=1)) for _ in range(2)]
        with stream(somebody, words[0]) as one, stream(somebody, words[1]) as two:
            one.until("text_delta")
            two.until("text_delta")
            third = stream(somebody, "and a third")
            code = refused(third)
            with Socket(somebody) as socket:
                frame = socket.ask("send", message="and by socket")
            hold.release()
            one.rest()
            two.rest()

        assert code == (429, "rate_limited")
        assert third.body["error"]["limit"] == 2
        assert (frame["code"], frame["retryAfter"]) == ("rate_limited", 5)
        with stream(somebody, cast.teach("now", says("Well."))) as again:
            assert again.rest()[-1]["stopReason"] == "end_turn"

    def test_rounds(self, somebody: Client, cast: Cast) -> None:
        words = cast.teach("again and again", *(calls(use("current_time")) for _ in range(3)))
        with stream(somebody, words) as sent:
            events = sent.rest()

        assert [event["type"] for event in events[-3:]] == ["tool_result", "error", "done"]
        assert events[-2]["code"] == "too_many_rounds"

    def test_calls_per_reply(self, somebody: Client, cast: Cast) -> None:
        many = calls(*(use("current_time") for _ in range(130)))
        with stream(somebody, cast.teach("many", many, says("Enough."))) as sent:
            events = sent.rest()

        results = [event for event in events if event["type"] == "tool_result"]
        assert [result["ok"] for result in results].count(True) == 128
        failed = [result["error"] for result in results if not result["ok"]]
        assert [error.startswith("At most 128 calls") for error in failed] == [True, True]
        assert events[-1]["stopReason"] == "end_turn"

    def test_tool_result_chars(self, somebody: Client, cast: Cast) -> None:
        said = [{"role": "user", "content": "y" * 300_000}]
        somebody.request("PUT", "/api/conversations/c-long", {"messages": said})
        look = calls(use("read_conversation", id="c-long"))
        with stream(somebody, cast.teach("read it", look, says("Read."))) as sent:
            result = sent.until("tool_result")

        assert len(result["text"]) <= 100_000
        assert "left out" in result["text"]

    def test_approval_seconds(self, somebody: Client, cast: Cast) -> None:
        words = cast.teach("write", calls(use("write_file", path="late.txt", content="x")))
        with stream(somebody, words) as sent:
            pending = sent.until("pending")
        wait_until(
            lambda: somebody.get("/api/chat/pending").json["pending"] == [],
            within=20,
            what="the call expires",
        )
        with decide(somebody, pending, approve=True) as late:
            answer = (late.status, late.body["error"]["code"])

        assert answer == (409, "expired")

    def test_sockets(self, somebody: Client) -> None:
        opened = [Socket(somebody) for _ in range(50)]
        with Socket(somebody, hello=False) as one_more:
            code = one_more.closed()
        for socket in opened:
            socket.close()

        assert code == 4013

    def test_frames_per_second(self, somebody: Client) -> None:
        with Socket(somebody) as socket:
            try:
                for _ in range(2000):
                    socket.say("ping")
            except ConnectionClosed:
                pass
            code = socket.closed()

        assert code == 4008

    def test_sends_per_minute(self, somebody: Client) -> None:
        answers = [somebody.post("/api/chat/stream", {"message": ""}) for _ in range(121)]

        assert {answer.status for answer in answers[:60]} == {400}
        assert (answers[-1].status, answers[-1].json["error"]["code"]) == (429, "rate_limited")
        assert 0 < int(answers[-1].headers["retry-after"]) <= 60
