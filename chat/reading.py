"""The kept events of a turn, read back by whoever watches from another process or comes later."""

import json
from dataclasses import dataclass
from typing import Any

from chat.models import Turn, TurnEvent
from chat.tape import Entry
from history import store
from history.blobs import image_url
from history.messages import transcript


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """Events after a position. `ended`: the turn does not run, so nothing follows before another decision."""

    entries: list[Entry]
    ended: bool


def read_after(turn_pk: int, *, after: int) -> Page:
    """Return the kept events with seq > after, in order.

    The status is read before the rows: a turn that ends in between is found ended by the next read, never before
    its last event was read.
    """
    status = Turn.objects.values_list("status", flat=True).get(pk=turn_pk)
    rows = TurnEvent.objects.filter(turn_id=turn_pk, last_seq__gt=after).order_by("last_seq")
    entries = [
        entry
        for packed in rows.values_list("events", flat=True)
        for entry in unpack(packed)
        if entry.seq > after
    ]
    return Page(entries=entries, ended=status != Turn.Status.RUNNING)


def unpack(packed: str) -> list[Entry]:
    return [entry_of(event) for event in json.loads(packed)]


def entry_of(event: dict[str, Any]) -> Entry:
    return Entry(
        event["seq"], event["type"], json.dumps(event, ensure_ascii=False, separators=(",", ":"))
    )


def later(turn_pk: int) -> Page:
    """Return `user_text` and `done` of a turn whose events are forgotten (turns.md 6), from the conversation and its row.

    Empty for a deleted conversation, and for a turn that has its events still.
    """
    if TurnEvent.objects.filter(turn_id=turn_pk).exists():
        return Page(entries=[], ended=True)
    turn = Turn.objects.select_related("conversation").get(pk=turn_pk)
    conversation = turn.conversation
    if conversation.is_deleted:
        return Page(entries=[], ended=True)
    replay = transcript(
        store.full_messages(conversation)[turn.base or 0 :], image_url=image_url(conversation.cid)
    )
    said = next((event for event in replay if event["type"] == "user_text"), None)
    done = {
        "type": "done",
        "done": True,
        "pending": [],
        "stopReason": turn.stop_reason,
        "version": turn.version,
        "usage": turn.usage,
    }
    about = {"turnId": turn.turn_id, "conversationId": conversation.cid}
    events = [{**said, **about, "seq": 1, "at": turn.created_at}] if said else []
    events.append({**done, **about, "seq": turn.last_seq})
    return Page(entries=[entry_of(event) for event in events], ended=True)


def last_kept(turn_pk: int) -> int:
    """Return the number of the last kept event, 0 when there is none."""
    newest = TurnEvent.objects.filter(turn_id=turn_pk).order_by("-last_seq")
    return newest.values_list("last_seq", flat=True).first() or 0
