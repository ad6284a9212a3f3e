"""kenny's server around an application of a few lines: `python -m tests.kenny.tiny PORT STALL`.

What the server promises is shown here without turns and tables, and with sizes that the product never sends.
"""

import asyncio
import json
import os
import sys
from collections.abc import MutableMapping
from typing import Any

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
django.setup()

from kenny.accounts.sockets import Receive, Send  # noqa: E402
from kenny.admission import Admission  # noqa: E402
from kenny.serve.server import Server  # noqa: E402

CHUNK = b"x" * 65536
MANY = 3200  # chunks: 200 MiB


def say(line: str) -> None:
    print(line, flush=True)  # noqa: T201  read by the test


class Life:
    """Says what happens to it."""

    async def begin(self) -> None:
        say("begin")

    async def end(self) -> None:
        say("end")


async def application(scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
    if scope["type"] == "websocket":
        await _socket(scope["path"], receive, send)
    else:
        await _pages(scope, receive, send)


async def _pages(scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": []})
    if scope["path"] == "/flood":
        for sent in range(MANY):
            await send({"type": "http.response.body", "body": CHUNK, "more_body": True})
            if sent % 100 == 0:
                say(f"sent {sent}")
        await send({"type": "http.response.body", "body": b"."})
        say("flooded")
    elif scope["path"] == "/late":
        await send({"type": "http.response.body", "body": b"half", "more_body": True})
        raise RuntimeError("after the first half")
    else:
        size = 0
        while (message := await receive())["type"] == "http.request":
            size += len(message["body"])
            if not message["more_body"]:
                break
        body = json.dumps({"size": size, "root_path": scope["root_path"]}).encode()
        await send({"type": "http.response.body", "body": body})


async def _socket(path: str, receive: Receive, send: Send) -> None:
    await receive()
    await send({"type": "websocket.accept"})
    if path == "/flood":
        for _ in range(MANY):
            await send({"type": "websocket.send", "bytes": CHUNK})
        say("flooded")
    while (message := await receive())["type"] == "websocket.receive":
        await send({"type": "websocket.send", "text": message["text"]})
    say(f"disconnect {message['code']}")


def main() -> None:
    port, stall = int(sys.argv[1]), float(sys.argv[2])
    Server(
        Admission(application),
        endpoints=[f"tcp:port={port}:interface=127.0.0.1"],
        life=Life(),
        announce=lambda: say("listening"),
        stall=stall,
    ).run()
    asyncio.set_event_loop(None)


if __name__ == "__main__":
    main()
