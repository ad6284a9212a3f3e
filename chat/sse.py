"""The events of a turn as Server-Sent Events (WHATWG HTML, section 9.2), for REST clients."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

from django.http import StreamingHttpResponse

from chat import doors
from chat.models import Turn
from chat.tape import Entry
from chat.watch import Raw, follow

HEARTBEAT = 15.0
"""Seconds of silence after which a comment keeps proxies from closing the stream."""


LINE_ENDS = {0x85: "\\u0085", 0x2028: "\\u2028", 0x2029: "\\u2029"}
"""Ends of a line to Python and JavaScript, none to this format: escaped, for readers that split where those do."""


def framed(entry: Entry) -> bytes:
    line = entry.line if entry.line.isascii() else entry.line.translate(LINE_ENDS)
    if entry.type == "restart":
        return f"event: restart\ndata: {line}\n\n".encode()
    return f"id: {entry.seq}\nevent: {entry.type}\ndata: {line}\n\n".encode()


def response(
    turn: Turn, *, after: int, user_id: int, session_key: str | None, token_key: str | None
) -> Any:
    """Return the response that streams a turn from `after`; its door can be shut while it runs."""
    body = _body(turn, after=after, user_id=user_id, session_key=session_key, token_key=token_key)
    streamed = StreamingHttpResponse(body, content_type="text/event-stream")
    streamed["Cache-Control"] = "no-store"
    streamed["X-Accel-Buffering"] = "no"
    return streamed


async def _body(
    turn: Turn, *, after: int, user_id: int, session_key: str | None, token_key: str | None
) -> AsyncIterator[bytes]:
    shut = asyncio.Event()

    def close(code: int) -> None:
        del code
        shut.set()

    door = doors.Door(user_id=user_id, session_key=session_key, token_key=token_key, close=close)
    doors.enter(door)
    frames = follow(turn, after=after, view=Raw())
    nearest = asyncio.ensure_future(anext(frames, None))
    closed = asyncio.ensure_future(shut.wait())
    try:
        while True:
            done, _ = await asyncio.wait(
                [nearest, closed], timeout=HEARTBEAT, return_when="FIRST_COMPLETED"
            )
            if closed in done:
                return
            if not done:
                yield b": still here\n\n"
                continue
            entry = nearest.result()
            if entry is None:
                return
            yield framed(entry)
            nearest = asyncio.ensure_future(anext(frames, None))
    finally:
        doors.leave(door)
        nearest.cancel()
        closed.cancel()
        await asyncio.gather(nearest, closed, return_exceptions=True)
        await frames.aclose()
