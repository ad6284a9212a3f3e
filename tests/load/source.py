"""An upstream that speaks at a fixed pace: every delta carries the moment it was sent.

    python -m tests.load.source PORT

POST /v1/messages answers a stream of `RATE` deltas a second for as many seconds as the last message's text says
("stream for 8"). A delta's text is a word of Markdown prose with `@` and the moment it was sent.
"""

import asyncio
import json
import random
import re
import sys
import time
from collections.abc import Mapping

RATE = 30
WORDS = ["a ", "**big** ", "`x` ", "step ", "on ", "and ", "on, ", "then ", "rest.\n\n", "So "]
WINDOW = 10_000_000
"""A moment is a clock in microseconds within ten seconds, so that a delta is as short as a real one."""
HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nrequest-id: req_load\r\ntransfer-encoding: chunked\r\n\r\n"
START = {
    "type": "message_start",
    "message": {
        "id": "msg_load", "type": "message", "role": "assistant", "model": "m", "content": [], "stop_reason": None,
        "stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 1},
    },
}  # fmt: skip


def event(body: Mapping[str, object]) -> bytes:
    return f"event: {body['type']}\ndata: {json.dumps(body)}\n\n".encode()


def chunk(data: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(data), data)


def delta(number: int) -> bytes:
    """Return the bytes of one delta as they go over the wire; the moment is taken last."""
    text = f"{WORDS[number % len(WORDS)]} @{time.monotonic_ns() // 1000 % WINDOW:07d} "
    body = json.dumps({"type": "text_delta", "text": text})
    data = f'event: content_block_delta\ndata: {{"type":"content_block_delta","index":0,"delta":{body}}}\n\n'
    return chunk(data.encode())


async def read_request(reader: asyncio.StreamReader) -> bytes | None:
    head = await reader.readuntil(b"\r\n\r\n")
    length = re.search(rb"(?i)content-length: *(\d+)", head)
    return await reader.readexactly(int(length[1])) if length else None


async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while True:
            body = await read_request(reader)
            if body is None:
                return
            asked = re.findall(rb"stream for (\d+)", body)
            await answer(writer, seconds=int(asked[-1]) if asked else 1)
    except (asyncio.IncompleteReadError, ConnectionError):
        pass
    finally:
        writer.close()


async def answer(writer: asyncio.StreamWriter, *, seconds: int) -> None:
    begin = {
        "type": "content_block_start",
        "index": 0,
        "content_block": {"type": "text", "text": ""},
    }
    writer.write(HEAD + chunk(event(START)) + chunk(event(begin)) + delta(0))
    loop = asyncio.get_running_loop()
    # Streams of one bench run start together; without a phase of its own each would send in the same instant.
    due = loop.time() + random.random() / RATE
    for number in range(1, seconds * RATE):
        await asyncio.sleep(due - loop.time())
        due += 1 / RATE
        writer.write(delta(number))
        await writer.drain()
    end = {
        "type": "message_delta",
        "delta": {"stop_reason": "end_turn", "stop_sequence": None},
        "usage": {"output_tokens": 9},
    }
    last: list[Mapping[str, object]] = [
        {"type": "content_block_stop", "index": 0},
        end,
        {"type": "message_stop"},
    ]
    writer.write(b"".join(chunk(event(body)) for body in last) + b"0\r\n\r\n")
    await writer.drain()


async def main(port: int) -> None:
    server = await asyncio.start_server(
        serve, "127.0.0.1", port, backlog=1024, limit=8 * 1024 * 1024
    )
    async with server:
        await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1])))
