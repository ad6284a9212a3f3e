"""Watchers of N streams in one process: what arrives, when, and how late.

    python -m tests.load.client JSON    ({"port", "streams", "seconds", "kind": "bare"|"raw"|"rendered", "tokens"})

Prints "open", then "steady" and "closing" with the deltas so far, between which the server's CPU is measured, and
last one JSON line: deltas, latency in ms (p50, p99), first delta in ms, streams that ended.
"""

import asyncio
import json
import re
import sys
import time
from dataclasses import dataclass, field

from websockets.asyncio.client import ClientConnection, connect

from tests.load.source import WINDOW

MOMENT = re.compile(r"@(\d{7})")
SETTLE_IN = 1.5
"""Seconds at the beginning and at the end that do not count: streams start and are settled."""


STAGGER = 0.04
"""Seconds between the beginnings of two streams: what a beginning costs is told by the first delta."""


@dataclass
class Seen:
    """What one run saw. `seen` are moments, so that a tree frame that repeats a text counts it once."""

    late: list[float] = field(default_factory=list)
    first: list[float] = field(default_factory=list)
    deltas: int = 0
    ended: int = 0


def frame_for(spec: dict[str, object], number: int) -> str:
    message = f"stream for {spec['seconds']}"
    if spec["kind"] == "bare":
        return json.dumps({"message": message})
    send = {"type": "send", "message": message, "conversationId": f"load-{spec['run']}-{number}"}
    return json.dumps(send | {"render": spec["kind"] == "rendered"})


def later(moment: int, than: int) -> bool:
    """Return whether a moment comes after another on a clock that begins anew every ten seconds."""
    return 0 < (moment - than) % WINDOW < WINDOW // 2


async def watch(socket: ClientConnection, spec: dict[str, object], number: int, seen: Seen) -> None:
    origin = time.monotonic()
    await asyncio.sleep(number * STAGGER)
    began = time.monotonic()
    await socket.send(frame_for(spec, number))
    newest, first = time.monotonic_ns() // 1000 % WINDOW - 1, True
    steady, closing = window(spec)
    async for line in socket:
        now = time.monotonic_ns() // 1000 % WINDOW
        text = line if isinstance(line, str) else line.decode()
        if '"type":"done"' in text or '"type": "done"' in text:
            seen.ended += 1
            return
        moments = [int(moment) for moment in MOMENT.findall(text)]
        fresh = [moment for moment in moments if later(moment, newest)]
        if not fresh:
            continue
        newest = fresh[-1]
        seen.deltas += len(fresh)
        if first:
            seen.first.append((time.monotonic() - began) * 1000)
            first = False
        if steady < time.monotonic() - origin < closing:
            # A rendered frame holds what came since the last one: its newest word shows what rendering adds at least.
            seen.late.append((now - newest) % WINDOW / 1000)


def window(spec: dict[str, object]) -> tuple[float, float]:
    """Return when, in seconds from the beginning, all streams run: what is measured is measured between the two."""
    started = int(str(spec["streams"])) * STAGGER
    return started + SETTLE_IN, float(str(spec["seconds"])) - SETTLE_IN


async def mark(spec: dict[str, object], seen: Seen) -> None:
    """Tell the measuring process when the steady part begins and ends."""
    steady, closing = window(spec)
    await asyncio.sleep(steady)
    print(f"steady {seen.deltas}", flush=True)
    await asyncio.sleep(closing - steady)
    print(f"closing {seen.deltas}", flush=True)


async def opened(spec: dict[str, object], number: int) -> ClientConnection:
    tokens = spec["tokens"]
    headers = {"Authorization": f"Bearer {tokens[number % len(tokens)]}"} if tokens else {}  # type: ignore[arg-type, index]  # JSON
    address = f"ws://127.0.0.1:{spec['port']}/ws/chat"
    return await connect(
        address, additional_headers=headers, compression=None, max_queue=None, open_timeout=30
    )


async def main(spec: dict[str, object]) -> None:
    seen = Seen()
    sockets = [await opened(spec, number) for number in range(int(str(spec["streams"])))]
    print("open", flush=True)
    watching = [watch(socket, spec, number, seen) for number, socket in enumerate(sockets)]
    await asyncio.gather(mark(spec, seen), *watching)
    late, first = sorted(seen.late) or [0.0], sorted(seen.first) or [0.0]
    figures = {
        "deltas": seen.deltas,
        "p50": late[len(late) // 2],
        "p99": late[int(len(late) * 0.99)],
        "first": first[len(first) // 2],
        "ended": seen.ended,
    }
    print(json.dumps(figures), flush=True)
    for socket in sockets:
        await socket.close()


if __name__ == "__main__":
    asyncio.run(main(json.loads(sys.argv[1])))
