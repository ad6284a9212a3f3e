"""The moment a segment's messages join the conversation: one transaction with its last events and `done`.

What is heavy (reading, joining, serialising, hashing) is done before the transaction; the fence and the tombstone
are judged inside it (turns.md 16).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db import transaction

from chat import events, lease, material, pictures, spending
from chat.context import added
from chat.failpoints import hit
from chat.journal import LeaseLost, packed
from chat.models import ToolCall, Turn, TurnEvent, TurnMessage
from chat.tape import Entry
from history import store
from history.models import Conversation, SyncState

State = ToolCall.State
Status = Turn.Status

FINAL = {
    "held": Status.HELD,
    "stopped": Status.STOPPED,
    "failed": Status.FAILED,
    "interrupted": Status.INTERRUPTED,
}
"""Statuses by stop reason; every other reason is a turn that is done."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """How a segment ends. `unkept` are its events that no flush has written; `last_seq` the last one's number."""

    stop_reason: str
    error: str = ""
    unkept: Sequence[Entry] = ()
    last_seq: int
    rounds: int = 0
    usage: dict[str, int] = field(default_factory=dict)
    thinking_from: int | None = None
    keep_list: bool = False

    @property
    def held(self) -> bool:
        return self.stop_reason == "held"


@dataclass(frozen=True, slots=True)
class Settled:
    """The segment is settled; `done` is its last event, `status` the turn's."""

    done: Entry
    status: str


class NotYet(Exception):
    """A decision or a stop came in before a hold was settled: the segment goes on."""


def settle(turn: Turn, ending: Ending, *, prefix: Sequence[dict[str, Any]], now: int) -> Settled:
    """Write a segment's end. Raises LeaseLost, and NotYet where a hold has been decided or stopped meanwhile."""
    own = material.own_messages(turn)
    whole = [*prefix, *own]
    base = len(prefix)
    prepared = store.prepare(turn.owner_id, whole)
    with transaction.atomic():
        state = store.locked(turn.owner_id)
        row = locked_turn(turn)
        if ending.held:
            _refuse_overtaken(row)
        conversation = Conversation.objects.live().filter(pk=row.conversation_id).first()
        if conversation is None:
            raise LeaseLost
        version = _append(state, conversation, row=row, ending=ending, prepared=prepared, now=now)
        return finish(
            row, ending, conversation_id=conversation.cid, version=version, base=base, now=now
        )


def locked_turn(turn: Turn) -> Turn:
    """Return the turn's row, locked, if this process still holds it. Raises LeaseLost."""
    held = Turn.objects.held_under(lease=lease.BOOT, fence=turn.fence).filter(pk=turn.pk)
    row = held.select_for_update().first()
    if row is None:
        raise LeaseLost
    return row


def _refuse_overtaken(row: Turn) -> None:
    """Under the lock: an approved call that has not begun, or a stop, means that the segment goes on (12, 13)."""
    calls = ToolCall.objects.filter(turn=row)
    if row.stop or calls.filter(state=State.APPROVED).exists():
        raise NotYet
    if (
        not calls.filter(state=State.PENDING).exists()
        or calls.filter(announced=False, decided_at__gt=0).exists()
    ):
        raise NotYet


def _append(
    state: SyncState,
    conversation: Conversation,
    *,
    row: Turn,
    ending: Ending,
    prepared: store.Prepared,
    now: int,
) -> int:
    """Write the list, or only the end of the turn where the list stays as it was (rule 18); return the version."""
    live = (row.turn_id, "held") if ending.held else None
    if ending.keep_list:
        store.set_live(state, conversation, turn_id=None, status=None)
        return conversation.version
    written = store.append_turn(
        state,
        conversation,
        messages=prepared,
        agent_id=row.agent_id,
        title_if_empty="",
        now=now,
        live=live,
    )
    if ending.held:
        pictures.attach_waiting(written, row)
    if ending.thinking_from is not None:
        store.unbind(written, thinking_from=ending.thinking_from)
    return written.version


def finish(
    row: Turn, ending: Ending, *, conversation_id: str, version: int, base: int, now: int
) -> Settled:
    """Write `done` and the turn's own end; the caller is in the settle's transaction."""
    usage = added(row.usage, ending.usage)
    spending.settle(row, usage=usage, now=now)
    waiting = ToolCall.objects.filter(turn=row, state=State.PENDING).order_by(
        "message_n", "position"
    )
    done = events.Done(
        done=not ending.held,
        pending=list(waiting.values_list("call_id", flat=True)) if ending.held else [],
        stop_reason=ending.stop_reason,
        version=version,
        usage=usage,
    )
    seq = ending.last_seq + 1
    line = events.dump(done, turn_id=row.turn_id, seq=seq, conversation_id=conversation_id)
    entry = Entry(seq, done.type, line)
    TurnEvent.objects.create(turn=row, last_seq=seq, events=packed([*ending.unkept, entry]))
    _close_row(row, ending, seq=seq, base=base, usage=usage, version=version, now=now)
    hit("settle.written")
    return Settled(entry, FINAL.get(ending.stop_reason, Status.DONE))


def _close_row(
    row: Turn, ending: Ending, *, seq: int, base: int, usage: dict[str, int], version: int, now: int
) -> None:
    Turn.objects.filter(pk=row.pk).update(
        status=FINAL.get(ending.stop_reason, Status.DONE),
        base=base,
        last_seq=seq,
        stop_reason=ending.stop_reason,
        error=ending.error,
        usage=usage,
        version=version,
        rounds=row.rounds + ending.rounds,
        lease_owner="",
        lease_until=None,
        ended_at=now,
    )
    if not ending.held:
        TurnMessage.objects.filter(turn=row).delete()
        # The conversation has the results now; the row stays as the audit of what ran.
        ToolCall.objects.filter(turn=row).exclude(result=None).update(result=None)


def numbered(
    made: Sequence[events.Event], *, turn: Turn, conversation_id: str, after: int
) -> list[Entry]:
    """Return events as entries that follow number `after`."""
    return [
        Entry(
            seq,
            event.type,
            events.dump(event, turn_id=turn.turn_id, seq=seq, conversation_id=conversation_id),
        )
        for seq, event in enumerate(made, after + 1)
    ]
