"""Joining deltas of a model that speaks faster than fifty times a second (turns.md 1)."""

import asyncio
from collections.abc import Callable

PER_SECOND = 50
JOIN_FOR = 0.02


class Pace:
    """Passes deltas on as they come; above PER_SECOND it joins those of one kind for JOIN_FOR seconds, before they
    are numbered."""

    def __init__(self, say: Callable[[str, str], None]) -> None:
        self._say = say
        self._loop = asyncio.get_running_loop()
        self._window, self._count = self._loop.time(), 0
        self._kind, self._held = "", ""
        self._timer: asyncio.TimerHandle | None = None

    def say(self, kind: str, text: str) -> None:
        if not text:
            return
        if self._held:
            if kind == self._kind:
                self._held += text
                return
            self.flush()
        if self._fast():
            self._kind, self._held = kind, text
            self._timer = self._loop.call_later(JOIN_FOR, self.flush)
        else:
            self._say(kind, text)

    def flush(self) -> None:
        """Pass on what is held."""
        if self._timer:
            self._timer.cancel()
            self._timer = None
        held, self._held = self._held, ""
        if held:
            self._say(self._kind, held)

    def _fast(self) -> bool:
        now = self._loop.time()
        if now - self._window >= 1.0:
            self._window, self._count = now, 0
        self._count += 1
        return self._count > PER_SECOND
