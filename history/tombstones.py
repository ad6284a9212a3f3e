"""Deleting: the content goes, id, version and moment stay."""

from dataclasses import dataclass
from itertools import islice

from django.db import transaction

from history import attachments, hooks, index
from history.cursors import Cursor
from history.errors import BadRequest
from history.models import Conversation, SyncState
from history.rows import create, cursor, locked, look_up, take, told
from history.sent import ALWAYS, Conditions

BATCH = 500
"""Rows of one statement: SQLite takes a limited number of parameters."""

HINTS = 100
"""Announcements of one transaction at most; a client pulls on the first and sees them all."""


@dataclass(frozen=True, slots=True)
class BuriedAll:
    count: int
    cursor: str


def bury(*, owner_id: int, cid: str, now: int, conditions: Conditions = ALWAYS) -> Conversation:
    """Delete a conversation and return its tombstone; one that is dead already stays as it is.

    An id never seen gets a tombstone of version 1, so that a save which is still under way finds it dead.
    """
    with transaction.atomic():
        state = locked(owner_id)
        row = look_up(owner_id=owner_id, cid=cid)
        if row is not None and row.is_deleted:
            return row
        conditions.check(row)
        if row is None:
            return create(state, cid=cid, now=now, deleted_at=now)
        bury_rows(state, [row], now=now)
        return row


def bury_all(*, owner_id: int, now: int, before: str | None = None) -> BuriedAll:
    """Delete every live conversation, with `before` only those created up to that cursor.

    Raises BadRequest for a cursor that is not this feed's: it cannot tell what is meant to be spared.
    """
    with transaction.atomic():
        state = locked(owner_id)
        rows = Conversation.objects.owned_by(owner_id).live().without_bodies().in_commit_order()
        if before is not None:
            known = Cursor.parse(before)
            if known is None or known.doubt(state):
                raise BadRequest("before must be a cursor that this list gave out.")
            rows = rows.born_up_to(known.seq)
        buried = list(rows)
        bury_rows(state, buried, now=now)
        return BuriedAll(len(buried), cursor(state))


def bury_rows(state: SyncState, rows: list[Conversation], *, now: int) -> None:
    """Empty these live rows in the caller's transaction, each under a number of its own."""
    rest = iter(rows)
    while batch := list(islice(rest, BATCH)):
        _bury_batch(state, batch, now=now)
    for row in rows[-HINTS:]:
        told(state, row)


def _bury_batch(state: SyncState, rows: list[Conversation], *, now: int) -> None:
    pks = [row.pk for row in rows]
    hooks.before_burial(pks)
    attachments.unlink(pks, owner_id=state.pk)
    index.forget(pks)
    Conversation.objects.filter(pk__in=pks).bury(now=now)
    first = take(state, count=len(rows))
    for seq, row in enumerate(rows, start=first):
        row.seq, row.version, row.deleted_at = seq, row.version + 1, now
    Conversation.objects.all().number({row.pk: row.seq for row in rows})
