"""What the loop says and what it is told: the steps of a turn, their outcomes, and why a turn may end. Pure."""

from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

Message = dict[str, Any]
Block = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """`rounds` model requests a turn; `max_tokens` for a reply, doubled once when one is cut off."""

    rounds: int
    max_tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """Why a turn ended without an answer, in words for the person; `retry_after` are the seconds worth waiting."""

    code: str
    message: str
    retryable: bool
    retry_after: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """Send this list to the model. Outcome: Reply, ModelFailed, or Cut when the person stopped it."""

    messages: Sequence[Message]
    max_tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Cut:
    """A reply that a person cut short; `content` is what may be kept of it (rule B3)."""

    content: list[Block]


@dataclass(frozen=True, slots=True)
class Void:
    """What was shown since the last kept message does not count; `code` failed and is tried again in `seconds`."""

    code: str | None = None
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Wait:
    """Outcome: True when the person stopped the turn meanwhile."""

    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Keep:
    """Store this assistant message, then answer its calls.

    Outcome: the tool_result blocks in call order ([] without calls), or Held, Halted or GaveUp.
    """

    content: list[Block]
    unreadable: dict[str, str] = field(default_factory=dict)

    @property
    def calls(self) -> list[Block]:
        return [block for block in self.content if block.get("type") == "tool_use"]


@dataclass(frozen=True, slots=True)
class Held:
    """At least one call waits for a person."""


@dataclass(frozen=True, slots=True)
class Halted:
    """All calls are answered and the person stopped the turn."""


@dataclass(frozen=True, slots=True)
class GaveUp:
    """The model asked again and again for what a person had refused; all calls are answered."""


@dataclass(frozen=True, slots=True)
class Unbind:
    """From now on requests leave out the thinking of the first `upto` messages (rule B4); to be remembered."""

    upto: int


@dataclass(frozen=True, slots=True, kw_only=True)
class End:
    stop_reason: str
    problem: Problem | None = None


Step = Ask | Void | Wait | Keep | Unbind
T = TypeVar("T")
Stage = Generator[Step, Any, T]

TOO_MANY_ROUNDS = Problem(
    code="too_many_rounds",
    message="Claude has worked through as many steps as one message may take. Write “go on” to continue.",
    retryable=False,
)
CUT_OFF = Problem(
    code="max_tokens",
    message="The answer was cut off because it grew too long. Ask for it in smaller parts.",
    retryable=False,
)
WINDOW_FULL = Problem(
    code="context_full",
    message="This conversation has grown too long for the model. Go on in a new chat.",
    retryable=False,
)
REFUSED = Problem(
    code="refusal",
    message="Claude declined to answer this. Change the message and send it again.",
    retryable=False,
)
PAUSED_TOO_OFTEN = Problem(
    code="pause_turn", message="The model paused too many times without finishing.", retryable=True
)
REFUSED_TOO_OFTEN = Problem(
    code="denied",
    message="Claude kept asking for what you had refused, so this turn was ended.",
    retryable=False,
)
UNKNOWN_END = Problem(
    code="unknown_stop", message="The model ended in a way that is not known here.", retryable=True
)
INTERRUPTED = Problem(
    code="interrupted",
    message="The server was restarted while Claude was answering. What had arrived is kept.",
    retryable=True,
)
INTERNAL = Problem(
    code="internal",
    message="Something went wrong on the server. What had arrived is kept.",
    retryable=True,
)

UNSETTLED = Problem(
    code="internal",
    message="Something went wrong on the server, and this answer could not be kept.",
    retryable=True,
)


def halt_of(outcome: object) -> End | None:
    """Return how a turn ends when the calls of a message halted it, None when they are all answered."""
    match outcome:
        case Held():
            return End(stop_reason="held")
        case Halted():
            return End(stop_reason="stopped")
        case GaveUp():
            return End(stop_reason="denied", problem=REFUSED_TOO_OFTEN)
        case _:
            return None
