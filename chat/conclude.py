"""Ending a turn that nobody runs: after a crash, a stop on a hold, or when held calls expired.

What will be written is planned from the rows without a lock, the heavy part included; then one transaction makes sure
that nothing moved meanwhile, claims the turn, answers its open calls truthfully, writes the events and settles. If a
call still waits for a person afterwards, the turn is held again (turns.md 10, 13, 15, 16).
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.models import Max

from chat import events, lease, material
from chat.answers import answer_event, decision_event, is_open
from chat.closing import STOP, Closing
from chat.models import ToolCall, Turn, TurnEvent, TurnMessage
from chat.settle import Ending, account, append, finish, numbered
from chat.steps import INTERRUPTED
from history import store
from history.blobs import image_url
from history.errors import Deleted

State = ToolCall.State


class _Moved(Exception):
    """Something was written between the plan and its transaction: it is planned again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Plan:
    """What will be written, and the `position` of the rows it was made from."""

    position: object
    left: int
    crashed: bool
    decided: list[ToolCall]
    answered: list[ToolCall]
    partial: TurnMessage | None
    made: list[events.Event]
    base: int
    held: bool
    stop_reason: str
    keep_list: bool
    prepared: store.Prepared


def conclude(turn_pk: int, closing: Closing, *, now: int) -> bool:
    """Settle a turn that `closing` is for; return whether this call did it."""
    while True:
        turn = closing.turns().filter(pk=turn_pk).select_related("conversation").first()
        if turn is None:
            return False
        plan = _planned(turn, STOP if turn.stop else closing)
        try:
            return _written(turn, plan, closing=closing, now=now)
        except _Moved:
            continue


def _position(turn: Turn) -> object:
    """Return what tells whether anything of the turn was written since."""
    row = Turn.objects.filter(pk=turn.pk).values_list(
        "fence", "status", "stop", "conversation__version"
    )
    calls = ToolCall.objects.filter(turn=turn).order_by("pk")
    return (
        row.get(),
        list(calls.values_list("pk", "state", "announced", "told")),
        TurnMessage.objects.filter(turn=turn).count(),
        _kept(turn),
    )


def _kept(turn: Turn) -> int:
    last: int | None = TurnEvent.objects.filter(turn=turn).aggregate(last=Max("last_seq"))["last"]
    return last or turn.last_seq


def _planned(turn: Turn, closing: Closing) -> _Plan:
    position, left = _position(turn), _kept(turn)
    crashed = turn.status == Turn.Status.RUNNING
    messages = list(TurnMessage.objects.filter(turn=turn).order_by("n"))
    partial = _partial(turn, n=messages[-1].n + 1) if crashed else None
    rows = ToolCall.objects.filter(turn=turn).select_related("decided_by")
    calls = list(rows.order_by("message_n", "position"))
    decided = [call for call in calls if call.decided_at and not call.announced]
    made: list[events.Event] = [
        decision_event(call) for call in sorted(decided, key=lambda call: call.decided_at or 0)
    ]
    answered = _answered(calls, closing, now=lease.database_ms(turn.pk))
    picture = image_url(turn.conversation.cid)
    made += [answer_event(call, picture=picture) for call in answered]
    if crashed and closing.stop_reason == "interrupted":
        made.append(events.failure(INTERRUPTED))
    own = material.joined([*messages, *([partial] if partial else [])], calls, mark=turn.mark)
    prefix = material.prefix_of(turn).messages
    held = any(call.state == State.PENDING for call in calls)
    return _Plan(
        position=position,
        left=left,
        crashed=crashed,
        decided=decided,
        answered=answered,
        partial=partial,
        made=made,
        base=len(prefix),
        held=held,
        stop_reason="held" if held else closing.stop_reason,
        keep_list=material.leaves_the_list(turn, own),
        prepared=store.prepare(turn.owner_id, [*prefix, *own]),
    )


def _partial(turn: Turn, *, n: int) -> TurnMessage | None:
    """Return the text that was journaled after the last finished message; what a reset voided does not count."""
    text = partial_text(_events_after(turn, turn.msg_seq))
    if not text.strip():
        return None
    payload = {"role": "assistant", "content": [{"type": "text", "text": text}]}
    return TurnMessage(turn=turn, n=n, payload=payload)


def _events_after(turn: Turn, seq: int) -> list[dict[str, Any]]:
    rows = TurnEvent.objects.filter(turn=turn, last_seq__gt=seq).order_by("last_seq")
    made = [event for row in rows for event in json.loads(row.events)]
    return [event for event in made if event["seq"] > seq]


def partial_text(made: Sequence[dict[str, Any]]) -> str:
    """Return the text shown after the last `reset`. Pure."""
    text = ""
    for event in made:
        if event["type"] == "reset":
            text = ""
        elif event["type"] == "text_delta":
            text += event["text"]
    return text


def _answered(calls: Sequence[ToolCall], closing: Closing, *, now: int) -> list[ToolCall]:
    """Give open calls the state they end in; return all whose answer nobody told yet."""
    answered = []
    for call in calls:
        state = closing.close(call, now) if is_open(call) else State(call.state)
        if call.told or state is None:
            continue
        if is_open(call):
            call.state, call.ok = state, False
        answered.append(call)
    return answered


def _written(turn: Turn, plan: _Plan, *, closing: Closing, now: int) -> bool:
    with transaction.atomic():
        state = store.locked(turn.owner_id)
        row = closing.turns().filter(pk=turn.pk).select_for_update().first()
        if row is None:
            return False
        if _position(row) != plan.position:
            raise _Moved
        fence = lease.take(row)
        assert fence is not None, "the row is locked"
        row.fence = fence
        _write_calls(plan, now=now)
        if plan.crashed:
            Turn.objects.filter(pk=row.pk).update(left=plan.left)
        if plan.partial:
            plan.partial.save(force_insert=True)
        _settle(state, row, plan=plan, now=now)
    return True


def _write_calls(plan: _Plan, *, now: int) -> None:
    rows = ToolCall.objects
    rows.filter(pk__in=[call.pk for call in plan.decided]).update(announced=True)
    for call in plan.answered:
        rows.filter(pk=call.pk).update(state=call.state, ok=call.ok, ended_at=now, told=True)


def _settle(state: store.SyncState, row: Turn, *, plan: _Plan, now: int) -> None:
    conversation = row.conversation
    if conversation.is_deleted:
        raise Deleted(version=conversation.version, deletedAt=conversation.deleted_at)
    entries = numbered(plan.made, turn=row, conversation_id=conversation.cid, after=plan.left)
    ending = Ending(
        stop_reason=plan.stop_reason,
        problem=INTERRUPTED if plan.crashed and plan.stop_reason == "interrupted" else None,
        unkept=entries,
        last_seq=plan.left + len(entries),
        keep_list=plan.keep_list,
    )
    told = account(row, ending, base=plan.base, now=now)
    written = append(state, conversation, row=row, ending=ending, prepared=plan.prepared, told=told)
    finish(row, ending, told, conversation=written)
