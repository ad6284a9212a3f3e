"""Ending a turn that nobody runs: after a crash, a stop on a hold, or when held calls expired.

One transaction claims it, answers its open calls truthfully, writes the events and settles. If a call still waits for
a person afterwards, the turn is held again (turns.md 10, 13, 15).
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.models import Max

from chat import events, lease, material
from chat.answers import answer_event
from chat.models import ToolCall, Turn, TurnEvent, TurnMessage
from chat.settle import Closing, Ending, answer_open, finish, numbered
from history import store
from history.blobs import image_url
from history.errors import Deleted
from history.models import Conversation

State = ToolCall.State

INTERRUPTED = events.Failed(
    code="interrupted",
    message="The server was restarted while Claude was answering. What had arrived is kept.",
    retryable=True,
)


def after_crash(call: ToolCall) -> State | None:
    """A call that had begun is never run again by itself; an approval that was not used is void (contract 7, rule 3)."""
    if call.state == State.RUNNING:
        return State.UNKNOWN
    return None if call.state == State.PENDING else State.STOPPED


def after_stop(call: ToolCall) -> State | None:
    return State.UNKNOWN if call.state == State.RUNNING else State.STOPPED


@dataclass(frozen=True, slots=True)
class Overdue:
    """Answers held calls whose time to decide is over; the others go on waiting."""

    now: int

    def __call__(self, call: ToolCall) -> State | None:
        overdue = (
            call.state == State.PENDING
            and call.expires_at is not None
            and call.expires_at <= self.now
        )
        return State.EXPIRED if overdue else None


CRASH = Closing(stop_reason="interrupted", close=after_crash)
STOP = Closing(stop_reason="stopped", close=after_stop)


def expiry(now: int) -> Closing:
    return Closing(stop_reason="expired", close=Overdue(now))


def conclude(turn_pk: int, closing: Closing, *, now: int) -> bool:
    """Settle a turn that is held or whose lease is over; return whether this call did it.

    The caller has made sure that no process runs the turn: the claim below is guarded by its fence.
    """
    with transaction.atomic():
        owner_id = Turn.objects.values_list("owner_id", flat=True).get(pk=turn_pk)
        state = store.locked(owner_id)
        turn = (
            Turn.objects.live()
            .select_for_update()
            .select_related("conversation")
            .filter(pk=turn_pk)
            .first()
        )
        if turn is None:
            return False
        if turn.stop:
            closing = STOP
        fence = lease.take(turn)
        assert fence is not None, "the row is locked"
        turn.fence, crashed = fence, turn.status == Turn.Status.RUNNING
        left = _kept(turn)
        if crashed:
            _save_partial(turn, left=left)
        _settle(state, turn, closing=closing, crashed=crashed, left=left, now=now)
    return True


def _kept(turn: Turn) -> int:
    return (
        TurnEvent.objects.filter(turn=turn).aggregate(last=Max("last_seq"))["last"] or turn.last_seq
    )


def _save_partial(turn: Turn, *, left: int) -> None:
    """Keep the text that was journaled after the last finished message; what a reset voided does not count."""
    Turn.objects.filter(pk=turn.pk).update(left=left)
    text = partial_text(_events_after(turn, turn.msg_seq))
    if text.strip():
        newest = TurnMessage.objects.filter(turn=turn).aggregate(n=Max("n"))["n"]
        payload = {"role": "assistant", "content": [{"type": "text", "text": text}]}
        TurnMessage.objects.create(turn=turn, n=newest + 1, payload=payload)


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


def _settle(
    state: store.SyncState, turn: Turn, *, closing: Closing, crashed: bool, left: int, now: int
) -> None:
    conversation = turn.conversation
    if conversation.is_deleted:
        raise Deleted(version=conversation.version, deletedAt=conversation.deleted_at)
    described = image_url(conversation.cid)
    unannounced = _decisions(turn)
    answered = answer_open(turn, closing, now=now)
    made: list[events.Event] = [
        *unannounced,
        *(answer_event(call, picture=described) for call in answered),
    ]
    if crashed and closing.stop_reason == "interrupted":
        made.append(INTERRUPTED)
    entries = numbered(made, turn=turn, conversation_id=conversation.cid, after=left)
    held = ToolCall.objects.filter(turn=turn, state=State.PENDING).exists()
    loaded = material.load(turn)
    written = store.append_turn(
        state,
        conversation,
        messages=store.prepare(turn.owner_id, [*loaded.prefix, *loaded.own]),
        agent_id=turn.agent_id,
        title_if_empty="",
        now=now,
        live=(turn.turn_id, "held") if held else None,
    )
    ending = Ending(
        stop_reason="held" if held else closing.stop_reason,
        error="interrupted" if crashed else "",
        unkept=entries,
        last_seq=left + len(entries),
    )
    finish(
        turn,
        ending,
        conversation_id=conversation.cid,
        version=written.version,
        base=len(loaded.prefix),
        now=now,
    )


def _decisions(turn: Turn) -> list[events.Event]:
    """Return the decisions that were written down and that nobody told yet."""
    calls = (
        ToolCall.objects.filter(turn=turn, announced=False)
        .exclude(decided_at=None)
        .select_related("decided_by")
    )
    made: list[events.Event] = [decision_event(call) for call in calls.order_by("decided_at")]
    calls.update(announced=True)
    return made


def decision_event(call: ToolCall) -> events.Decision:
    return events.Decision(
        call_id=call.call_id,
        approve=call.state != State.DENIED,
        by=call.decided_by.get_username() if call.decided_by else "",
        at=call.decided_at or 0,
    )


def overdue(now: int) -> list[int]:
    """Return the held turns with a call whose time to decide is over."""
    calls = ToolCall.objects.filter(
        state=State.PENDING, expires_at__lte=now, turn__status=Turn.Status.HELD
    )
    return list(calls.values_list("turn_id", flat=True).distinct())


def dropped(now_running: set[int], *, every: bool) -> list[int]:
    """Return the turns that no process runs: those with a lease that is over, or (`every`) all that run elsewhere.

    `every` is for a start on SQLite, where a lock file says that there is no other process (turns.md 9).
    """
    running = Turn.objects.running().exclude(pk__in=now_running)
    lost = running if every else running.filter(lease_until__lt=lease.now())
    return list(lost.values_list("pk", flat=True))


__all__ = ["CRASH", "STOP", "Conversation", "conclude", "dropped", "expiry", "overdue"]
