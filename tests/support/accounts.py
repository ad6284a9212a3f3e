"""A process beside a server that makes accounts in its database: begun at the first account, as a start costs more than a hundred of them."""

import json
import subprocess
import sys
import threading
import weakref
from collections.abc import Mapping, Sequence
from pathlib import Path

WITHIN = 90.0  # seconds; two cores run many tests at once
WORK = """
import json, sys
from django.contrib.auth.models import User
from django.db import connections
from kenny.accounts import tokens

for line in sys.stdin:
    password, *names = json.loads(line)
    users = [User.objects.create_user(name, f"{name}@example.test", password) for name in names]
    made = {user.username: tokens.make(user, name="test")[1] for user in users}
    connections.close_all()
    print("made", json.dumps(made), flush=True)
"""


class Accounts:
    """Makes accounts of one server. `close()` ends the process, at the latest with the object."""

    def __init__(self, *, root: Path, env: Mapping[str, str]) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "manage.py", "shell", "--no-imports", "-c", WORK],
            cwd=root, env=dict(env), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        # A test that leaves its server without closing it leaves no process.
        self.close = weakref.finalize(self, _end, self._process)

    def make(self, names: Sequence[str], *, password: str) -> dict[str, str]:
        """Make users with a token each and return the tokens by name. Raises RuntimeError with what went wrong."""
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(json.dumps([password, *names]) + "\n")
        self._process.stdin.flush()
        late = threading.Timer(WITHIN, self._process.kill)
        late.start()
        lines = iter(self._process.stdout.readline, "")
        line = next((line for line in lines if line.startswith("made ")), None)
        late.cancel()
        if line is None:
            raise RuntimeError(f"no accounts were made: {self._process.communicate()[1][-2000:]}")
        found: dict[str, str] = json.loads(line.removeprefix("made "))
        return found


def _end(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.communicate()
