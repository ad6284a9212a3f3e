"""What a deleted conversation leaves of its turns: that they were, who decided what and when, and no word of content."""

from django.db import transaction
from django.db.models import F, Max

from chat import events, lease, spending
from chat.accounted import cost_of
from chat.failpoints import hit
from chat.hints import concluded
from chat.journal import packed
from chat.models import ToolCall, Turn, TurnEvent, TurnMessage
from chat.tape import Entry
from history.clock import now_ms
from history.facts import spent_of

State = ToolCall.State


def wipe(conversation_pks: list[int]) -> None:
    """History's hook, inside the transaction that buries (turns.md 17). A running turn loses its lease by the fence."""
    turns = Turn.objects.filter(conversation_id__in=conversation_pks).select_related("conversation")
    for turn in turns.filter(status__in=Turn.LIVE).select_for_update(of=("self",)).order_by("pk"):
        _discard(turn)
    TurnEvent.objects.filter(turn__in=turns.exclude(status=Turn.Status.DISCARDED)).delete()
    TurnMessage.objects.filter(turn__in=turns).delete()
    calls = ToolCall.objects.filter(turn__in=turns)
    calls.filter(state__in=ToolCall.OPEN).update(state=State.SUPERSEDED)
    calls.update(args={}, canonical_args="", result=None, reason="")
    hit("delete.written")


def _discard(turn: Turn) -> None:
    """End a live turn with one `done`, so that whoever watches learns of the end."""
    kept = (
        TurnEvent.objects.filter(turn=turn).aggregate(last=Max("last_seq"))["last"] or turn.last_seq
    )
    now = now_ms()
    done = events.Done(
        done=True,
        pending=[],
        stop_reason="deleted",
        version=turn.conversation.version + 1,
        model=turn.model,
        usage=turn.usage,
        cost=cost_of(turn, turn.usage),
        spent=spent_of({}),
        at=now,
    )
    spending.settle(turn, usage=turn.usage, now=now)
    # A running turn may have shown more than was kept: who has seen that is beyond `left` and begins anew.
    seq = kept + 1
    line = events.dump(done, turn_id=turn.turn_id, seq=seq, conversation_id=turn.conversation.cid)
    TurnEvent.objects.filter(turn=turn).delete()
    TurnEvent.objects.create(turn=turn, last_seq=seq, events=packed([Entry(seq, done.type, line)]))
    Turn.objects.filter(pk=turn.pk).update(
        status=Turn.Status.DISCARDED,
        stop_reason="deleted",
        fence=F("fence") + 1,
        lease_owner="",
        lease_until=None,
        left=kept,
        last_seq=seq,
        ended_at=lease.NowMs(),
    )
    transaction.on_commit(lambda: concluded(turn.pk), robust=True)
