"""Requests made from the API's own description, good and bad, as a person and as nobody, on the real server.

None may get a 5xx, a status, a type, a header or a body that the description does not know. Seeded; KENNY_LONG=1
asks forty times as much.
"""

import os
import secrets
from collections.abc import Iterator
from typing import Any

import hypothesis
import pytest
import schemathesis
from drf_spectacular.generators import SchemaGenerator
from hypothesis import HealthCheck, strategies
from schemathesis import Case as AnyCase
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from tests.contract import place
from tests.support.answers import calls, says, use
from tests.support.http import Client
from tests.support.notation import png
from tests.support.server import Server
from tests.support.sse import stream
from tests.support.upstream import Upstream

TIMES = 40 if os.environ.get("KENNY_LONG") == "1" else 1
AS_A_PERSON, AS_NOBODY = 24 * TIMES, 5 * TIMES
CHECKS: list[Any] = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]
DESCRIPTION: dict[str, Any] = SchemaGenerator().get_schema(request=None, public=True)
Case = AnyCase[Any]
pytestmark = pytest.mark.skipif(bool(place.URL), reason="drawn requests go to a server of our own")
METHODS = {"get", "put", "post", "patch", "delete"}
OPERATIONS = sorted(
    item[method]["operationId"]
    for item in DESCRIPTION["paths"].values()
    for method in METHODS & set(item)
)
CHATS, TURNS = ["c-kept", "c-held", "c-dead"], ["t-kept", "t-held", "t-dead"]
BESIDE = ("turnId", "agentId", "images", "settings", "truncateAt", "version")
KNOWN: dict[str, list[Any]] = {
    "cid": CHATS,
    "conversationId": CHATS,
    "turn_id": TURNS,
    "turnId": TURNS,
    "settings": [{"effort": "low"}],
}


@schemathesis.serializer("application/zip")
def as_it_is(_context: object, value: Any) -> bytes:
    """Send a drawn file as the bytes it is."""
    return value if isinstance(value, bytes) else getattr(value, "data", b"")


@pytest.fixture(scope="module")
def upstream() -> Iterator[Upstream]:
    with Upstream(otherwise=says("ok")) as scripted:
        yield scripted


@pytest.fixture(scope="module")
def server(upstream: Upstream) -> Iterator[Server]:
    env = {
        "ANTHROPIC_API_KEY": "test",
        "ANTHROPIC_BASE_URL": upstream.url,
        # So that what answers is mostly the view and not its throttle.
        "KENNY_SENDS_PER_MINUTE": "100000",
        "KENNY_REQUESTS_PER_MINUTE": "100000",
    }
    with Server(env=env) as running:
        yield running
        assert [line for line in running.log.splitlines() if "Traceback" in line] == []


@pytest.fixture(scope="module")
def people(server: Server) -> dict[str, Client]:
    """A person for each operation, so that no operation takes away what another needs."""
    tokens = server.users(*OPERATIONS)
    return {name: Client(server.port, token) for name, token in tokens.items()}


@pytest.fixture(scope="module")
def schema(server: Server) -> Any:
    loaded = schemathesis.openapi.from_dict(DESCRIPTION)
    loaded.config.update(base_url=server.address)
    return loaded


def settle_in(person: Client, upstream: Upstream, *, name: str) -> dict[str, list[Any]]:
    """Give a person something to be found: a chat with an image, a held call, a deleted one."""
    upstream.queue(
        says("There."), calls(use("write_file", path="a.txt", content="b")), says("Gone.")
    )
    image = {"mediaType": "image/png", "data": png(2, 2)}
    shown = ""
    for chat in ("kept", "held", "dead"):
        with stream(
            person, chat, conversationId=f"c-{chat}", turnId=f"t-{chat}", images=[image]
        ) as sent:
            shown = sent.rest()[0]["images"][0]["url"]
    person.request("DELETE", "/api/conversations/c-dead")
    held = person.get("/api/chat/pending").json["pending"][0]
    chats = ["c-held", *CHATS] if name == "decide_call" else CHATS
    return {
        **KNOWN,
        "conversationId": chats,
        "sha256": [shown.rsplit("/", 1)[1]],
        "callId": [held["callId"]],
        "digest": [held["digest"]],
    }


def cases_of(operation: Any, known: dict[str, list[Any]]) -> strategies.SearchStrategy[Case]:
    """Draw good and bad requests; half of them aim at what exists, the first of what is known under each name."""

    @strategies.composite
    def drawn(draw: strategies.DrawFn) -> Case:
        aims = draw(strategies.booleans())
        modes = [GenerationMode.POSITIVE, GenerationMode.NEGATIVE]
        mode = modes[0] if aims else draw(strategies.sampled_from(modes))
        case: Case = draw(operation.as_strategy(generation_mode=mode))
        parts: list[Any] = [case.path_parameters, case.body]
        for part in parts:
            for name in known if isinstance(part, dict) else ():
                if name in part and (aims or draw(strategies.booleans())):
                    part[name] = (
                        known[name][0] if aims else draw(strategies.sampled_from(known[name]))
                    )
        if aims and isinstance(case.body, dict) and "message" in case.body:
            # Each of these is refused for a reason of its own: some messages come without any.
            for name in BESIDE if draw(strategies.booleans()) else ():
                case.body.pop(name, None)
        # With a wrong account nothing else would be looked at.
        if aims or draw(strategies.booleans()):
            case.headers.pop("X-Kenny-Account", None)
        return case

    return drawn()


def try_out(operation: Any, known: dict[str, list[Any]], *, examples: int, token: str) -> list[int]:
    """Send that many requests and return the statuses that came back."""
    statuses: list[int] = []
    headers = {"Authorization": f"Bearer {token}"} if token else {}

    @hypothesis.settings(
        max_examples=examples,
        derandomize=True,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        phases=[hypothesis.Phase.generate],
    )
    @hypothesis.given(case=cases_of(operation, known))
    def ask(case: Case) -> None:
        # The case's own word for who asks would stand in the way of ours.
        for name in ("Authorization", "Cookie"):
            case.headers.pop(name, None)
        case.cookies.clear()
        answer = case.call(headers=headers, timeout=30)
        statuses.append(answer.status_code)
        case.validate_response(answer, checks=CHECKS)

    ask()
    return statuses


@pytest.mark.timeout(120 * TIMES)
class TestEveryRequest:
    @pytest.mark.parametrize("name", OPERATIONS)
    def test_of_a_person_gets_what_the_description_says(
        self, schema: Any, people: dict[str, Client], upstream: Upstream, name: str
    ) -> None:
        known = settle_in(people[name], upstream, name=name)
        operation = schema.find_operation_by_id(name)

        statuses = try_out(operation, known, examples=AS_A_PERSON, token=people[name].token)

        assert 401 not in statuses
        # No file drawn by chance is an export.
        assert min(statuses) < 400 or name == "import_account", statuses

    @pytest.mark.parametrize("name", OPERATIONS)
    def test_of_nobody_is_refused(self, schema: Any, name: str) -> None:
        operation = schema.find_operation_by_id(name)
        token = "" if len(name) % 2 else f"kny_{secrets.token_hex(32)}"

        statuses = try_out(operation, KNOWN, examples=AS_NOBODY, token=token)

        assert set(statuses) == {401}
