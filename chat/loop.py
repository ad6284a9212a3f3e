"""One turn as a generator over lists: it says what to do next and is told what came of it.

No socket, no table, no provider, no clock: `converse` yields a Step, its driver (`chat.segment`) does it and sends
back the outcome. The rules are tool-loop.md part C.
"""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from chat.llm.base import ModelFailed, Reply
from chat.steps import (
    CUT_OFF,
    PAUSED_TOO_OFTEN,
    REFUSED,
    TOO_MANY_ROUNDS,
    UNKNOWN_END,
    WINDOW_FULL,
    Ask,
    Block,
    Cut,
    End,
    Keep,
    Limits,
    Message,
    Problem,
    Stage,
    Unbind,
    Void,
    Wait,
    halt_of,
)
from history.messages import heal, merge_neighbours, strip_thinking

CALL_ID = re.compile(r"[a-zA-Z0-9_-]{1,100}")
MAX_PAUSES = 8
MAX_RETRIES = 2
LONGEST_WAIT = 60.0
BACKOFF = (1.0, 4.0)
WORTH_WAITING = 15.0
"""Seconds after which a person may try again where the provider names none."""
ANSWERED = {"end_turn", "stop_sequence", "tool_use"}


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
            return (yield from _stopped(state, outcome))
        if isinstance(outcome, ModelFailed):
            ended = yield from _failed(state, outcome)
            if ended is not None:
                return ended
        elif outcome.stop_reason == "max_tokens" and not state.doubled:
            state.doubled = True
            yield Void()
        else:
            return outcome  # type: ignore[no-any-return]  # the driver's answer to Ask


def _stopped(state: _State, cut: Cut) -> Stage[End]:
    """Keep what may be kept; a call that followed thinking without its signature could not be sent again (T90)."""
    unsigned = any(_is_unsigned(block) for block in cut.content)
    content = _without_calls(keepable(cut.content), reason="stopped" if unsigned else "tool_use")
    if content:
        yield _told_apart(state.messages, content, {})
    return End(stop_reason="stopped")


def _failed(state: _State, failure: ModelFailed) -> Stage[End | None]:
    """Return None when the request may be tried again, after the wait it needs."""
    if failure.kind in {"invalid", "binding"} and not state.unbound and _thinks(state.messages):
        state.unbound, state.thinking_from = True, len(state.messages)
        yield Void()
        yield Unbind(state.thinking_from)
        return None
    wait = _wait_for(state, failure)
    if wait is None:
        yield Void()
        return End(stop_reason="failed", problem=_problem(failure))
    yield Void(failure.code, wait)
    state.retries += 1
    state.rounds -= 1
    stopped = yield Wait(wait)
    return End(stop_reason="stopped") if stopped else None


def _problem(failure: ModelFailed) -> Problem:
    """Return the fault in words. Where too much was asked at once, they name the seconds worth waiting."""
    if failure.kind != "rate_limited" and failure.code != "overloaded":
        return Problem(code=failure.code, message=failure.message, retryable=failure.retryable)
    wait = math.ceil(failure.retry_after or WORTH_WAITING)
    return Problem(
        code=failure.code,
        message=f"{failure.message} Try again in {wait} seconds.",
        retryable=failure.retryable,
        retry_after=wait,
    )


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
    left = [block for block in content if block.get("type") != "tool_use"]
    return left if reason == "pause_turn" else keepable(left)


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
    if halted := halt_of(outcome):
        return halted
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
    content = _without_calls(reply.content, reason="pause_turn")
    if state.pauses > MAX_PAUSES or not content:
        return End(stop_reason="pause_turn", problem=PAUSED_TOO_OFTEN)
    yield Keep(content=content)
    state.messages.append({"role": "assistant", "content": content})
    return None


def _cut_off(reply: Reply) -> Stage[End]:
    content = _without_calls(reply.content, reason=reply.stop_reason)
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
    return _is_unsigned(block)


def _is_unsigned(block: Block) -> bool:
    return block.get("type") == "thinking" and not block.get("signature")
