"""Canaries in every input of a running server: none in any line it prints."""

import itertools
from collections.abc import Iterator

import pytest

from tests.support.answers import calls, says, use
from tests.support.cast import Cast
from tests.support.http import Client
from tests.support.server import PASSWORD, Server
from tests.support.sockets import Socket
from tests.support.sse import decide, stream
from tests.support.upstream import Upstream


class Canaries:
    """Makes them, each with a number, so that one that is found says where it came from."""

    def __init__(self) -> None:
        self._numbers = itertools.count(1)
        self.made: dict[str, str] = {}

    def __call__(self, place: str) -> str:
        canary = f"canary{next(self._numbers)}x7f3a"
        self.made[canary] = place
        return canary

    def found(self, text: str) -> list[str]:
        return [place for canary, place in self.made.items() if canary in text]


@pytest.fixture
def canary() -> Canaries:
    return Canaries()


@pytest.fixture(scope="module")
def server(env: dict[str, str]) -> Iterator[Server]:
    with Server(env=env) as running:
        yield running


@pytest.fixture(scope="module")
def ada(server: Server) -> Client:
    return server.user("ada")


def by_rest(ada: Client, canary: Canaries) -> None:
    ada.get(f"/api/conversations/{canary('id')}")
    ada.get(f"/{canary('page')}")
    ada.get(f"/static/{canary('file')}.js")
    ada.get(f"/api/conversations?q={canary('query')}")
    ada.get(f"/api/chat/turns/{canary('turn')}/events", last_event_id=canary("position"))
    ada.get("/livez", user_agent=canary("agent"), referer=f"http://{canary('referer')}/")
    ada.get("/api/conversations", x_kenny_account=canary("account"))
    ada.get("/api/conversations", host=f"{canary('host')}.example")
    ada.request(
        "PUT",
        f"/api/conversations/{canary('put')}",
        {"title": canary("title"), "messages": [{"role": canary("role")}]},
    )
    ada.post("/api/chat/stream", {"message": "x", canary("field"): canary("value")})
    ada.post("/api/chat/stream", ('{"message": ' + canary("no JSON")).encode())
    ada.post("/api/chat/handover", {"conversationId": canary("handover")})
    ada.post("/api/chat/confirm/stream", {"conversationId": canary("c"), "callId": canary("call"), "digest": canary("digest"), "approve": True})  # fmt: skip
    settings = {"model": canary("model"), "effort": canary("effort")}
    ada.request("PUT", "/api/conversations/c-set", {"messages": [], "settings": settings})
    ada.post("/api/chat/stream", {"conversationId": "c-set", "message": canary("refused message")})


def by_strangers(server: Server, canary: Canaries) -> None:
    Client(server.port, token=f"kny_{canary('token')}").get("/api/conversations")
    Client(server.port, token=canary("odd token")).get("/api/conversations")
    stranger = server.stranger()
    stranger.get(
        "/api/conversations", cookie=f"sessionid={canary('session')}; x={canary('cookie')}"
    )
    stranger.get("/api/conversations", authorization=f"Basic {canary('basic')}")
    stranger.get(f"/accounts/setup/{canary('setup')}/")
    stranger.get(f"/accounts/login/?next=/{canary('next')}")
    form = (
        f"login={canary('name')}&password={canary('password')}&csrfmiddlewaretoken={canary('csrf')}"
    )
    stranger.post(
        "/accounts/login/",
        form.encode(),
        content_type="application/x-www-form-urlencoded",
        origin=f"http://{canary('origin')}.example",
    )
    signed_in = server.sign_in("ada", password=PASSWORD)
    signed_in.post("/api/chat/stream", {"message": "x"}, origin=f"http://{canary('foreign')}.example", x_csrftoken=canary("forged"))  # fmt: skip


def by_socket(ada: Client, canary: Canaries) -> None:
    with Socket(ada, query=f"?account={canary('socket account')}", hello=False) as strange:
        strange.closed()
    with Socket(ada, query=f"?x={canary('socket query')}") as socket:
        socket.wire.send('{"type": "' + canary("frame"))
        socket.ask(canary("kind"))
        socket.ask("send", message="x", **{canary("key"): canary("of it")})
        socket.ask("watch", conversationId=canary("watched"))
        socket.ask("send", message="hi", conversationId=f"/{canary('no id')}")


def by_turns(ada: Client, cast: Cast, canary: Canaries) -> None:
    held = calls(use("write_file", path=f"{canary('path')}.txt", content=canary("content")))
    with stream(ada, cast.teach(canary("message"), held, says(canary("answer")))) as sent:
        pending = sent.until("pending")
    with decide(ada, pending, approve=True) as decided:
        assert decided.rest()[-1]["done"]
    odd = [
        calls(use("read_file", path=f"../{canary('climbing')}")),
        calls(use(canary("tool"), x=canary("argument"))),
        calls(use("read_file", path="a") | {"input": {canary("extra"): 1}}),
        says("", status=400, error="invalid_request_error", prose=canary("prose")),
    ]
    with stream(ada, cast.teach("odd", *odd)) as sent:
        assert sent.rest()[-1]["stopReason"] == "failed"
    broken = says(canary("said"), fault=f"error:{canary('kind of error')}", after=1)
    with stream(ada, cast.teach("broken", broken)) as sent:
        sent.rest()


class TestTheLog:
    def test_holds_no_canary_of_any_input(
        self, server: Server, ada: Client, cast: Cast, upstream: Upstream, canary: Canaries
    ) -> None:
        by_rest(ada, canary)
        by_strangers(server, canary)
        by_socket(ada, canary)
        by_turns(ada, cast, canary)
        log = server.log

        assert canary.found(log) == []
        assert ada.token not in log
        assert "sk-ant" not in log
        assert len(canary.made) > 40
        assert "GET /api/conversations/… 404" in log, "what happened is told even so"
