"""SIGTERM while turns run and sockets are open: told to come back, settled, nothing lost."""

import signal
from pathlib import Path

import pytest

from tests.support.answers import Answer, calls, says, use
from tests.support.cast import Cast
from tests.support.checker import look
from tests.support.http import Client
from tests.support.server import Server, wait_until
from tests.support.sockets import Socket
from tests.support.sse import Stream, decide
from tests.support.upstream import Upstream

CUT = 6
"""Turns that do not end within the grace."""


@pytest.mark.timeout(300)
class TestSigterm:
    def test_settles_what_runs_and_tells_everybody_to_come_back(
        self, env: dict[str, str], cast: Cast, hold: Upstream, tmp_path: Path
    ) -> None:
        server = Server(data=tmp_path, env={**env, "KENNY_GRACE": "3"})
        with server:
            client = Client(server.port, server.users("ada")["ada"])
            with Socket(client) as socket, Socket(client) as idle:
                held, cut = self.fill(socket, cast)
                path = f"/api/chat/turns/{cut[0]['turnId']}/events"
                with Stream(client, "GET", path) as streamed:
                    streamed.until("text_delta")
                    self.terminate(server, client)
                    refused = client.post("/api/chat/stream", {"message": "too late"})
                    events = streamed.rest()
                codes = (socket.closed(), idle.closed())
            assert server.process is not None
            status = server.process.wait(30)
            hold.release()
            server.start()
            self.finds_all(client, socket, held, cut)

        assert (refused.status, refused.json["error"]["code"]) == (503, "unavailable")
        assert codes == (4012, 4012)
        assert status == 0
        assert (events[-1]["type"], events[-1]["stopReason"]) == ("done", "interrupted")

    def fill(self, socket: Socket, cast: Cast) -> tuple[dict[str, str], list[dict[str, str]]]:
        """Return a turn that is held and some that stream."""
        held = self.ask(socket, cast, calls(use("write_file", path="d", content="x")))
        socket.done(held["turnId"])
        cut = [
            self.ask(socket, cast, says(f"Turn {n} and more", chunk=6, hold_after=1))
            for n in range(CUT)
        ]
        for ack in cut:
            self.until_shown(socket, ack["turnId"])
        return held, cut

    @staticmethod
    def finds_all(
        client: Client, socket: Socket, held: dict[str, str], cut: list[dict[str, str]]
    ) -> None:
        for number, ack in enumerate(cut):
            seen = look(client, ack["conversationId"], ack["turnId"])
            assert (seen.words, seen.done["stopReason"]) == (f"Turn {number}", "interrupted")
            assert socket.events(ack["turnId"]) == seen.events
        pending = client.get("/api/chat/pending").json["pending"]
        assert [event["turnId"] for event in pending] == [held["turnId"]]
        with decide(client, pending[0], approve=True) as decided:
            assert decided.rest()[-1]["stopReason"] == "end_turn"

    @staticmethod
    def terminate(server: Server, client: Client) -> None:
        assert server.process is not None
        server.process.send_signal(signal.SIGTERM)
        wait_until(lambda: client.get("/readyz").status == 503, within=10, what="it drains")

    def test_lets_a_turn_end_that_can_within_the_grace(
        self, env: dict[str, str], cast: Cast, hold: Upstream
    ) -> None:
        with Server(env={**env, "KENNY_GRACE": "30"}) as server:
            client = server.user("ada")
            with Socket(client) as socket:
                ack = self.ask(socket, cast, says("It may end in peace", chunk=6, hold_after=1))
                socket.until("text_delta")
                assert server.process is not None
                server.process.send_signal(signal.SIGTERM)
                wait_until(lambda: client.get("/readyz").status == 503, within=10, what="it drains")
                hold.release()
                done = socket.done(ack["turnId"])
                code = socket.closed()

            assert server.process is not None
            assert server.process.wait(30) == 0
            assert (done["stopReason"], code) == ("end_turn", 4012)

    @staticmethod
    def ask(socket: Socket, cast: Cast, *answers: Answer) -> dict[str, str]:
        return socket.ask("send", message=cast.teach("drain", *answers))

    @staticmethod
    def until_shown(socket: Socket, turn_id: str) -> None:
        if not any(event["type"] == "text_delta" for event in socket.events(turn_id)):
            socket.until(lambda f: f["type"] == "text_delta" and f["turnId"] == turn_id)
