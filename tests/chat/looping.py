"""Driving the loop in tests: what it says is written down, what it is told comes from a list."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from chat.llm.base import FailureKind, ModelFailed, Reply
from chat.loop import converse
from chat.steps import Ask, End, Limits, Step
from history.messages import check
from tests.support.notation import T, U

LIMITS = Limits(rounds=10, max_tokens=1000)
HELLO = [U(T("open V1"))]
WAITED, STOPPED = False, True
"""What the loop is told after a Wait."""


@dataclass
class Heard:
    """How a turn went: every step, and its end."""

    steps: list[Step] = field(default_factory=list)
    end: End | None = None

    @property
    def asked(self) -> list[Ask]:
        return [step for step in self.steps if isinstance(step, Ask)]

    @property
    def kinds(self) -> list[str]:
        return [type(step).__name__ for step in self.steps]

    def of(self, kind: type) -> Any:
        """Return the only step of this kind."""
        (step,) = [step for step in self.steps if isinstance(step, kind)]
        return step

    @property
    def reason(self) -> str:
        assert self.end is not None
        return self.end.stop_reason

    @property
    def code(self) -> str | None:
        assert self.end is not None
        return self.end.problem.code if self.end.problem else None


def play(
    *outcomes: Any, messages: Sequence[dict[str, Any]] = HELLO, limits: Limits = LIMITS, **more: Any
) -> Heard:
    """Run a turn. Steps that tell nothing back (Void, Unbind) use up no outcome; every request must be sendable."""
    heard = Heard()
    left = list(outcomes)
    turn = converse(list(messages), limits=limits, **more)
    told: Any = None
    while True:
        try:
            step = turn.send(told)
        except StopIteration as ended:
            heard.end = ended.value
            assert left == [], "the turn ended before all was told"
            return heard
        heard.steps.append(step)
        if isinstance(step, Ask):
            assert check(step.messages) == []
        told = left.pop(0) if type(step).__name__ in {"Ask", "Keep", "Wait"} else None


def reply(*blocks: dict[str, Any], stop: str = "", **unreadable: str) -> Reply:
    used = any(block["type"] == "tool_use" for block in blocks)
    return Reply(
        content=list(blocks),
        stop_reason=stop or ("tool_use" if used else "end_turn"),
        usage={},
        unreadable=unreadable,
        request_id=None,
    )


def failure(kind: FailureKind, *, retry_after: float | None = None) -> ModelFailed:
    return ModelFailed("It did not work.", kind=kind, code=f"code_{kind}", retry_after=retry_after)
