"""Every event of contract section 7 as a frozen dataclass; `dump` is the only way out."""

import json
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any, ClassVar

from chat.steps import Problem


def wire_name(name: str) -> str:
    """Return a field's name on the wire: `call_id` is `callId`."""
    head, *tail = name.split("_")
    return head + "".join(part.capitalize() for part in tail)


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One thing that happened in a turn. Its number is given when it is appended to the journal, and never again."""

    type: ClassVar[str]
    about_conversation: ClassVar[bool] = True

    def wire(self) -> dict[str, Any]:
        return {wire_name(f.name): getattr(self, f.name) for f in fields(self)}


@dataclass(frozen=True, slots=True, kw_only=True)
class UserText(Event):
    type = "user_text"
    text: str
    images: list[dict[str, Any] | None]
    at: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Reset(Event):
    """`code` says what failed and `retry_in` after how many seconds it is tried again; null where nothing is waited for."""

    type = "reset"
    code: str | None = None
    retry_in: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCalled(Event):
    type = "tool_call"
    call_id: str
    tool: str
    args: Any
    agent_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Held(Event):
    type = "pending"
    call_id: str
    tool: str
    args: Any
    agent_id: str
    digest: str
    expires_at: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision(Event):
    type = "decided"
    call_id: str
    approve: bool
    by: str
    at: int
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolResult(Event):
    type = "tool_result"
    call_id: str
    tool: str
    args: Any
    ok: bool
    auto_run: bool
    text: str
    images: list[dict[str, Any] | None]
    error: str | None
    ms: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Denied(Event):
    type = "denied"
    call_id: str
    tool: str
    args: Any
    agent_id: str
    code: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed(Event):
    type = "error"
    code: str
    message: str
    retryable: bool
    retry_after: int | None = None


def failure(problem: Problem) -> Failed:
    return Failed(
        code=problem.code,
        message=problem.message,
        retryable=problem.retryable,
        retry_after=problem.retry_after,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Done(Event):
    type = "done"
    done: bool
    pending: list[str]
    stop_reason: str
    version: int
    usage: dict[str, int]
    model: str
    cost: int
    spent: dict[str, int]
    at: int


def dump(event: Event, *, turn_id: str, seq: int, conversation_id: str) -> str:
    """Return the event as one line of JSON."""
    body = {
        "type": event.type,
        "turnId": turn_id,
        "seq": seq,
        "conversationId": conversation_id,
        **event.wire(),
    }
    return json.dumps(body, ensure_ascii=False, separators=(",", ":"))


def delta_dumper(*, kind: str, turn_id: str) -> Callable[[int, str], str]:
    """Return a function (seq, text) -> JSON line for one kind of delta.

    Deltas are nearly all of a turn's events and carry nothing but text (rule 21), so what never changes is made once.
    """
    head = f'{{"type":"{kind}","turnId":{json.dumps(turn_id)},"seq":'
    encode = json.encoder.encode_basestring

    def line(seq: int, text: str) -> str:
        return f'{head}{seq},"text":{encode(text)}}}'

    return line


def thought(*, turn_id: str, seq: int, ms: int) -> str:
    """Return the delta that ends a run of thinking: no more text, and how long it took."""
    body = {"type": "thinking_delta", "turnId": turn_id, "seq": seq, "text": "", "ms": ms}
    return json.dumps(body, ensure_ascii=False, separators=(",", ":"))
