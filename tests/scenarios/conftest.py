"""Who is there in the scenarios: alice with two devices, bob the stranger, and a process that runs alice's turns."""

from collections.abc import Callable
from itertools import count

import pytest
from django.contrib.auth.models import User

from tests.chat.conftest import engine, owner, pytest_collection_modifyitems, valves
from tests.history.conftest import Api, alice, api, bob, stranger, told
from tests.history.devices import Device, Service

__all__ = [
    "alice",
    "api",
    "bob",
    "engine",
    "owner",
    "pytest_collection_modifyitems",
    "stranger",
    "told",
    "valves",
]


@pytest.fixture
def committed(transactional_db: None) -> Api:
    """Alice's client where several connections must see what was written."""
    return Api(User.objects.create_user("alice"))


@pytest.fixture
def service(db: None) -> Service:
    """The real store and feed of one fresh account."""
    return Service()


@pytest.fixture
def device(service: Service) -> Callable[[str], Device]:
    """Return a way to make faithful devices of that account."""
    numbers = count(1)
    return lambda name: Device(name, numbers)
