"""Streams through kenny against the same streams through a bare consumer, measured in one run."""

import itertools
import json
import math
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.load.client import STAGGER
from tests.support.server import Server, cpu_seconds, free_port, resident, wait_until

ROOT = Path(__file__).resolve().parents[2]
runs = itertools.count()


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """One run. `cpu`: seconds of the server's CPU per 10,000 deltas while all streams run; times in ms; `memory` in MiB."""

    streams: int
    kind: str
    cpu: float
    p50: float
    p99: float
    first: float
    memory: float
    ended: int


@contextmanager
def process(*command: str) -> Iterator[subprocess.Popen[bytes]]:
    running = subprocess.Popen([sys.executable, "-m", *command], cwd=ROOT)
    try:
        yield running
    finally:
        running.kill()
        running.wait()


def listening(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def measure(
    *, pid: int, port: int, kind: str, streams: int, seconds: int, tokens: list[str]
) -> Figures:
    """Run `streams` watchers and return what they saw and what the server spent on it."""
    spec = {
        "port": port,
        "streams": streams,
        # Each stream lasts so long that the first still runs when the last has begun.
        "seconds": seconds + math.ceil(streams * STAGGER),
        "kind": kind,
        "tokens": tokens,
        "run": next(runs),
    }
    client = subprocess.Popen(
        [sys.executable, "-m", "tests.load.client", json.dumps(spec)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert client.stdout
    client.stdout.readline()
    spent, deltas = 0.0, 0
    for sign in (-1, 1):
        deltas += sign * int(client.stdout.readline().split()[1])
        spent += sign * cpu_seconds(pid)
    seen = json.loads(client.stdout.readline())
    memory = resident(pid) / 2**20
    client.wait(60)
    return Figures(
        streams=streams,
        kind=kind,
        cpu=spent / max(1, deltas) * 10_000,
        p50=seen["p50"],
        p99=seen["p99"],
        first=seen["first"],
        memory=memory,
        ended=seen["ended"],
    )


@contextmanager
def source() -> Iterator[str]:
    port = free_port()
    with process("tests.load.source", str(port)):
        wait_until(lambda: listening(port), within=30, what="it listens")
        yield f"http://127.0.0.1:{port}"


@contextmanager
def bare(upstream: str) -> Iterator[tuple[int, int]]:
    """Yield (pid, port) of the bare consumer."""
    port = free_port()
    with process("tests.load.bare", str(port), upstream) as running:
        wait_until(lambda: listening(port), within=30, what="it listens")
        yield running.pid, port


@contextmanager
def kenny(upstream: str, *, users: int) -> Iterator[tuple[int, int, list[str]]]:
    """Yield (pid, port, tokens) of the product with `users` accounts."""
    with Server(env={"ANTHROPIC_API_KEY": "load", "ANTHROPIC_BASE_URL": upstream}) as server:
        assert server.process
        tokens = server.users(*(f"load{number}" for number in range(users)))
        yield server.process.pid, server.port, list(tokens.values())
