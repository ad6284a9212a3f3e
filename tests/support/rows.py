"""Turns as a process leaves them that dies at once: written by the product's own steps, run by nobody."""

import json
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction

from chat import checkpoint, events, material, settle
from chat.journal import packed
from chat.models import ToolCall, Turn, TurnEvent
from chat.protocol import Send
from chat.steps import Keep
from chat.tape import Entry
from chat.turns import start
from history import store
from history.models import Conversation
from tests.support.engine import NOW


def begun(owner: User, message: str = "open V1", *, cid: str = "c-1") -> Turn:
    """Return a turn whose message was acknowledged."""
    return start(Send(message=message, conversation_id=cid), owner_id=owner.pk, now=NOW).turn


def kept(turn: Turn, *content: dict[str, Any]) -> list[ToolCall]:
    """Keep a finished message of the model's, its calls and their events, as a checkpoint does."""
    turn.refresh_from_db()
    made = checkpoint.judge(turn, Keep(content=list(content)), now=NOW)
    entries = journal(turn, *made.events(turn.conversation.cid))
    seq = entries[-1].seq if entries else last_seq(turn)
    with transaction.atomic():
        checkpoint.job(made, usage={"output_tokens": 5}, rounds=1, msg_seq=seq)(turn)
    return list(ToolCall.objects.filter(turn=turn).order_by("message_n", "position"))


def journal(turn: Turn, *made: events.Event) -> list[Entry]:
    """Keep events in one row, as a flush does."""
    entries = settle.numbered(
        made, turn=turn, conversation_id=turn.conversation.cid, after=last_seq(turn)
    )
    if entries:
        TurnEvent.objects.create(turn=turn, last_seq=entries[-1].seq, events=packed(entries))
    return entries


def text(turn: Turn, *words: str) -> None:
    """Keep deltas of text in one row."""
    dump = events.delta_dumper(kind="text_delta", turn_id=turn.turn_id)
    first = last_seq(turn) + 1
    entries = [Entry(seq, "text_delta", dump(seq, word)) for seq, word in enumerate(words, first)]
    TurnEvent.objects.create(turn=turn, last_seq=entries[-1].seq, events=packed(entries))


def last_seq(turn: Turn) -> int:
    newest = TurnEvent.objects.filter(turn=turn).order_by("-last_seq").first()
    return newest.last_seq if newest else 0


def abandon(turn: Turn) -> Turn:
    """Let the turn's process be gone: another boot's lease, over for long."""
    Turn.objects.filter(pk=turn.pk).update(
        lease_owner="gone", lease_until="2020-01-01T00:00:00+00:00"
    )
    turn.refresh_from_db()
    return turn


def hold(turn: Turn) -> Turn:
    """Settle the turn as held, as its segment does."""
    turn.refresh_from_db()
    ending = settle.Ending(stop_reason="held", last_seq=last_seq(turn))
    settle.settle(turn, ending, prefix=material.prefix_of(turn).messages, now=NOW)
    turn.refresh_from_db()
    return turn


def told(turn: Turn, *, after: int = 0) -> list[dict[str, Any]]:
    """Return the kept events that follow number `after`."""
    rows = TurnEvent.objects.filter(turn=turn).order_by("last_seq")
    return [event for row in rows for event in json.loads(row.events) if event["seq"] > after]


def stored(turn: Turn) -> list[dict[str, Any]]:
    """Return the conversation's list."""
    return store.full_messages(Conversation.objects.get(pk=turn.conversation_id))
