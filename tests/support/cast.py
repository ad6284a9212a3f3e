"""Answers by what the person said, so that many conversations can share one upstream, through restarts too.

    cast.teach("write it", calls(use("write_file", path="a", content="b")), says("Done."))

The n-th model request after the person's words gets the n-th answer: the cast remembers nothing, it reads the request.
"""

import itertools
import threading
from typing import Any

from tests.support.answers import Answer, says

_numbers = itertools.count(1)


class Cast:
    """Give it to `Upstream(otherwise=…)`. Words nobody taught are answered "ok"."""

    def __init__(self) -> None:
        self._parts: dict[str, tuple[Answer, ...]] = {}
        self._lock = threading.Lock()

    def teach(self, words: str, *answers: Answer) -> str:
        """Return words like `words` that no other test uses, and that are answered in this order."""
        own = f"{words} ({next(_numbers)})"
        with self._lock:
            self._parts[own] = answers
        return own

    def __call__(self, body: dict[str, Any]) -> Answer:
        words, rounds = asked(body["messages"])
        with self._lock:
            answers = self._parts.get(words, ())
        return answers[rounds] if rounds < len(answers) else says("ok")


def asked(messages: list[dict[str, Any]]) -> tuple[str, int]:
    """Return the person's newest words and how many messages the model has answered them with."""
    answered = 0
    for message in reversed(messages):
        if message["role"] == "assistant":
            answered += 1
            continue
        content = message["content"]
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        spoken = [block["text"] for block in blocks if block["type"] == "text"]
        if spoken:
            return spoken[-1], answered
    return "", answered
