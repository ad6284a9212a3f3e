"""How long the model thought: one span for each run of thinking, told as it ends and kept with its message."""

import time
from collections.abc import Sequence
from typing import Any

from chat.tape import Tape


class Thinking:
    """The runs of the message that is being written; `keep` hands over those that are stored with it."""

    def __init__(self, tape: Tape) -> None:
        self._tape = tape
        self._began: float | None = None
        self._spans: list[int] = []

    def hear(self, kind: str) -> None:
        """A delta of this kind is about to be shown."""
        if kind != "thinking":
            self.end()
        elif self._began is None:
            self._began = time.monotonic()

    def end(self) -> None:
        """No more thinking for now. Idempotent."""
        if self._began is None:
            return
        span = round((time.monotonic() - self._began) * 1000)
        self._began = None
        self._spans.append(span)
        self._tape.thought(span)

    def void(self) -> None:
        """What was shown of the message does not count."""
        self._began, self._spans = None, []

    def keep(self, content: Sequence[dict[str, Any]]) -> list[int]:
        """Return the spans of the runs that are stored; a run that was cut short may not be among them."""
        spans, self._spans = self._spans, []
        return spans[: runs(content)]


def runs(content: Sequence[dict[str, Any]]) -> int:
    """Return how many runs of thinking a person sees in a message. Pure."""
    count, inside = 0, False
    for block in content:
        if block.get("type") == "thinking" and block.get("thinking"):
            count += not inside
            inside = True
        elif block.get("type") == "tool_use" or block.get("text"):
            inside = False
    return count
