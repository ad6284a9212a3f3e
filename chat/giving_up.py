"""The end of a turn that cannot be settled whole: something in its rows breaks whatever reads them.

So little of them is read. What the person said joins the list where it can; nothing that was settled is touched, no call
is run, and the turn's own rows stay for whoever looks into it.
"""

import logging

from django.db import transaction
from django.db.models import Max

from chat import accounted, events, lease
from chat.closing import Closing
from chat.models import ToolCall, Turn, TurnEvent, TurnMessage
from chat.settle import Ending, append, finish, numbered
from chat.steps import UNSETTLED
from history import store

logger = logging.getLogger(__name__)
State = ToolCall.State


def give_up(turn_pk: int, closing: Closing, *, now: int) -> bool:
    """End a turn that `closing` is for as failed; return whether there was still something to end."""
    with transaction.atomic():
        turn = closing.turns().filter(pk=turn_pk).select_related("conversation").first()
        if turn is None:
            return False
        state = store.locked(turn.owner_id)
        row = closing.turns().filter(pk=turn_pk).select_for_update(of=("self",)).first()
        if row is None or row.conversation.is_deleted:
            return False
        fence = lease.take(row)
        assert fence is not None, "the row is locked"
        row.fence = fence
        _close_calls(row, now=now)
        _end(state, row, now=now)
    logger.error("turn %s could not be settled and was ended as failed", row.turn_id)
    return True


def _close_calls(row: Turn, *, now: int) -> None:
    calls = ToolCall.objects.filter(turn=row, state__in=ToolCall.OPEN)
    ended = {"ok": False, "ended_at": now, "told": True}
    calls.filter(state=State.RUNNING).update(state=State.UNKNOWN, **ended)
    calls.exclude(state=State.RUNNING).update(state=State.NOT_RUN, **ended)


def _end(state: store.SyncState, row: Turn, *, now: int) -> None:
    conversation = row.conversation
    kept = TurnEvent.objects.filter(turn=row).aggregate(last=Max("last_seq"))["last"]
    left = kept or row.last_seq
    Turn.objects.filter(pk=row.pk).update(left=left)
    said = numbered(
        [events.failure(UNSETTLED)], turn=row, conversation_id=conversation.cid, after=left
    )
    whole = _with_what_was_said(row)
    ending = Ending(
        stop_reason="failed",
        problem=UNSETTLED,
        unkept=said,
        last_seq=left + len(said),
        keep_list=whole is None,
        keep_rows=True,
    )
    told = accounted.account(
        row,
        usage=row.usage,
        stop_reason=ending.stop_reason,
        problem=UNSETTLED,
        spans={},
        base=whole.count - 1 if whole else 0,
        now=now,
    )
    prepared = whole or store.prepare(row.owner_id, [])
    written = append(state, conversation, row=row, ending=ending, prepared=prepared, told=told)
    finish(row, ending, told, conversation=written)


def _with_what_was_said(row: Turn) -> store.Prepared | None:
    """Return the stored list with the person's message behind it; None where that cannot be, or would cut the list."""
    if row.base is not None or row.cut is not None:
        return None
    try:
        with transaction.atomic():
            said = TurnMessage.objects.get(turn=row, n=0)
            whole = [*store.full_messages(row.conversation), said.payload]
            return store.prepare(row.owner_id, whole)
    except Exception:
        logger.exception("the message of turn %s could not join its conversation", row.turn_id)
        return None
