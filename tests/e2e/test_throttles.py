"""Who asks too often is told when to come back, in the API's own shape; others are not held up."""

from collections.abc import Iterator

import pytest

from tests.support.http import Answer, Client
from tests.support.server import Server


@pytest.fixture(scope="module")
def slow(env: dict[str, str]) -> Iterator[Server]:
    """A server that takes ten requests and two messages a minute."""
    rates = {"KENNY_REQUESTS_PER_MINUTE": "10", "KENNY_SENDS_PER_MINUTE": "2"}
    with Server(env={**env, **rates}) as server:
        yield server


@pytest.fixture(scope="module")
def people(slow: Server) -> Iterator[Client]:
    return iter([Client(slow.port, token) for token in slow.users("ada", "bob", "cyd").values()])


@pytest.fixture
def somebody(people: Iterator[Client]) -> Client:
    return next(people)


def assert_told_to_wait(answer: Answer) -> None:
    assert (answer.status, answer.json["error"]["code"]) == (429, "rate_limited")
    assert set(answer.json["error"]) >= {"code", "message"}
    assert 0 < int(answer.headers["retry-after"]) <= 60
    assert answer.headers["content-type"] == "application/json"


class TestThrottles:
    def test_of_requests_hold_on_every_address_and_for_one_account_only(
        self, somebody: Client, people: Iterator[Client]
    ) -> None:
        answers = [somebody.get("/api/conversations") for _ in range(10)]
        saved = somebody.request("PUT", "/api/conversations/c-late", {"title": "late"})

        assert {answer.status for answer in answers} == {200}
        assert_told_to_wait(somebody.get("/api/chat/pending"))
        assert_told_to_wait(saved)
        assert next(people).get("/api/conversations/c-late").status == 404

    def test_of_messages_begin_no_turn(self, somebody: Client) -> None:
        answers = [somebody.post("/api/chat/stream", {"message": ""}) for _ in range(2)]
        late = somebody.post(
            "/api/chat/stream", {"message": "too late", "conversationId": "c-late"}
        )

        assert [answer.status for answer in answers] == [400, 400]
        assert_told_to_wait(late)
        assert somebody.get("/api/conversations/c-late").status == 404
