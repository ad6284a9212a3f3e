"""Watching over a socket: later turns, positions, hints, rendered text."""

from tests.e2e.turns import confirm, numbers, two_rounds
from tests.support.answers import says
from tests.support.cast import Cast
from tests.support.http import Client
from tests.support.server import Server, wait_until
from tests.support.sockets import Socket
from tests.support.sse import turn_events
from tests.support.upstream import Upstream


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
