"""The state machine, its runs and its mutants once more, on PostgreSQL."""

import os

import pytest

from tests.support.again import on_postgresql

LONG = os.environ.get("KENNY_LONG") == "1"
pytestmark = [pytest.mark.postgres, pytest.mark.timeout(0 if LONG else 900)]


def test_the_machine_holds_and_notices_each_mutant() -> None:
    ran = on_postgresql("tests/history/test_store_machine.py")

    assert sum("test_holds" in name for name in ran) == 5
    assert sum("test_is_caught" in name for name in ran) == 14
