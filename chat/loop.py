"""One turn as a generator over lists: it says what to do next and is told what came of it.

No socket, no table, no provider, no clock: `converse` yields a Step, its driver (`chat.segment`) does it and sends
back the outcome. The rules are tool-loop.md part C.
"""

import re
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from chat.llm.base import ModelFailed, Reply
from history.messages import heal, merge_neighbours, strip_thinking

Message = dict[str, Any]
Block = dict[str, Any]

CALL_ID = re.compile(r"[a-zA-Z0-9_-]{1,100}")
MAX_PAUSES = 8
MAX_RETRIES = 2
LONGEST_WAIT = 60.0
BACKOFF = (1.0, 4.0)
ANSWERED = {"end_turn", "stop_sequence", "tool_use"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """`rounds` model requests a turn; `max_tokens` for a reply, doubled once when one is cut off."""

    rounds: int
    max_tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """Why a turn ended without an answer, in words for the person."""

    code: str
    message: str
    retryable: bool


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
    """What was shown since the last kept message does not count."""


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


@dataclass(slots=True)
class _State:
    messages: list[Message]
    limits: Limits
    rounds: int
    thinking_from: int
    retries: int = 0
    pauses: int = 0
    doubled: bool = False
    unbound: bool = False

    def sendable(self) -> Sequence[Message]:
        """Return the list as the API takes it: healed, thinking left out where it no longer binds, merged."""
        healed = heal(self.messages).messages
        return merge_neighbours(strip_thinking(healed, upto=self.thinking_from))

    @property
    def max_tokens(self) -> int:
        return self.limits.max_tokens * (2 if self.doubled else 1)


def converse(
    messages: Sequence[Message], *, limits: Limits, rounds: int = 0, thinking_from: int = 0
) -> Stage[End]:
    """Run a turn over `messages` (its own included, calls all answered); return how it ended.

    `rounds` counts the model requests that earlier segments of the turn made.
    """
    state = _State(list(messages), limits, rounds, thinking_from)
    while state.rounds < limits.rounds:
        heard = yield from _hear(state)
        if isinstance(heard, End):
            return heard
        ended = yield from _take(state, heard)
        if ended is not None:
            return ended
    return End(stop_reason="too_many_rounds", problem=TOO_MANY_ROUNDS)


def _hear(state: _State) -> Stage[Reply | End]:
    """Ask until a whole reply has come, within the bounds of retrying."""
    while True:
        state.rounds += 1
        outcome = yield Ask(messages=state.sendable(), max_tokens=state.max_tokens)
        if isinstance(outcome, Cut):
            return (yield from _stopped(outcome))
        if isinstance(outcome, ModelFailed):
            ended = yield from _failed(state, outcome)
            if ended is not None:
                return ended
        elif outcome.stop_reason == "max_tokens" and not state.doubled:
            state.doubled = True
            yield Void()
        else:
            return outcome  # type: ignore[no-any-return]  # the driver's answer to Ask


def _stopped(cut: Cut) -> Stage[End]:
    content = keepable(cut.content)
    if content:
        yield Keep(content=content)
    return End(stop_reason="stopped")


def _failed(state: _State, failure: ModelFailed) -> Stage[End | None]:
    """Return None when the request may be tried again, after the wait it needs."""
    yield Void()
    if failure.kind in {"invalid", "binding"} and not state.unbound and _thinks(state.messages):
        state.unbound, state.thinking_from = True, len(state.messages)
        yield Unbind(state.thinking_from)
        return None
    wait = _wait_for(state, failure)
    if wait is None:
        problem = Problem(code=failure.code, message=failure.message, retryable=failure.retryable)
        return End(stop_reason="failed", problem=problem)
    state.retries += 1
    state.rounds -= 1
    stopped = yield Wait(wait)
    return End(stop_reason="stopped") if stopped else None


def _wait_for(state: _State, failure: ModelFailed) -> float | None:
    """Return the seconds before the next try, None when there is none."""
    if (
        failure.kind not in {"transient", "unreachable", "rate_limited"}
        or state.retries >= MAX_RETRIES
    ):
        return None
    wait = max(BACKOFF[state.retries], failure.retry_after or 0.0)
    return wait if wait <= LONGEST_WAIT else None


def _thinks(messages: Sequence[Message]) -> bool:
    kinds = {"thinking", "redacted_thinking"}
    return any(block.get("type") in kinds for block in _blocks(messages))


def _blocks(messages: Sequence[Message]) -> Iterator[Block]:
    for message in messages:
        if isinstance(message["content"], list):
            yield from (block for block in message["content"] if isinstance(block, dict))


def _take(state: _State, reply: Reply) -> Stage[End | None]:
    """Store a reply and do what its stop_reason says; None means that the model is asked again."""
    reason = reply.stop_reason
    if reason == "refusal":
        yield Void()
        return End(stop_reason=reason, problem=REFUSED)
    if reason == "pause_turn":
        return (yield from _pause(state, reply))
    if reason not in ANSWERED:
        return (yield from _cut_off(reply))
    content = _without_calls(keepable(reply.content), reason=reason)
    return (yield from _answered(state, _told_apart(state.messages, content, reply.unreadable)))


def _without_calls(content: list[Block], *, reason: str) -> list[Block]:
    """Only stop_reason tool_use runs tools: a call that came with another reason was never finished."""
    if reason == "tool_use":
        return content
    return keepable([block for block in content if block.get("type") != "tool_use"])


def _told_apart(
    messages: Sequence[Message], content: list[Block], unreadable: dict[str, str]
) -> Keep:
    """Give a call a name of its own where the model's is no name or stands in the list already (rules 5, 23)."""
    taken = {block["id"] for block in _blocks(messages) if block.get("type") == "tool_use"}
    named, reasons = [], {}
    for position, block in enumerate(content):
        if block.get("type") == "tool_use":
            old = str(block["id"])
            new = old if CALL_ID.fullmatch(old) and old not in taken else ""
            new = new or _free(f"call_{len(messages)}_{position}", taken=taken)
            taken.add(new)
            if old in unreadable:
                reasons[new] = unreadable[old]
            named.append(block if new == old else {**block, "id": new})
        else:
            named.append(block)
    return Keep(content=named, unreadable=reasons)


def _free(name: str, *, taken: set[str]) -> str:
    while name in taken:
        name += "_"
    return name


def _answered(state: _State, keep: Keep) -> Stage[End | None]:
    if not keep.content:
        return End(stop_reason="end_turn")
    outcome = yield keep
    if isinstance(outcome, Held):
        return End(stop_reason="held")
    if isinstance(outcome, Halted):
        return End(stop_reason="stopped")
    if isinstance(outcome, GaveUp):
        return End(stop_reason="denied", problem=REFUSED_TOO_OFTEN)
    if not keep.calls:
        return End(stop_reason="end_turn")
    state.messages += [
        {"role": "assistant", "content": keep.content},
        {"role": "user", "content": outcome},
    ]
    state.doubled = False
    return None


def _pause(state: _State, reply: Reply) -> Stage[End | None]:
    state.pauses += 1
    if state.pauses > MAX_PAUSES or not reply.content:
        return End(stop_reason="pause_turn", problem=PAUSED_TOO_OFTEN)
    yield Keep(content=reply.content)
    state.messages.append({"role": "assistant", "content": reply.content})
    return None


def _cut_off(reply: Reply) -> Stage[End]:
    content = keepable([block for block in reply.content if block.get("type") != "tool_use"])
    if content:
        yield Keep(content=content)
    problem = {"max_tokens": CUT_OFF, "model_context_window_exceeded": WINDOW_FULL}.get(
        reply.stop_reason, UNKNOWN_END
    )
    return End(stop_reason=reply.stop_reason, problem=problem)


def keepable(content: list[Block]) -> list[Block]:
    """Return what of a reply may be stored: no empty text, no unsigned thinking, nothing when only thinking is left."""
    blocks = [block for block in content if not _empty(block)]
    return (
        blocks
        if any(block.get("type") not in {"thinking", "redacted_thinking"} for block in blocks)
        else []
    )


def _empty(block: Block) -> bool:
    if block.get("type") == "text":
        return not str(block.get("text", "")).strip()
    return block.get("type") == "thinking" and not block.get("signature")
