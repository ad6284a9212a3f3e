"""Two accounts on one server, and ids that are this run's own: what a test made is deleted after it."""

import secrets
from collections.abc import Callable, Iterator

import pytest

from tests.contract import place
from tests.contract.place import Caller
from tests.support.server import Server

NewId = Callable[[], str]


@pytest.fixture(scope="session")
def callers() -> Iterator[tuple[Caller, Caller]]:
    """Somebody and somebody else, on the server that the environment names or on one of our own."""
    if place.URL:
        if not (place.TOKEN and place.OTHER_TOKEN):
            pytest.exit("KENNY_CONTRACT_URL needs KENNY_CONTRACT_TOKEN and _OTHER_TOKEN", 2)
        tokens = [place.TOKEN, place.OTHER_TOKEN]
        yield Caller(0, tokens[0], base=place.URL), Caller(0, tokens[1], base=place.URL)
        return
    with Server() as server:
        one, two = server.users("ada", "bob").values()
        base = server.address
        yield Caller(server.port, one, base=base), Caller(server.port, two, base=base)


@pytest.fixture
def me(callers: tuple[Caller, Caller]) -> Caller:
    return callers[0]


@pytest.fixture
def other(callers: tuple[Caller, Caller]) -> Caller:
    return callers[1]


@pytest.fixture
def new_id(callers: tuple[Caller, Caller]) -> Iterator[NewId]:
    """Make ids that nobody has; what stands under them is deleted in the end."""
    made: list[str] = []

    def make() -> str:
        made.append(f"contract-{secrets.token_hex(8)}")
        return made[-1]

    yield make
    for caller in callers:
        for cid in made:
            path = f"/api/conversations/{cid}"
            if caller.get(path).status == 200:
                assert caller.request("DELETE", path).status == 200


@pytest.fixture
def cid(new_id: NewId) -> str:
    return new_id()


@pytest.fixture(scope="session")
def demo(callers: tuple[Caller, Caller]) -> None:
    """What turns need: a model that answers by rule and costs nothing."""
    models = callers[0].get("/api/chat/models").json["models"]
    if [model["id"] for model in models] != ["demo"]:
        pytest.skip("turns are tried where the demo model answers")


@pytest.fixture
def whole_account() -> None:
    """What replaces or deletes a whole account runs only where it may."""
    if not place.MAY_DELETE_ALL:
        pytest.skip("deletes everything in the account: KENNY_CONTRACT_DESTRUCTIVE=1")
