"""A WebSocket client that keeps every frame and waits for what it wants, never for time."""

import contextlib
import itertools
import json
import time
from collections.abc import Callable
from types import TracebackType
from typing import Any, Self

from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from tests.support.http import Client

Frame = dict[str, Any]
WITHIN = 45.0
"""Seconds until a test gives up: long, as two cores run many tests at once."""

_refs = itertools.count(1)


class Socket:
    """One socket on /ws/chat. `frames` holds all that came, in order; waiting reads on from where the last wait ended."""

    def __init__(
        self, client: Client, *, query: str = "", hello: bool = True, **options: Any
    ) -> None:
        headers = dict(client.headers)
        if client.token:
            headers["authorization"] = f"Bearer {client.token}"
        origin = headers.pop("origin", None)
        headers.pop("x-csrftoken", None)
        self.frames: list[Frame] = []
        self._next = 0
        opening = connect(
            f"ws://127.0.0.1:{client.port}/ws/chat{query}",
            additional_headers=headers,
            **{
                "origin": origin,
                "proxy": None,
                "open_timeout": 60,
                "close_timeout": 2,
                "ping_interval": None,
                "max_size": None,
                **options,
            },
        )
        self._open = contextlib.ExitStack()
        self.wire = self._open.enter_context(opening)
        try:
            self.hello = self.until("hello") if hello else {}
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        self._open.close()

    def say(self, kind: str, **fields: Any) -> None:
        self.wire.send(json.dumps({"type": kind, **fields}))

    def ask(self, kind: str, **fields: Any) -> Frame:
        """Send a frame with a `ref` and return what answers it: an ack or an error.

        What came before the answer is still there for `until`: a turn's end may overtake the ack of a stop.
        """
        ref = f"r{next(_refs)}"
        self.say(kind, **fields, ref=ref)
        looked_at, end = self._next, time.monotonic() + WITHIN
        while True:
            for number in range(looked_at, len(self.frames)):
                if self.frames[number].get("ref") == ref:
                    return self.frames[number]
            looked_at = len(self.frames)
            self._read(end)

    def until(self, wanted: str | Callable[[Frame], bool], *, within: float = WITHIN) -> Frame:
        """Return the next frame of a type, or for which a condition holds. Raises AssertionError after `within`."""
        holds = (lambda frame: frame["type"] == wanted) if isinstance(wanted, str) else wanted
        end = time.monotonic() + within
        while True:
            while self._next < len(self.frames):
                frame = self.frames[self._next]
                self._next += 1
                if holds(frame):
                    return frame
            self._read(end)

    def _read(self, end: float) -> None:
        seen = [frame["type"] for frame in self.frames[-20:]]
        try:
            text = self.wire.recv(max(0.0, end - time.monotonic()))
        except TimeoutError:
            raise AssertionError(f"the frame did not come; the last ones were {seen}") from None
        self.frames.append(json.loads(text))

    def done(self, turn_id: str | None = None, *, within: float = WITHIN) -> Frame:
        """Return the next `done` (of a turn)."""
        return self.until(
            lambda frame: frame["type"] == "done" and turn_id in {None, frame["turnId"]},
            within=within,
        )

    def closed(self, *, within: float = WITHIN) -> int:
        """Read until the server closes and return its code; 1006 when it just went."""
        end = time.monotonic() + within
        try:
            while True:
                self._read(end)
        except ConnectionClosed as error:
            return error.rcvd.code if error.rcvd else 1006

    def events(self, turn_id: str) -> list[Frame]:
        """Return the turn's events that have come so far."""
        return [frame for frame in self.frames if "seq" in frame and frame["turnId"] == turn_id]
