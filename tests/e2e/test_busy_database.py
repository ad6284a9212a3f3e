"""A database that answers nobody for a while: said as what it is, to come back later, and no fault of the server's."""

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
import pytest
from websockets.exceptions import ConnectionClosed

from tests.support.http import Client
from tests.support.server import Server, database
from tests.support.sockets import Socket

pytestmark = pytest.mark.postgres
PATIENCE = "?options=-c%20lock_timeout%3D300"
"""Kenny waits five seconds for a lock; a test need not."""


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with database() as made:
        yield made


@pytest.fixture(scope="module")
def server(env: dict[str, str], url: str) -> Iterator[Server]:
    with Server(env={**env, "DATABASE_URL": url + PATIENCE}) as made:
        yield made
        assert "Traceback" not in made.log


@pytest.fixture(scope="module")
def client(server: Server) -> Client:
    return server.user("ada")


@contextmanager
def locked(url: str, table: str) -> Iterator[None]:
    with psycopg.connect(url) as other:
        other.execute(f"LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE".encode())
        yield
        other.rollback()


class TestASocket:
    @pytest.mark.parametrize("table", ["accounts_apitoken", "auth_user", "history_syncstate"])
    def test_is_told_to_come_back(self, client: Client, url: str, table: str) -> None:
        """At its door, where it is asked who it is, and at the greeting."""
        with locked(url, table), pytest.raises(ConnectionClosed) as closed:
            Socket(client)
        with Socket(client) as later:
            assert later.hello["type"] == "hello"

        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 4013

    def test_that_is_open_is_told_so_and_stays(self, client: Client, url: str) -> None:
        with Socket(client) as socket:
            with locked(url, "history_conversation"):
                refused = socket.ask("watch", conversationId="c-1")
            known = socket.ask("watch", conversationId="c-1")

        assert (refused["code"], refused["retryable"]) == ("unavailable", True)
        assert known["code"] == "not_found"


class TestARequest:
    @pytest.mark.parametrize("table", ["accounts_apitoken", "history_conversation"])
    def test_is_told_to_come_back(self, client: Client, url: str, table: str) -> None:
        with locked(url, table):
            answer = client.get("/api/conversations")

        assert (answer.status, answer.json["error"]["code"]) == (503, "unavailable")
        assert client.get("/api/conversations").status == 200
