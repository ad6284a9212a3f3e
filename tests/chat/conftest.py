"""Who is there in the tests of turns: alice owns, bob is a stranger; and the process that runs their turns."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings
from django.contrib.auth.models import User

from chat import calls, loop
from chat.tools import registry
from tests.support.engine import Engine, Valves


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Empty the tables after a test of committed rows with CASCADE: a library's table outside the models refers to users."""
    here = Path(__file__).parent  # the hook is shown the items of all folders
    for item in items:
        if here in item.path.parents and "owner" in getattr(item, "fixturenames", ()):
            item.add_marker(
                pytest.mark.django_db(transaction=True, available_apps=[*settings.INSTALLED_APPS])
            )


@pytest.fixture
def owner(transactional_db: None) -> User:
    """Alice, in tests whose worker threads must see what was committed."""
    return User.objects.create_user("alice")


@pytest.fixture
def valves(monkeypatch: pytest.MonkeyPatch) -> Iterator[Valves]:
    """The agents' tools: `read_gauge` reads, `set_valve` changes."""
    valves = Valves()
    monkeypatch.setattr(registry, "AGENTS", valves.tools())
    yield valves
    valves.gate.set()


@pytest.fixture
def engine(owner: User, valves: Valves, monkeypatch: pytest.MonkeyPatch) -> Iterator[Engine]:
    """A process that runs alice's turns, impatient: it waits neither between tries nor for a tool after Stop."""
    monkeypatch.setattr(loop, "BACKOFF", (0.0, 0.0))
    monkeypatch.setattr(calls, "STOP_GRACE", 0.02)
    engine = Engine(owner)
    yield engine
    valves.gate.set()
    engine.close()
