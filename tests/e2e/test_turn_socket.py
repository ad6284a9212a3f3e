"""A turn over a real socket: rounds of tools, the gate, refs, watching, hints."""

import pytest

from tests.support.answers import Answer, calls, says, text, thought, use
from tests.support.cast import Cast
from tests.support.http import Client
from tests.support.server import PASSWORD, Server, wait_until
from tests.support.sockets import Frame, Socket
from tests.support.sse import turn_events, words_of
from tests.support.upstream import Upstream

ANSWER = {"turnId", "seq", "type"}


def two_rounds(cast: Cast, *, path: str) -> str:
    """Two rounds of tools: one that runs at once, then two that are held."""
    return cast.teach(
        f"tidy up {path}",
        Answer(blocks=[thought("Look first."), text("I look. "), use("list_files")]),
        calls(
            use("write_file", path=f"{path}/yes.txt", content="yes"),
            use("write_file", path=f"{path}/no.txt", content="no"),
            before="Now two files. ",
        ),
        says("One of them is there."),
    )


def confirm(socket: Socket, pending: Frame, *, approve: bool) -> Frame:
    return socket.ask(
        "confirm",
        conversationId=pending["conversationId"],
        callId=pending["callId"],
        digest=pending["digest"],
        approve=approve,
    )


def numbers(events: list[Frame]) -> list[int]:
    return [event["seq"] for event in events]


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
            "user_text": {"text", "images"},
            "thinking_delta": {"text"},
            "text_delta": {"text"},
            "tool_call": {"callId", "tool", "args", "agentId"},
            "tool_result": {"callId", "tool", "args", "ok", "autoRun", "text", "images", "error"},
            "pending": {"callId", "tool", "args", "agentId", "digest", "expiresAt"},
            "decided": {"callId", "approve", "by", "at"},
            "denied": {"callId", "tool", "args", "agentId", "code", "message"},
            "done": {"done", "pending", "stopReason", "version", "usage"},
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


class TestWatching:
    def test_gives_two_sockets_and_a_stream_equal_lists(self, person: Client, cast: Cast) -> None:
        with Socket(person) as one, Socket(person) as two:
            ack = one.ask("send", message=two_rounds(cast, path="equal"))
            two.ask("watch", conversationId=ack["conversationId"])
            one.done()
            first, second = [f for f in one.frames if f["type"] == "pending"]
            confirm(two, second, approve=False)
            confirm(one, first, approve=True)
            for socket in (one, two):
                socket.until(lambda f: f["type"] == "done" and f["done"])
            lists = [one.events(ack["turnId"]), two.events(ack["turnId"])]
            lists.append(turn_events(person, ack["turnId"]))

        assert lists[0] == lists[1] == lists[2]
        assert numbers(lists[0]) == list(range(1, len(lists[0]) + 1))

    def test_goes_on_with_later_turns_from_one(self, person: Client, cast: Cast) -> None:
        with Socket(person) as writer, Socket(person) as watcher:
            first = writer.ask("send", message=cast.teach("first", says("One.")))
            writer.done()
            conversation = first["conversationId"]
            nothing = watcher.ask("watch", conversationId=conversation)
            second = writer.ask(
                "send", message=cast.teach("second", says("Two.")), conversationId=conversation
            )
            watcher.done(second["turnId"])
            third = writer.ask(
                "send", message=cast.teach("third", says("Three.")), conversationId=conversation
            )
            watcher.done(third["turnId"])

        assert nothing["turnId"] is None
        for turn in (second, third):
            events = watcher.events(turn["turnId"])
            assert numbers(events) == list(range(1, len(events) + 1))
        assert watcher.events(first["turnId"]) == []

    def test_ends_with_unwatch(self, person: Client, cast: Cast) -> None:
        with Socket(person) as writer, Socket(person) as watcher:
            first = writer.ask("send", message=cast.teach("first", says("One.")))
            writer.done()
            conversation = first["conversationId"]
            watcher.ask("watch", conversationId=conversation)
            watcher.ask("unwatch", conversationId=conversation)
            second = writer.ask("send", message="unheard", conversationId=conversation)
            writer.done(second["turnId"])
            watcher.ask("ping")

        assert watcher.events(second["turnId"]) == []

    def test_begins_after_the_number_that_is_asked_for(self, person: Client, cast: Cast) -> None:
        words = cast.teach("count", says("abcdefgh", chunk=1))
        with Socket(person) as socket, Socket(person) as late:
            ack = socket.ask("send", message=words)
            socket.done()
            late.ask("watch", conversationId=ack["conversationId"], turnId=ack["turnId"], after=4)
            late.done()

        whole = socket.events(ack["turnId"])
        assert late.events(ack["turnId"]) == whole[4:]


class TestHints:
    def test_tell_every_socket_of_the_person_what_moved(self, person: Client, cast: Cast) -> None:
        with Socket(person) as writer, Socket(person) as other:
            ack = writer.ask("send", message=cast.teach("hint", says("Hinted.")))
            conversation = ack["conversationId"]
            writer.done()
            running = other.until("live")
            settled = other.until(lambda f: f["type"] == "live" and f["status"] == "done")
            person.request("PATCH", f"/api/conversations/{conversation}", {"title": "Named"})
            changed = other.until(lambda f: f["type"] == "changed" and f["version"] == 3)
            person.request("DELETE", f"/api/conversations/{conversation}")
            deleted = other.until("deleted")
            other.ask("ping")

        live = {"type": "live", "conversationId": conversation, "turnId": ack["turnId"]}
        assert running == live | {"status": "running"}
        assert settled == live | {"status": "done"}
        assert set(changed) == set(deleted) == {"type", "id", "version", "cursor"}
        assert (deleted["id"], deleted["version"]) == (conversation, 4)
        assert all("text" not in frame for frame in other.frames), "a hint holds no content"

    def test_reach_nobody_else(self, person: Client, product: Server, cast: Cast) -> None:
        with Socket(person) as writer, Socket(product.sign_in("root"), query="?account=1") as root:
            writer.ask("send", message=cast.teach("private", says("Private.")))
            writer.done()
            root.ask("ping")

        assert [frame["type"] for frame in root.frames] == ["hello", "ack"]

    def test_end_a_watched_turn_when_its_conversation_is_deleted(
        self, person: Client, cast: Cast, hold: Upstream
    ) -> None:
        words = cast.teach("delete me", says("Shown and gone", chunk=6, hold_after=1))
        with Socket(person) as socket:
            ack = socket.ask("send", message=words)
            socket.until("text_delta")
            person.request("DELETE", f"/api/conversations/{ack['conversationId']}")
            done = socket.done()

        assert (done["done"], done["stopReason"]) == (True, "deleted")
        gone = person.get(f"/api/conversations/{ack['conversationId']}")
        assert gone.status == 410
        wait_until(lambda: hold.gone > 0, within=30, what="the upstream request ends")


class TestRendering:
    MARKDOWN = "# Valves\n\nSee [the list][l].\n\n* open\n* shut\n\nLast words, *still* open"

    def test_shows_blocks_and_a_tail_instead_of_text(
        self, person: Client, cast: Cast, hold: Upstream
    ) -> None:
        words = cast.teach("render", says(self.MARKDOWN, chunk=5, hold_after=8))
        with Socket(person) as socket:
            ack = socket.ask("send", message=words, render=True)
            block = socket.until("block")
            socket.until("tail")
            hold.release()
            done = socket.done()
            frames = socket.events(ack["turnId"])

        kinds = [frame["type"] for frame in frames]
        assert "text_delta" not in kinds
        assert set(block) == {"type", "turnId", "part", "index", "seq", "nodes", "text"}
        assert block["nodes"] == [["h2", None, "Valves"]]
        blocks = [frame for frame in frames if frame["type"] == "block"]
        assert [frame["index"] for frame in blocks] == list(range(len(blocks)))
        assert blocks[-1]["text"].endswith("Last words, still open")
        assert kinds[-1] == "done"
        assert done["seq"] > blocks[-1]["seq"]

    def test_sends_the_whole_again_when_a_late_link_changed_it(
        self, person: Client, cast: Cast
    ) -> None:
        words = cast.teach("links", says(f"{self.MARKDOWN}\n\n[l]: https://valves.example/\n"))
        with Socket(person) as socket, Socket(person) as late:
            ack = socket.ask("send", message=words, render=True)
            end = socket.until("end")
            socket.done()
            late.ask(
                "watch", conversationId=ack["conversationId"], turnId=ack["turnId"], render=True
            )
            late.done()

        assert "https://valves.example/" in str(end["nodes"])
        shown = [frame for frame in late.frames if frame["type"] in {"block", "end"}]
        assert "https://valves.example/" in str(shown)
        assert not [frame for frame in late.frames if frame["type"] == "tail" and frame["seq"] == 0]
