"""The scenarios once more, on PostgreSQL: the run around them uses SQLite unless it was told otherwise."""

import re

import pytest

from tests.support.again import on_postgresql

pytestmark = [pytest.mark.postgres, pytest.mark.timeout(900)]
NUMBER = re.compile(r"(?<=_)[a-h]\d\d(?=_)")
SCENARIOS = {
    *(f"a{n:02}" for n in range(1, 16)),
    *(f"c{n:02}" for n in (1, 2, 3, 4, 5, 6, 8, 9, 10, 11, 12)),
    *(f"d{n:02}" for n in (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 14, 15, 16, 17, 18)),
    *("e10", "e11", "e12"),
    *(f"f{n:02}" for n in range(1, 13)),
    *(f"g{n:02}" for n in (1, 2, 3, 4, 5, 6, 7, 8, 9, 12)),
    *(f"h{n:02}" for n in (1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12)),
}
"""Those of the server; the others are the browser's, h08 moves from one database to the other."""


def test_all_scenarios_hold() -> None:
    ran = on_postgresql("tests/scenarios", "--ignore=tests/scenarios/test_h_processes.py")

    assert {number for name in ran for number in NUMBER.findall(name)} == SCENARIOS
