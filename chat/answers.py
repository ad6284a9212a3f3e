"""What a call came to, said twice: to the model as a tool_result block, to the person as an event. Pure."""

from collections.abc import Callable, Iterable
from typing import Any

from chat.events import Decision, Denied, Event, Held, ToolCalled, ToolResult
from chat.models import ToolCall
from history import outcomes
from history.fence import fence

Block = dict[str, Any]
State = ToolCall.State

REFUSALS = {
    State.DENIED: ("denied", outcomes.DENIED),
    State.EXPIRED: ("expired", outcomes.EXPIRED),
    State.REPEATED: ("repeated", outcomes.REPEATED),
    State.STOPPED: ("stopped", outcomes.STOPPED),
    State.FORBIDDEN: ("forbidden", outcomes.FORBIDDEN),
}
"""States of calls that somebody or something kept from running: the event's code, and what the model is told."""

UNSEEN = {State.UNKNOWN: outcomes.UNKNOWN, State.NOT_RUN: outcomes.NOT_RUN}
"""States of calls whose turn ended under them: what the model and the person are told."""


def result_block(call: ToolCall, *, mark: str) -> Block:
    """Return the tool_result of an answered call; output of a tool stands in a fence with the turn's mark."""
    block: Block = {"type": "tool_result", "tool_use_id": call.call_id}
    if call.state in REFUSALS:
        return block | {"content": refusal(call), "is_error": True}
    if call.state in UNSEEN:
        return block | {"content": UNSEEN[State(call.state)], "is_error": True}
    result = call.result or {}
    if not call.ok:
        return block | {"content": _told(call, result["error"], mark=mark), "is_error": True}
    return block | {"content": _content(call, result, mark=mark)}


def refusal(call: ToolCall) -> str:
    """Return what model and person are told of a call that was kept from running, with the reason a person gave."""
    said = REFUSALS[State(call.state)][1]
    if call.state != State.DENIED or not call.reason:
        return said
    return f"{said} {outcomes.REASON} {call.reason}"


def took(call: ToolCall) -> int | None:
    """Return how many ms a call ran; None for one that did not, or whose end was not seen."""
    if call.state not in {State.DONE, State.FAILED} or not call.started_at or not call.ended_at:
        return None
    return max(0, call.ended_at - call.started_at)


def _told(call: ToolCall, text: str, *, mark: str) -> str:
    """A call that never began is answered in kenny's own words, anything later may quote somebody else's."""
    return fence(text, mark=mark, source=call.tool) if call.started_at else text


def _content(call: ToolCall, result: dict[str, Any], *, mark: str) -> list[Block]:
    images = [{"type": "image", "source": image["source"]} for image in result.get("images", [])]
    text = result.get("text", "")
    if images and not text:
        return images
    return [
        {"type": "text", "text": fence(text or "(no output)", mark=mark, source=call.tool)},
        *images,
    ]


def answer_event(call: ToolCall, *, picture: Callable[[Block], dict[str, Any] | None]) -> Event:
    """Return the event that tells how an answered call ended. `picture` gives an image block's address and size."""
    if call.state in REFUSALS:
        code, _ = REFUSALS[State(call.state)]
        return Denied(
            call_id=call.call_id,
            tool=call.tool,
            args=call.args,
            agent_id=call.agent_id,
            code=code,
            message=refusal(call),
        )
    result = call.result or {}
    images = [
        picture({"type": "image", "source": image["source"]}) for image in result.get("images", [])
    ]
    error = UNSEEN.get(State(call.state)) or result.get("error")
    return ToolResult(
        call_id=call.call_id,
        tool=call.tool,
        args=call.args,
        ok=bool(call.ok),
        auto_run=call.auto_run,
        text=error or result.get("text", ""),
        images=images + [None] * result.get("unreadable_images", 0),
        error=error,
        ms=took(call),
    )


def called_event(call: ToolCall) -> ToolCalled:
    return ToolCalled(call_id=call.call_id, tool=call.tool, args=call.args, agent_id=call.agent_id)


def held_event(call: ToolCall) -> Held:
    return Held(
        call_id=call.call_id,
        tool=call.tool,
        args=call.args,
        agent_id=call.agent_id,
        digest=call.digest,
        expires_at=call.expires_at or 0,
    )


def decision_event(call: ToolCall) -> Decision:
    return Decision(
        call_id=call.call_id,
        approve=call.state != State.DENIED,
        by=call.decided_by.get_username() if call.decided_by else "",
        at=call.decided_at or 0,
        reason=call.reason or None,
    )


def is_open(call: ToolCall) -> bool:
    return call.state in ToolCall.OPEN


def results_message(calls: Iterable[ToolCall], *, mark: str) -> Block:
    """Return the one user message that answers all calls of an assistant message, in call order (rule 4)."""
    return {"role": "user", "content": [result_block(call, mark=mark) for call in calls]}
