"""History's proofs once more, on PostgreSQL: the run around them uses SQLite unless it was told otherwise.

Two runs of pytest, each with a database of its own; what fails there stands in the message of the failure here.
"""

import os
import re
import secrets
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from tests.support.server import ROOT

pytestmark = [pytest.mark.postgres, pytest.mark.timeout(900)]
NUMBER = re.compile(r"(?<=_)[a-h]\d\d(?=_)")
OURS = ("KENNY_", "DATABASE_URL", "PYTEST_", "DJANGO_SETTINGS")


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


FILES_OF_SQLITE = (
    "tests/history/test_erasure.py::TestFlush::test_leaves_no_word_in_database_and_log"
)
"""Looks into the database's files, which on PostgreSQL are its server's."""


def run(report: Path, *which: str) -> list[ET.Element]:
    """Run these tests on PostgreSQL and return the cases that ran; raises AssertionError when one did not pass."""
    env = {name: value for name, value in os.environ.items() if not name.startswith(OURS)}
    name = f"kenny_{secrets.token_hex(4)}"
    env["KENNY_TEST_DATABASE_URL"] = f"postgres://postgres@127.0.0.1:5432/{name}"
    # Nothing may be skipped: what is run here needs nothing but the database.
    env["KENNY_REQUIRE_ALL"] = "1"
    env |= {
        kept: os.environ[kept]
        for kept in ("KENNY_LONG", "KENNY_MACHINE_RUNS")
        if kept in os.environ
    }
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", f"--junitxml={report}", *which],
        cwd=ROOT, env=env, capture_output=True, text=True, timeout=880, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-20_000:] + done.stderr[-2000:]
    return list(ET.parse(report).getroot().iter("testcase"))  # noqa: S314  written by our own run


def test_all_scenarios_hold(tmp_path: Path) -> None:
    cases = run(
        tmp_path / "report.xml", "tests/scenarios", "--ignore=tests/scenarios/test_h_processes.py"
    )

    assert {name for case in cases for name in NUMBER.findall(case.get("name", ""))} == SCENARIOS


def test_the_store_and_all_that_stands_on_it_hold(tmp_path: Path) -> None:
    files = (
        "api_conditions", "api_deleting", "api_saving", "blobs", "erase_user", "erasure", "export_import", "feed",
        "feed_hints", "search", "store_races", "store_turns",
    )  # fmt: skip
    paths = [f"tests/history/test_{file}.py" for file in files]
    cases = run(tmp_path / "report.xml", *paths, f"--deselect={FILES_OF_SQLITE}")

    assert len(cases) > 150
