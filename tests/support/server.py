"""The real product in a process of its own: started on a free port, talked to, ended by its pid.

with Server() as server:
    alice = server.user("alice")            # a token too
    alice.get("/api/conversations")         # (status, headers, body)
"""

import contextlib
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from tests.support.accounts import Accounts
from tests.support.http import Answer, Client, sign_in

__all__ = [
    "PASSWORD",
    "Answer",
    "Client",
    "Server",
    "cpu_seconds",
    "database",
    "free_port",
    "resident",
    "wait_until",
]

ROOT = Path(__file__).resolve().parents[2]
# What a developer's shell may hold and a test must not see.
FOREIGN = ("ANTHROPIC_", "DATABASE_URL", "REDIS_URL", "KENNY_", "DJANGO_", "PYTHON")
PASSWORD = "right horse battery 9"
START_WITHIN = 90.0  # seconds; two cores run many tests at once


class Server:
    """`manage.py serve` on a free port.

    `data` is a folder to go on with, else a fresh one that goes with the server; `env` adds to the environment. A
    first account "root" with `PASSWORD` is made unless `env` sets DJANGO_SUPERUSER_USERNAME, even to "".
    """

    def __init__(self, *, data: Path | None = None, env: Mapping[str, str] | None = None) -> None:
        self._own_data = data is None
        self.data = data or Path(tempfile.mkdtemp(prefix="kenny-server-"))
        self.port = free_port()
        kept = {name: value for name, value in os.environ.items() if not name.startswith(FOREIGN)}
        self.env = kept | {
            "KENNY_DATA_DIR": str(self.data),
            "KENNY_HOST": "127.0.0.1",
            "KENNY_PORT": str(self.port),
            "DJANGO_SUPERUSER_USERNAME": "root",
            "DJANGO_SUPERUSER_PASSWORD": PASSWORD,
            **(env or {}),
        }
        self.process: subprocess.Popen[bytes] | None = None
        self._accounts: Accounts | None = None

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def log(self) -> str:
        """Everything printed so far, by all starts."""
        path = self.data / "server.log"
        return path.read_text(errors="replace") if path.exists() else ""

    def spawn(self) -> subprocess.Popen[bytes]:
        """Start the process and return at once."""
        with (self.data / "server.log").open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "manage.py", "serve"],
                cwd=ROOT,
                env=self.env,
                stdout=log,
                stderr=log,
            )
        return self.process

    def start(self) -> Self:
        """Start the process and wait until it serves."""
        self.spawn()
        return self.wait()

    def wait(self) -> Self:
        """Wait until a spawned process serves."""
        process = self.process
        assert process is not None, "the server was never started"
        end = time.monotonic() + START_WITHIN
        while time.monotonic() < end:
            if process.poll() is not None:
                raise RuntimeError(
                    f"the server ended with {process.returncode}: {self.log[-2000:]}"
                )
            with contextlib.suppress(OSError):
                if Client(self.port).get("/livez").status == 200:
                    return self
            time.sleep(0.05)
        raise RuntimeError(f"no /livez after {START_WITHIN} s: {self.log[-2000:]}")

    def stop(self, number: int = signal.SIGTERM, *, within: float = 30) -> int:
        """Send a signal, wait for the end and return the exit status."""
        process = self.process
        assert process is not None, "the server was never started"
        if process.poll() is None:
            process.send_signal(number)
        try:
            return process.wait(within)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            raise

    def kill(self) -> None:
        self.stop(signal.SIGKILL)

    def close(self) -> None:
        """End the process in whatever state it is, and drop the data folder if it was made here."""
        if self.process is not None and self.process.poll() is None:
            self.kill()
        if self._accounts is not None:
            self._accounts.close()
        if self._own_data:
            shutil.rmtree(self.data, ignore_errors=True)

    def manage(self, *arguments: str) -> str:
        """Run another management command on the same data and return what it prints."""
        done = subprocess.run(
            [sys.executable, "manage.py", *arguments],
            cwd=ROOT, env=self.env, capture_output=True, text=True, timeout=90, check=False,
        )  # fmt: skip
        if done.returncode:
            raise RuntimeError(f"manage.py {arguments[0]}: {done.stderr[-2000:]}")
        return done.stdout

    def user(self, name: str) -> Client:
        """Make a user with `PASSWORD` and return a client with a token of theirs."""
        return Client(self.port, self.users(name)[name])

    def users(self, *names: str) -> dict[str, str]:
        """Make users with `PASSWORD` and a token each; return the tokens by name. Raises RuntimeError when refused."""
        if self._accounts is None:
            self._accounts = Accounts(root=ROOT, env=self.env)
        return self._accounts.make(names, password=PASSWORD)

    def stranger(self) -> Client:
        return Client(self.port)

    def sign_in(self, name: str, *, password: str = PASSWORD, agent: str = "") -> Client:
        """Sign in through the form as a browser does and return a client with the session's cookies."""
        return sign_in(self.port, name, password=password, agent=agent)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextlib.contextmanager
def database(*, prefix: str = "kenny_e2e") -> Iterator[str]:
    """Yield the URL of an empty PostgreSQL database that is dropped afterwards."""
    name = f"{prefix}_{secrets.token_hex(4)}"
    psql = ["psql", "-qX", "-h", "127.0.0.1", "-U", "postgres", "-c"]
    subprocess.run([*psql, f"CREATE DATABASE {name}"], check=True, capture_output=True)
    try:
        yield f"postgres://postgres@127.0.0.1:5432/{name}"
    finally:
        subprocess.run(
            [*psql, f"DROP DATABASE {name} WITH (FORCE)"], check=True, capture_output=True
        )


def resident(pid: int) -> int:
    """Return a process's resident memory in bytes."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def cpu_seconds(pid: int) -> float:
    """Return the CPU that a process has used so far, in seconds."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def wait_until(holds: Any, *, within: float, what: str) -> None:
    """Ask again until it holds. Raises AssertionError naming `what`."""
    end = time.monotonic() + within
    pause = threading.Event()
    while not holds():
        assert time.monotonic() < end, f"not within {within} s: {what}"
        pause.wait(0.02)
