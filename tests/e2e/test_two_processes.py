"""Two servers on one PostgreSQL and one Redis: it does not matter which of them a person talks to."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.e2e.turns import confirm, numbers, two_rounds
from tests.support.answers import calls, says, use
from tests.support.cast import Cast
from tests.support.checker import look
from tests.support.http import Client
from tests.support.server import Server, database, free_port, wait_until
from tests.support.sockets import Socket
from tests.support.sse import Stream, decide, stream, turn_events, words_of
from tests.support.upstream import Upstream

pytestmark = [pytest.mark.postgres, pytest.mark.redis]
REDIS = "redis://127.0.0.1:6379/9"
LEASE = "4"
POLL = 15
"""Seconds after which a watcher that has heard nothing looks by itself."""


class Pair:
    """Two servers; `one` and `two` are clients of the same person, each of its own server."""

    def __init__(self, servers: list[Server]) -> None:
        self.servers = servers
        token = servers[0].users("alice")["alice"]
        self.one, self.two = (Client(server.port, token) for server in servers)


@contextmanager
def pair(env: dict[str, str], folder: Path, *, redis: str) -> Iterator[Pair]:
    with database() as url:
        own = {**env, "DATABASE_URL": url, "REDIS_URL": redis, "KENNY_LEASE_SECONDS": LEASE}
        servers = [Server(data=folder, env=own) for _ in range(2)]
        try:
            for server in servers:
                server.start()
            yield Pair(servers)
        finally:
            for server in servers:
                server.close()


@pytest.fixture(scope="module")
def both(env: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pair]:
    with pair(env, tmp_path_factory.mktemp("pair"), redis=REDIS) as made:
        yield made


@pytest.fixture(scope="module")
def deaf(env: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pair]:
    """Their Redis is not there: no hint ever gets from one to the other."""
    nowhere = f"redis://127.0.0.1:{free_port()}/0"
    with pair(env, tmp_path_factory.mktemp("deaf"), redis=nowhere) as made:
        yield made


class TestTogether:
    def test_a_watcher_elsewhere_sees_every_event_once(
        self, both: Pair, cast: Cast, hold: Upstream
    ) -> None:
        words = cast.teach("across", says("From one to the other, word by word.", hold_after=2))
        with Socket(both.one) as near, Socket(both.two) as far:
            ack = near.ask("send", message=words)
            far.ask("watch", conversationId=ack["conversationId"])
            far.until("text_delta")
            hold.release()
            near.done()
            far.done(within=POLL - 2)

        events = far.events(ack["turnId"])
        assert events == near.events(ack["turnId"])
        assert numbers(events) == list(range(1, len(events) + 1))

    def test_a_turn_goes_on_where_its_decisions_are_made(self, both: Pair, cast: Cast) -> None:
        with Socket(both.one) as near, Socket(both.two) as far:
            ack = near.ask("send", message=two_rounds(cast, path="both"))
            near.done()
            first, second = [f for f in near.frames if f["type"] == "pending"]
            confirm(far, first, approve=True)
            far.until("tool_result")
            confirm(near, second, approve=False)
            done = near.until(lambda f: f["type"] == "done" and f["done"])
            far.until(lambda f: f["type"] == "done" and f["done"])
            whole = turn_events(both.two, ack["turnId"])

        assert done["stopReason"] == "end_turn"
        assert near.events(ack["turnId"]) == whole
        assert numbers(whole) == list(range(1, len(whole) + 1))
        look(both.one, ack["conversationId"], ack["turnId"])

    def test_a_stop_elsewhere_ends_a_turn_here(
        self, both: Pair, cast: Cast, hold: Upstream
    ) -> None:
        words = cast.teach("stop it there", says("Some words and more", chunk=11, hold_after=1))
        with Socket(both.one) as near:
            ack = near.ask("send", message=words)
            near.until("text_delta")
            both.two.post(f"/api/chat/turns/{ack['turnId']}/stop")
            done = near.done()

        assert done["stopReason"] == "stopped"
        assert words_of(near.events(ack["turnId"])) == "Some words "

    def test_hints_reach_the_persons_sockets_everywhere(self, both: Pair, cast: Cast) -> None:
        with Socket(both.two) as far:
            with stream(both.one, cast.teach("hint across", says("Hinted."))) as sent:
                done = sent.rest()[-1]
            far.until(lambda f: f["type"] == "live" and f["turnId"] == done["turnId"])
            both.one.request("DELETE", f"/api/conversations/{done['conversationId']}")
            deleted = far.until("deleted")

        assert deleted["id"] == done["conversationId"]

    def test_a_delete_elsewhere_ends_a_turn_here(
        self, both: Pair, cast: Cast, hold: Upstream
    ) -> None:
        words = cast.teach("delete it there", says("Some words and more", chunk=11, hold_after=1))
        with Socket(both.one) as near:
            ack = near.ask("send", message=words)
            near.until("text_delta")
            both.two.request("DELETE", f"/api/conversations/{ack['conversationId']}")
            done = near.done()

        assert (done["done"], done["stopReason"]) == (True, "deleted")

    def test_the_same_turn_id_at_both_at_once_is_one_turn(self, both: Pair, cast: Cast) -> None:
        words = cast.teach("twice", says("Once."))
        fields = {"message": words, "turnId": "t-both", "conversationId": "c-both"}
        with Socket(both.one) as near, Socket(both.two) as far:
            for socket in (near, far):
                socket.say("send", **fields, ref="go")
            answers = [s.until(lambda f: f.get("ref") == "go") for s in (near, far)]
            for socket in (near, far):
                socket.done()

        assert [answer["type"] for answer in answers] == ["ack", "ack"]
        assert near.events("t-both") == far.events("t-both")
        assert both.one.get("/api/conversations/c-both").json["messageCount"] == 2

    def test_the_layer_never_fails_while_redis_is_there(self, both: Pair) -> None:
        with Socket(both.one) as near, Socket(both.two) as far:
            # Longer than the layer waits for a message at a time.
            with pytest.raises(AssertionError):
                far.until("deleted", within=7)
            near.ask("ping")

        assert "the channel layer" not in both.servers[0].log


class TestWithoutTheLayer:
    def test_watching_elsewhere_comes_late_and_whole(self, deaf: Pair, cast: Cast) -> None:
        words = cast.teach("unheard", says("It comes by polling.", delay=0.05))
        with Socket(deaf.one) as near:
            ack = near.ask("send", message=words)
            path = f"/api/chat/turns/{ack['turnId']}/events"
            with Stream(deaf.two, "GET", path, timeout=90) as watching:
                events = watching.rest()
            near.done()

        assert events == near.events(ack["turnId"])

    def test_stop_and_decision_elsewhere_work(self, deaf: Pair, cast: Cast, hold: Upstream) -> None:
        words = cast.teach("stop unheard", says("Some words and more", chunk=11, hold_after=1))
        with Socket(deaf.one) as near:
            ack = near.ask("send", message=words)
            near.until("text_delta")
            deaf.two.post(f"/api/chat/turns/{ack['turnId']}/stop")
            stopped = near.done()
            write = calls(use("write_file", path="deaf.txt", content="x"))
            near.ask("send", message=cast.teach("decide unheard", write, says("Done.")))
            pending = near.until("pending")
            near.done(pending["turnId"])
            with decide(deaf.two, pending, approve=True) as decided:
                done = decided.rest()[-1]

        assert (stopped["stopReason"], done["stopReason"]) == ("stopped", "end_turn")

    def test_is_said_once_for_each_process(self, deaf: Pair) -> None:
        assert [Client(s.port).get("/readyz").status for s in deaf.servers] == [200, 200]
        log = deaf.servers[0].log
        assert log.count("the channel layer is away") == len(deaf.servers)
        assert "Traceback" not in log


class TestDeathOfOne:
    def test_is_made_good_by_the_other_once_the_lease_is_over(
        self, env: dict[str, str], cast: Cast, upstream: Upstream, tmp_path: Path
    ) -> None:
        upstream.hold()
        with pair(env, tmp_path, redis=REDIS) as made:
            words = cast.teach("die here", says("Some words and more", chunk=11, hold_after=1))
            held = cast.teach("hold", calls(use("write_file", path="h", content="x")), says("Ok."))
            with Socket(made.one) as near, Socket(made.two) as far:
                waits = near.ask("send", message=held)
                near.done()
                ack = near.ask("send", message=words)
                far.ask("watch", conversationId=ack["conversationId"])
                far.until("text_delta")
                made.servers[0].kill()
                done = far.done()
            busy = made.two.get(f"/api/conversations/{ack['conversationId']}").json
            pending = made.two.get("/api/chat/pending").json["pending"]
            upstream.release()
            with decide(made.two, pending[0], approve=True) as decided:
                last = decided.rest()[-1]
            seen = look(made.two, ack["conversationId"], ack["turnId"])

            assert (done["stopReason"], busy["live"]) == ("interrupted", None)
            assert (seen.said, seen.words) == ([words], "Some words ")
            assert far.events(ack["turnId"]) == seen.events
            assert last["turnId"] == waits["turnId"]
            assert last["stopReason"] == "end_turn"
            wait_until(
                lambda: list(made.servers[1].data.glob("workspaces/*/h")),
                within=5, what="the effect is there",
            )  # fmt: skip
