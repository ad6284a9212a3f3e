"""The moment a segment's messages join the conversation: one transaction with its last events and `done`.

What is heavy (reading, joining, serialising, hashing) is done before the transaction; the fence and the tombstone
are judged inside it (turns.md 16).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from django.db import transaction

from chat import accounted, events, lease, material, pictures, spending
from chat.accounted import Account
from chat.context import added
from chat.failpoints import hit
from chat.journal import LeaseLost, packed
from chat.models import ToolCall, Turn, TurnEvent, TurnMessage
from chat.steps import Problem
from chat.tape import Entry
from history import store
from history.facts import spent_of
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
    """How a segment ends. `unkept` are its events that no flush has written; `last_seq` the last one's number.

    `keep_list`: the stored list stays as it was. `keep_rows`: so do the rows of the turn's messages.
    """

    stop_reason: str
    problem: Problem | None = None
    unkept: Sequence[Entry] = ()
    last_seq: int
    rounds: int = 0
    usage: dict[str, int] = field(default_factory=dict)
    thinking_from: int | None = None
    keep_list: bool = False
    keep_rows: bool = False

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
    ending = replace(ending, keep_list=material.leaves_the_list(turn, own))
    prepared = store.prepare(turn.owner_id, whole)
    with transaction.atomic():
        state = store.locked(turn.owner_id)
        row = locked_turn(turn)
        if ending.held:
            _refuse_overtaken(row)
        conversation = Conversation.objects.live().filter(pk=row.conversation_id).first()
        if conversation is None:
            raise LeaseLost
        told = account(row, ending, base=base, now=now)
        written = append(state, conversation, row=row, ending=ending, prepared=prepared, told=told)
        return finish(row, ending, told, conversation=written)


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


def append(
    state: SyncState,
    conversation: Conversation,
    *,
    row: Turn,
    ending: Ending,
    prepared: store.Prepared,
    told: Account,
) -> Conversation:
    """Write the list, or only the end of the turn where the list stays as it was (rule 18); return the row."""
    live = (row.turn_id, "held") if ending.held else None
    if ending.keep_list:
        store.set_live(state, conversation, turn_id=None, status=None)
        return store.note_spent(conversation, told.news.spent)
    written = store.append_turn(
        state,
        conversation,
        messages=prepared,
        agent_id=row.agent_id,
        title_if_empty="",
        now=told.at,
        live=live,
        news=told.news,
    )
    if ending.held:
        pictures.attach_waiting(written, row)
    if ending.thinking_from is not None:
        store.unbind(written, thinking_from=ending.thinking_from)
    return written


def account(row: Turn, ending: Ending, *, base: int, now: int) -> Account:
    """Draw up what a settle tells of its turn."""
    usage = added(row.usage, ending.usage)
    asked = row.rounds + ending.rounds > 1 or ending.held
    return accounted.account(
        row,
        usage=usage,
        stop_reason=ending.stop_reason,
        problem=ending.problem,
        spans=accounted.spans(row) if asked else {},
        base=base,
        now=now,
    )


def finish(row: Turn, ending: Ending, told: Account, *, conversation: Conversation) -> Settled:
    """Write `done` and the turn's own end; the caller is in the settle's transaction."""
    spending.settle(row, usage=told.usage, now=told.at)
    waiting = ToolCall.objects.filter(turn=row, state=State.PENDING).order_by(
        "message_n", "position"
    )
    done = events.Done(
        done=not ending.held,
        pending=list(waiting.values_list("call_id", flat=True)) if ending.held else [],
        stop_reason=ending.stop_reason,
        version=conversation.version,
        model=row.model,
        usage=told.usage,
        cost=told.cost,
        spent=spent_of(conversation.facts),
        at=told.at,
    )
    seq = ending.last_seq + 1
    line = events.dump(done, turn_id=row.turn_id, seq=seq, conversation_id=conversation.cid)
    entry = Entry(seq, done.type, line)
    TurnEvent.objects.create(turn=row, last_seq=seq, events=packed([*ending.unkept, entry]))
    _close_row(row, ending, told, seq=seq, version=conversation.version)
    hit("settle.written")
    return Settled(entry, FINAL.get(ending.stop_reason, Status.DONE))


def _close_row(row: Turn, ending: Ending, told: Account, *, seq: int, version: int) -> None:
    Turn.objects.filter(pk=row.pk).update(
        status=FINAL.get(ending.stop_reason, Status.DONE),
        base=told.base,
        last_seq=seq,
        stop_reason=ending.stop_reason,
        error=ending.problem.code if ending.problem else "",
        usage=told.usage,
        version=version,
        rounds=row.rounds + ending.rounds,
        lease_owner="",
        lease_until=None,
        ended_at=told.at,
    )
    if not ending.held and not ending.keep_rows:
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
