"""Some tests once more on PostgreSQL: a run of pytest within the run, in a test database of its own.

What fails there stands in the message of the failure here. Nothing may be skipped there: the database is all it needs.
"""

import os
import secrets
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from xml.etree import ElementTree as ET

from tests.support.server import ROOT

OURS = ("KENNY_", "DATABASE_URL", "PYTEST_", "DJANGO_SETTINGS")
KEPT = ("KENNY_LONG", "KENNY_MACHINE_RUNS")


def on_postgresql(*arguments: str) -> list[str]:
    """Run these tests and return the names of those that ran; raises AssertionError when one did not pass."""
    env = {name: value for name, value in os.environ.items() if not name.startswith(OURS)}
    env |= {name: os.environ[name] for name in KEPT if name in os.environ}
    name = f"kenny_{secrets.token_hex(4)}"
    env["KENNY_TEST_DATABASE_URL"] = f"postgres://postgres@127.0.0.1:5432/{name}"
    env["KENNY_REQUIRE_ALL"] = "1"
    with TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist"]
        done = subprocess.run(
            [*command, f"--junitxml={report}", *arguments],
            cwd=ROOT, env=env, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout[-20_000:] + done.stderr[-2000:]
        cases = ET.parse(report).getroot().iter("testcase")  # noqa: S314  written by our own run
        return [case.get("name", "") for case in cases]
