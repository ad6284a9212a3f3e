"""One real server for all tests here that do not end it."""

from collections.abc import Iterator

import pytest

from tests.support.server import Server


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """The product with the users alice and bob; tests that need another state start their own."""
    with Server() as running:
        running.users("alice", "bob")
        yield running
