"""One real server, one scripted upstream, many people: what the tests of the whole product share."""

from collections.abc import Iterator

import pytest

from tests.support.cast import Cast
from tests.support.http import Client
from tests.support.server import Server
from tests.support.upstream import Upstream

PEOPLE = 120


@pytest.fixture(scope="session")
def cast() -> Cast:
    return Cast()


@pytest.fixture(scope="session")
def upstream(cast: Cast) -> Iterator[Upstream]:
    with Upstream(otherwise=cast) as scripted:
        yield scripted
        assert scripted.violations == [], "the product sent a list that the API would refuse"


@pytest.fixture(scope="session")
def env(upstream: Upstream) -> dict[str, str]:
    """What makes a server ask the scripted upstream."""
    return {"ANTHROPIC_API_KEY": "test", "ANTHROPIC_BASE_URL": upstream.url, "KENNY_GRACE": "1"}


@pytest.fixture(scope="session")
def product(env: dict[str, str]) -> Iterator[Server]:
    with Server(env=env) as server:
        yield server
        assert [line for line in server.log.splitlines() if "Traceback" in line] == []


@pytest.fixture(scope="session")
def _people(product: Server) -> Iterator[Client]:
    tokens = product.users(*(f"person{n}" for n in range(PEOPLE)))
    return iter([Client(product.port, token) for token in tokens.values()])


@pytest.fixture
def person(_people: Iterator[Client]) -> Client:
    """A client of somebody whom no other test knows."""
    return next(_people)


@pytest.fixture
def hold(upstream: Upstream) -> Iterator[Upstream]:
    """The upstream whose answers wait at their `hold_after` until `release()`."""
    upstream.hold()
    yield upstream
    upstream.release()
