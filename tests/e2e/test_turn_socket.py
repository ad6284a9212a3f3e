"""A turn over a real socket: rounds of tools, the gate, hello and refs."""

import pytest

from tests.e2e.turns import confirm, numbers, two_rounds
from tests.support.answers import calls, says, text, use
from tests.support.cast import Cast
from tests.support.http import Client
from tests.support.server import PASSWORD, Server
from tests.support.sockets import Frame, Socket
from tests.support.sse import words_of
from tests.support.upstream import Upstream

ANSWER = {"turnId", "seq", "type"}


class TestTurn:
    def test_runs_two_rounds_of_tools_with_one_yes_and_one_no(
        self, person: Client, cast: Cast, product: Server
    ) -> None:
        with Socket(person) as socket:
            ack = socket.ask("send", message=two_rounds(cast, path="rounds"))
            held = socket.done()
            first, second = [f for f in socket.frames if f["type"] == "pending"]
            confirm(socket, first, approve=True)
            confirm(socket, second, approve=False)
            done = socket.until(lambda f: f["type"] == "done" and f["done"])
            events = socket.events(ack["turnId"])

        assert (held["done"], held["stopReason"]) == (False, "held")
        assert held["pending"] == [first["callId"], second["callId"]]
        assert done["stopReason"] == "end_turn"
        assert numbers(events) == list(range(1, len(events) + 1))
        assert words_of(events) == "I look. Now two files. One of them is there."
        folder = next(product.data.glob("workspaces/*/rounds"))
        assert [path.name for path in folder.iterdir()] == ["yes.txt"]

    def test_tells_every_step_in_the_shapes_of_the_contract(
        self, person: Client, cast: Cast
    ) -> None:
        with Socket(person) as socket:
            ack = socket.ask("send", message=two_rounds(cast, path="shapes"))
            socket.done()
            first, second = [f for f in socket.frames if f["type"] == "pending"]
            confirm(socket, first, approve=True)
            confirm(socket, second, approve=False)
            socket.until(lambda f: f["type"] == "done" and f["done"])
            events = socket.events(ack["turnId"])

        by_type = {event["type"]: set(event) - ANSWER - {"conversationId"} for event in events}
        assert by_type == {
            "user_text": {"text", "images", "at"},
            "thinking_delta": {"text", "ms"},
            "text_delta": {"text"},
            "tool_call": {"callId", "tool", "args", "agentId"},
            "tool_result": {
                "callId",
                "tool",
                "args",
                "ok",
                "autoRun",
                "text",
                "images",
                "error",
                "ms",
            },
            "pending": {"callId", "tool", "args", "agentId", "digest", "expiresAt"},
            "decided": {"callId", "approve", "by", "at", "reason"},
            "denied": {"callId", "tool", "args", "agentId", "code", "message"},
            "done": {
                "done",
                "pending",
                "stopReason",
                "version",
                "usage",
                "model",
                "cost",
                "spent",
                "at",
            },
        }
        about = {event["type"] for event in events if "conversationId" not in event}
        assert about == {"text_delta", "thinking_delta"}
        autorun = {e["tool"]: e["autoRun"] for e in events if e["type"] == "tool_result"}
        assert autorun == {"list_files": True, "write_file": False}

    def test_shows_text_before_the_answer_is_whole(
        self, person: Client, cast: Cast, hold: Upstream
    ) -> None:
        words = cast.teach("slowly", says("One two three four", chunk=4, hold_after=2))
        with Socket(person) as socket:
            socket.ask("send", message=words)
            socket.until(lambda f: f["type"] == "text_delta" and f["text"] == "two ")
            hold.release()
            done = socket.done()

        assert words_of(socket.events(done["turnId"])) == "One two three four"

    def test_stops_where_the_person_says_so_and_keeps_what_was_shown(
        self, person: Client, cast: Cast, hold: Upstream
    ) -> None:
        words = cast.teach("stop me", says("Kept but never finished", chunk=9, hold_after=1))
        with Socket(person) as socket:
            ack = socket.ask("send", message=words)
            socket.until("text_delta")
            again = [socket.ask("stop", turnId=ack["turnId"]) for _ in range(2)]
            done = socket.done()

        assert [frame["type"] for frame in again] == ["ack", "ack"]
        assert done["stopReason"] == "stopped"
        stored = person.get(f"/api/conversations/{ack['conversationId']}").json["messages"]
        assert stored[-1] == {"role": "assistant", "content": [text("Kept but ")]}

    def test_tries_again_visibly_after_an_upstream_failure(
        self, person: Client, cast: Cast
    ) -> None:
        words = cast.teach("fail first", says("Half of a", fault="eof", after=1), says("unused"))
        with Socket(person) as socket:
            ack = socket.ask("send", message=words)
            socket.until("reset")
            socket.ask("stop", turnId=ack["turnId"])
            socket.done()


class TestHello:
    def test_comes_first_and_says_what_a_client_needs(self, person: Client) -> None:
        with Socket(person) as socket:
            hello = socket.hello

        assert set(hello) == {"type", "account", "static", "limits", "cursor"}
        assert hello["static"].startswith("/static/")
        assert hello["limits"]["frameChars"] == 512 * 1024
        delta = person.get(f"/api/conversations?since={hello['cursor']}").json
        assert delta["full"] is False

    def test_is_refused_to_a_page_of_another_account(self, product: Server, person: Client) -> None:
        browser = product.sign_in("root", password=PASSWORD)
        mine = Socket(browser, query="?account=1")
        other = Socket(browser, query="?account=999", hello=False)
        silent = Socket(browser, hello=False)

        assert mine.hello["account"] == 1
        assert (other.closed(), silent.closed()) == (4001, 4001)
        for socket in (mine, other, silent):
            socket.close()


class TestRefs:
    @pytest.mark.parametrize(
        ("kind", "fields", "code"),
        [
            ("send", {"message": " "}, "bad_request"),
            ("send", {"message": "x", "agentId": "nobody"}, "bad_request"),
            ("send", {"message": "x", "conversationId": "bulk"}, "invalid_id"),
            ("send", {"message": "x", "mood": 1}, "unknown_field"),
            ("send", {"message": "x", "images": []}, "bad_request"),
            ("watch", {"conversationId": "nowhere"}, "not_found"),
            ("watch", {"conversationId": "nowhere", "after": 1}, "bad_request"),
            ("stop", {"turnId": "nowhere"}, "not_found"),
            (
                "confirm",
                {"conversationId": "nowhere", "callId": "a", "digest": "b", "approve": True},
                "not_found",
            ),
        ],
    )
    def test_name_the_frame_that_failed(
        self, person: Client, kind: str, fields: Frame, code: str
    ) -> None:
        with Socket(person) as socket:
            answer = socket.ask(kind, **fields)
            pong = socket.ask("ping")

        assert (answer["type"], answer["code"]) == ("error", code)
        assert "seq" not in answer
        assert pong["type"] == "ack"

    def test_answer_a_second_send_with_busy_and_with_pending(
        self, person: Client, cast: Cast, hold: Upstream
    ) -> None:
        words = cast.teach(
            "be busy", calls(use("delete_file", path="x"), before="Wait here.", hold_after=1)
        )
        with Socket(person) as socket:
            first = socket.ask("send", message=words)
            busy = socket.ask("send", message="more", conversationId=first["conversationId"])
            hold.release()
            held = socket.done()
            pending = socket.ask("send", message="more", conversationId=first["conversationId"])

        assert (busy["code"], busy["turnId"]) == ("busy", first["turnId"])
        assert (pending["code"], pending["calls"]) == ("pending", held["pending"])

    def test_attach_a_repeated_send_to_its_turn(self, person: Client, cast: Cast) -> None:
        words = cast.teach("only once", says("Once."))
        with Socket(person) as socket:
            first = socket.ask("send", message=words, turnId="mine", conversationId="c-once")
            socket.done()
            again = socket.ask("send", message=words, turnId="mine", conversationId="c-once")
            socket.done()
            other = socket.ask("send", message="else", turnId="mine", conversationId="c-once")

        assert (first["turnId"], again["turnId"], other["code"]) == ("mine", "mine", "mismatch")
        stored = person.get("/api/conversations/c-once").json
        assert stored["messageCount"] == 2
