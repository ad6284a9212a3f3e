"""Saving what a client sends: the whole conversation, some of its metadata, or the whole set."""

from dataclasses import dataclass
from typing import Any, NamedTuple

from django.db import transaction

from history import attachments, facts, index
from history.errors import Busy, NotFound, Pending, Refused
from history.models import RUNNING, Conversation, SyncState
from history.prepared import Prepared
from history.rows import create, locked, look_up, refuse_deleted, write
from history.sent import ALWAYS, Conditions, Sent
from history.settling import content_columns, follow
from history.tombstones import bury_rows


class Saved(NamedTuple):
    row: Conversation
    created: bool


@dataclass(frozen=True, slots=True)
class Replaced:
    """How many were stored; which ids are dead and which were left alone because a turn runs or is held."""

    count: int
    skipped: list[str]
    busy: list[str]


def save(
    *, owner_id: int, cid: str, sent: Sent, now: int, conditions: Conditions = ALWAYS
) -> Saved:
    """Save a conversation, the first time or again; what was left out keeps its stored value.

    Raises Deleted, Busy, Pending, Conflict, in this order: a condition counts only where the write could be done.
    """
    with transaction.atomic():
        state = locked(owner_id)
        row = look_up(owner_id=owner_id, cid=cid, facts=sent.ready is not None)
        if row is not None:
            refuse_deleted(row)
            if sent.ready and row.live_turn:
                raise _in_a_turn(row)
        conditions.check(row)
        return _put(state, row, cid=cid, sent=sent, now=now)


def patch(
    *, owner_id: int, cid: str, sent: Sent, now: int, conditions: Conditions = ALWAYS
) -> Conversation:
    """Change metadata, also while a turn runs. Raises NotFound, Deleted, Conflict."""
    with transaction.atomic():
        state = locked(owner_id)
        row = look_up(owner_id=owner_id, cid=cid)
        if row is None:
            raise NotFound
        refuse_deleted(row)
        conditions.check(row)
        _save_again(state, row, sent=sent, now=now)
        return row


def replace_all(*, owner_id: int, items: list[tuple[str, Sent]], now: int) -> Replaced:
    """Make `items` (id, values) the owner's whole set, in one transaction: what is not among them is deleted.

    A conversation with a running or held turn is left alone, whether it is among them or not.
    """
    with transaction.atomic():
        state = locked(owner_id)
        rows = {row.cid: row for row in Conversation.objects.owned_by(owner_id).without_bodies()}
        busy = [cid for cid, row in rows.items() if row.live_turn]
        skipped = [cid for cid, _ in items if cid in rows and rows[cid].is_deleted]
        stored = [(cid, sent) for cid, sent in items if cid not in {*busy, *skipped}]
        for cid, sent in stored:
            _put(state, rows.get(cid), cid=cid, sent=sent, now=now)
        named = {cid for cid, _ in items}
        others = [
            row
            for cid, row in rows.items()
            if cid not in named and not (row.is_deleted or row.live_turn)
        ]
        bury_rows(state, others, now=now)
        return Replaced(len(stored), skipped, busy)


def _in_a_turn(row: Conversation) -> Refused:
    return Busy(turnId=row.live_turn) if row.live_status == RUNNING else Pending(calls=[])


def _put(state: SyncState, row: Conversation | None, *, cid: str, sent: Sent, now: int) -> Saved:
    if row is None:
        return Saved(_save_first(state, cid=cid, sent=sent, now=now), created=True)
    _save_again(state, row, sent=sent, now=now)
    return Saved(row, created=False)


def _save_first(state: SyncState, *, cid: str, sent: Sent, now: int) -> Conversation:
    times = {"created_at": sent.created_at or now, "updated_at": sent.updated_at or now}
    columns = {**sent.columns, **times, **_content(sent), "facts": sent.facts}
    row = create(state, cid=cid, now=now, **columns)
    if sent.ready is not None:
        attachments.link(row, sent.ready.found)
    index.index_new(row.pk, title=row.title, texts=sent.ready.texts if sent.ready else ())
    return row


def _save_again(state: SyncState, row: Conversation, *, sent: Sent, now: int) -> None:
    columns = {**sent.columns, **_content(sent), **_thinking(row, sent), **_facts(row, sent)}
    columns["created_at"] = sent.created_at or row.created_at
    columns["updated_at"] = sent.updated_at or max(now, row.updated_at + 1)
    title = row.title
    write(state, row, now=now, **columns)
    if row.title != title:
        index.index_title(row.pk, row.title)
    if sent.ready is not None:
        follow(row, sent.ready)


def _content(sent: Sent) -> dict[str, Any]:
    if sent.ready is None:
        return {}
    return {**content_columns(sent.ready), "thinking_from": sent.ready.count}


def _facts(row: Conversation, sent: Sent) -> dict[str, Any]:
    """Return what stays known of the messages that a rewritten list keeps."""
    if sent.ready is None or not row.facts:
        return {}
    return {"facts": facts.moved(row.facts, sent.ready.hashes)}


def _thinking(row: Conversation, sent: Sent) -> dict[str, Any]:
    """Return from where on thinking may be sent again: a rewritten list or system text voids what came before."""
    if sent.ready is not None:
        return {"thinking_from": row.thinking_from} if _is_same(row, sent.ready) else {}
    settings: dict[str, Any] = {"settings": row.settings, **sent.columns}["settings"]
    return (
        {}
        if settings.get("system") == row.settings.get("system")
        else {"thinking_from": row.message_count}
    )


def _is_same(row: Conversation, ready: Prepared) -> bool:
    """Tell whether this very list is stored. The database compares, and only where it may be and it matters."""
    return (
        row.message_count == ready.count
        and row.thinking_from != ready.count
        and Conversation.objects.filter(pk=row.pk, messages=ready.skeleton).exists()
    )
