"""Every address of the API and every frame, asked by nobody, by somebody else and by staff: as if nothing were there."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.urls import URLPattern, URLResolver, get_resolver

from tests.support.answers import calls, use
from tests.support.cast import Cast
from tests.support.http import Answer, Client
from tests.support.notation import png
from tests.support.server import Server
from tests.support.sockets import Socket
from tests.support.sse import stream

CONFIRM = {"conversationId": "{cid}", "callId": "{call}", "digest": "{digest}", "approve": True}
OPERATIONS: list[tuple[str, str, str, Any]] = [
    # what names a thing of somebody
    ("conversation", "GET", "/api/conversations/{cid}", None),
    ("conversation", "PATCH", "/api/conversations/{cid}", {"title": "taken"}),
    ("conversation_image", "GET", "/api/conversations/{cid}/images/{sha}", None),
    ("history_one", "GET", "/api/chat/history/{cid}", None),
    ("chat-turn-events", "GET", "/api/chat/turns/{turn}/events", None),
    ("chat-turn-stop", "POST", "/api/chat/turns/{turn}/stop", None),
    ("chat-confirm", "POST", "/api/chat/confirm/stream", CONFIRM),
    ("chat-handover", "POST", "/api/chat/handover", {"conversationId": "{cid}"}),
    # what makes one's own under any id
    ("conversation", "PUT", "/api/conversations/{cid}", {"title": "mine", "messages": []}),
    ("chat-stream", "POST", "/api/chat/stream", {"message": "hi", "conversationId": "{cid}", "turnId": "{turn}"}),
    ("history_one", "DELETE", "/api/chat/history/{cid}", None),
    ("conversation", "DELETE", "/api/conversations/{cid}", None),
]  # fmt: skip
LISTS: list[tuple[str, str, str, Any]] = [
    ("conversations", "GET", "/api/conversations?include=messages", None),
    ("conversations", "GET", "/api/conversations?q=secret", None),
    ("history", "GET", "/api/chat/history", None),
    ("chat-pending", "GET", "/api/chat/pending", None),
    ("conversations", "POST", "/api/conversations", {"title": "own"}),
    ("conversations_bulk", "PUT", "/api/conversations/bulk", {"conversations": []}),
    ("conversations", "DELETE", "/api/conversations", None),
    ("schema", "GET", "/api/schema", None),
    ("api_docs", "GET", "/api/docs", None),
    ("chat-models", "GET", "/api/chat/models", None),
    ("preferences", "GET", "/api/preferences", None),
]
# What names nobody's things: an account as a whole.
WHOLE: list[tuple[str, str, str, Any]] = [
    ("export", "GET", "/api/export", None),
    ("import", "POST", "/api/import", None),
]
UNKNOWN = {
    "cid": "c-unknown",
    "turn": "t-unknown",
    "sha": "0" * 64,
    "call": "toolu_unknown",
    "digest": "0" * 64,
}
VOLATILE = {"etag", "createdAt", "updatedAt", "deletedAt"}
MOMENT = re.compile(r'"at":\d+')


@pytest.fixture(scope="module")
def others(product: Server) -> tuple[Client, Client]:
    """Somebody else, and a superuser who is no superuser to the API."""
    tokens = product.users("mallory")
    token = product.manage("create_token", "root").split()[-1]
    return Client(product.port, tokens["mallory"]), Client(product.port, token)


@pytest.fixture
def things(person: Client, cast: Cast) -> dict[str, str]:
    """A conversation of `person` with an image and a held call, by the names of its parts."""
    words = cast.teach("secret words", calls(use("write_file", path="s", content="secret")))
    image = {"mediaType": "image/png", "data": png(4, 4)}
    with stream(person, words, images=[image]) as sent:
        events = sent.rest()
    pending = next(event for event in events if event["type"] == "pending")
    return {
        "cid": pending["conversationId"],
        "turn": pending["turnId"],
        "sha": events[0]["images"][0]["url"].rsplit("/", 1)[1],
        "call": pending["callId"],
        "digest": pending["digest"],
    }


def ask(client: Client, operation: tuple[str, str, str, Any], names: dict[str, str]) -> Answer:
    _, method, path, body = operation
    for name, value in names.items():
        path = path.replace(f"{{{name}}}", value)
    return client.request(method, path, _filled(body, names))


def _filled(body: Any, names: dict[str, str]) -> Any:
    if not isinstance(body, dict):
        return body
    text = json.dumps(body)
    for name, value in names.items():
        text = text.replace(f"{{{name}}}", value)
    return json.loads(text)


def bare(answer: Answer, names: dict[str, str]) -> tuple[int, set[str], str]:
    """Return an answer without what must differ: ids, times, tags."""
    text = answer.text
    for name, value in names.items():
        text = text.replace(value, name)
    text = MOMENT.sub('"at":0', text)
    if answer.headers.get("content-type", "").startswith("application/json"):
        found = json.loads(text)
        text = json.dumps({k: v for k, v in found.items() if k not in VOLATILE})
    return answer.status, set(answer.headers), text


def routes() -> Iterator[str]:
    """Yield the name of every address under /api/."""
    found: list[tuple[str, Any]] = [("", get_resolver())]
    while found:
        prefix, node = found.pop()
        here = prefix + str(node.pattern).removeprefix("^")
        if isinstance(node, URLResolver):
            found += [(here.replace("^/", ""), child) for child in node.url_patterns]
        elif isinstance(node, URLPattern) and here.lstrip("/").startswith("api/"):
            yield node.name or here


class TestTable:
    def test_has_every_address_of_the_api(self) -> None:
        assert {operation[0] for operation in OPERATIONS + LISTS + WHOLE} == set(routes())


class TestNobody:
    @pytest.mark.parametrize(
        "operation", OPERATIONS + LISTS + WHOLE, ids=lambda o: f"{o[1]} {o[2]}"
    )
    def test_gets_401_and_the_same_for_what_exists(
        self, product: Server, things: dict[str, str], operation: tuple[str, str, str, Any]
    ) -> None:
        real = ask(product.stranger(), operation, things)
        none = ask(product.stranger(), operation, UNKNOWN)

        assert real.status == 401
        assert real.json["error"]["code"] == "unauthenticated"
        assert bare(real, things) == bare(none, UNKNOWN)

    def test_gets_a_socket_that_closes(self, product: Server) -> None:
        with Socket(product.stranger(), hello=False) as socket:
            assert socket.closed() == 4001
        assert socket.frames == []


class TestSomebodyElse:
    @pytest.mark.parametrize("operation", OPERATIONS, ids=lambda o: f"{o[1]} {o[2]}")
    @pytest.mark.parametrize("who", [0, 1], ids=["another user", "a superuser"])
    def test_finds_what_exists_as_unknown_as_what_does_not(
        self,
        person: Client,
        others: tuple[Client, Client],
        things: dict[str, str],
        who: int,
        operation: tuple[str, str, str, Any],
    ) -> None:
        unknown = {**UNKNOWN, "cid": f"{things['cid']}-not", "turn": f"{things['turn']}-not"}
        real = ask(others[who], operation, things)
        none = ask(others[who], operation, unknown)

        assert bare(real, things) == bare(none, unknown)
        if operation in OPERATIONS[:8]:
            assert (real.status, real.json["error"]["code"]) == (404, "not_found")
        assert "secret" not in real.text
        mine = person.get(f"/api/conversations/{things['cid']}").json
        assert (mine["version"], mine["live"]["status"]) == (2, "held")
        assert len(person.get("/api/chat/pending").json["pending"]) == 1

    @pytest.mark.parametrize("operation", LISTS, ids=lambda o: f"{o[1]} {o[2]}")
    @pytest.mark.parametrize("who", [0, 1], ids=["another user", "a superuser"])
    def test_sees_and_moves_nothing_in_lists(
        self,
        person: Client,
        others: tuple[Client, Client],
        things: dict[str, str],
        who: int,
        operation: tuple[str, str, str, Any],
    ) -> None:
        answer = ask(others[who], operation, {})

        assert answer.status in {200, 201}
        assert not [value for value in things.values() if value in answer.text]
        assert person.get(f"/api/conversations/{things['cid']}").json["version"] == 2

    @pytest.mark.parametrize("who", [0, 1], ids=["another user", "a superuser"])
    def test_gets_the_same_errors_over_a_socket(
        self, person: Client, others: tuple[Client, Client], things: dict[str, str], who: int
    ) -> None:
        frames: list[tuple[str, dict[str, Any]]] = [
            ("watch", {"conversationId": "{cid}"}),
            ("watch", {"conversationId": "{cid}", "turnId": "{turn}", "after": 0}),
            ("confirm", CONFIRM),
            ("stop", {"turnId": "{turn}"}),
        ]
        with Socket(others[who]) as socket:
            for kind, fields in frames:
                real = socket.ask(kind, **_filled(fields, things))
                none = socket.ask(kind, **_filled(fields, UNKNOWN))
                assert real["code"] == "not_found"
                assert real | {"ref": ""} == none | {"ref": ""}
            unwatched = socket.ask("unwatch", conversationId=things["cid"])
            sent = socket.ask("send", message="hi", conversationId=things["cid"])
            socket.done(sent["turnId"])

        assert unwatched["type"] == sent["type"] == "ack"
        assert {
            frame["conversationId"] for frame in socket.frames if "conversationId" in frame
        } == {things["cid"]}
        assert all("secret" not in json.dumps(frame) for frame in socket.frames)
        mine = person.get(f"/api/conversations/{things['cid']}").json
        assert (mine["version"], mine["live"]["status"]) == (2, "held")
