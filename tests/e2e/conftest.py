"""One real server, one scripted upstream, many people: what the tests of the whole product share."""

from collections.abc import Iterator

import pytest

from tests.support.cast import Cast
from tests.support.http import Client
from tests.support.server import Server
from tests.support.upstream import Upstream

PEOPLE = 300
MADE = f"""
from django.contrib.auth.models import User
from kenny.accounts import tokens
for n in range({PEOPLE}):
    user = User.objects.create_user(f"person{{n}}")
    print("made", tokens.make(user, name="test")[1])
"""


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
    # Without a password, whose hash is what takes time.
    lines = product.manage("shell", "--no-imports", "-c", MADE).splitlines()
    tokens = [line.split()[1] for line in lines if line.startswith("made ")]
    return iter([Client(product.port, token) for token in tokens])


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
