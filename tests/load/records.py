"""History under load: lists, deltas, settles, a large conversation, many writers; on SQLite and PostgreSQL."""

import json
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext

from tests.support.server import ROOT, Client, Server, cpu_seconds, database

WRITERS, WRITE_FOR = 8, 5.0
LISTS = 40


def seed(server: Server, *arguments: str) -> dict[str, float]:
    done = subprocess.run(
        [sys.executable, "-m", "tests.load.seed", *arguments],
        cwd=ROOT, env=server.env, capture_output=True, text=True, timeout=900, check=False,
    )  # fmt: skip
    if done.returncode:
        raise RuntimeError(done.stderr[-2000:])
    found: dict[str, float] = json.loads(done.stdout or "{}")
    return found


def timed(client: Client, path: str, *, times: int) -> tuple[float, float, int]:
    """Return median and 95th percentile in ms, and the bytes of one answer."""
    took, size = [], 0
    for _ in range(times):
        began = time.perf_counter()
        answer = client.get(path)
        took.append((time.perf_counter() - began) * 1000)
        assert answer.status == 200, answer
        size = len(answer.content)
    took.sort()
    return took[len(took) // 2], took[int(len(took) * 0.95)], size


@contextmanager
def served(kind: str) -> Iterator[Server]:
    with database(prefix="kenny_load") if kind == "postgresql" else nullcontext("") as url:
        env = {"DATABASE_URL": url} if url else {}
        with Server(env=env) as server:
            yield server


def lists(server: Server, kind: str) -> None:
    for count in (100, 10_000, 100_000):
        name = f"lister{count}"
        client = server.user(name)
        seed(server, "fill", name, str(count))
        middle, slow, size = timed(client, "/api/conversations?limit=50", times=LISTS)
        print(
            f"{kind:10} list, first page of {count:7,}: median {middle:6.1f} ms, p95 {slow:6.1f} ms, {size:,} bytes"
        )
        if count == 10_000:
            middle, slow, size = timed(client, "/api/conversations", times=5)
            print(f"{kind:10} list, all {count:,}: median {middle:6.1f} ms, {size:,} bytes")
    found = seed(server, "delta", "lister100000")
    print(f"{kind:10} delta of 10 among 100,000: {found['ms']:.2f} ms in the database")


def settles(server: Server, kind: str) -> None:
    server.user("settler")
    for messages, images in ((10, 0), (100, 0), (1000, 0), (10, 10)):
        found = seed(server, "settle", "settler", str(messages), str(images))
        print(
            f"{kind:10} settle after {messages:4} messages, {images:2} images: {found['ms']:7.1f} ms,"
            f" {found['written']:,.0f} bytes of log, {found['written'] / found['own']:.2f} x the turn's own"
        )


def large(server: Server, kind: str) -> None:
    client = server.user("hoarder")
    seed(server, "large", "hoarder", "c-large", "36")
    middle, _, size = timed(client, "/api/conversations/c-large", times=3)
    print(f"{kind:10} opening {size / 2**20:.0f} MB: median {middle:.0f} ms")


def writers(server: Server, kind: str) -> None:
    """Eight threads save, each its own conversation, each on a new connection; the server's CPU for it is told too."""
    client = server.user("writer")
    counts, failures = [0] * WRITERS, []
    assert server.process is not None
    before = cpu_seconds(server.process.pid)
    until = time.monotonic() + WRITE_FOR

    def write(number: int) -> None:
        while time.monotonic() < until:
            body = {"title": "t", "messages": [{"role": "user", "content": f"writer {number}"}]}
            answer = client.request("PUT", f"/api/conversations/w-{number}", body)
            if answer.status not in {200, 201}:
                failures.append(answer.status)
            counts[number] += 1

    threads = [threading.Thread(target=write, args=(number,)) for number in range(WRITERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    each = (cpu_seconds(server.process.pid) - before) * 1000 / sum(counts)
    print(
        f"{kind:10} {WRITERS} writers: {sum(counts) / WRITE_FOR:.0f} saves a second, {len(failures)} refused,"
        f" {each:.1f} ms of the server's CPU each"
    )


def report(kinds: tuple[str, ...] = ("sqlite", "postgresql")) -> None:
    for kind in kinds:
        with served(kind) as server:
            lists(server, kind)
            settles(server, kind)
            large(server, kind)
            writers(server, kind)
