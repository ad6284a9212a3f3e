"""The moves every write is made of: lock the owner, take a number, swap a row that is still what was read.

The order of locks is always `SyncState`, then conversation.
"""

from typing import Any

from django.db import connection, transaction

from history.columns import BODY
from history.compiled import Compiled
from history.errors import Deleted, NotFound
from history.fields import JSONText
from history.hooks import Change, announce
from history.models import Conversation, SyncState, new_tag

LEAD = 5 * 60 * 1000
"""How far ahead of the server's clock, in ms, a client's `updatedAt` may lift a conversation in the list."""


class NotLocked(RuntimeError):
    """A write was tried without `locked`: a fault of the calling code, never of a request."""


_STATE = Compiled(
    lambda owner_id: SyncState.objects.select_for_update().filter(pk=owner_id), like=(-11,)
)
_WHOLE, _HEAD, _FACTS = (
    Compiled(
        lambda owner_id, cid, without=without: (
            Conversation.objects.owned_by(owner_id).with_cid(cid).defer(*without)
        ),
        like=(-11, "an id"),
    )
    for without in ((), BODY, tuple(name for name in BODY if name != "facts"))
)


def locked(owner_id: int) -> SyncState:
    """Lock the owner's counter until the transaction ends and return it, made on first use.

    On SQLite the transaction itself is the lock (BEGIN IMMEDIATE).
    """
    if not transaction.get_connection().in_atomic_block:
        raise NotLocked("locked() needs a transaction")
    state = _STATE.first(owner_id)
    if state is None:
        # Two first writes meet here: the second waits for the first and then reads its row.
        SyncState.objects.bulk_create([SyncState(pk=owner_id)], ignore_conflicts=True)
        state = SyncState.objects.select_for_update().get(pk=owner_id)
    state.read_at = state.last_seq
    return state


def take(state: SyncState, *, count: int = 1) -> int:
    """Reserve `count` numbers and return the first. A rollback returns them: the feed has no gaps."""
    first = state.last_seq + 1
    with connection.cursor() as cursor:
        cursor.execute(_MOVE, [state.last_seq + count, state.pk, state.last_seq])
        moved = cursor.rowcount
    if not moved:
        raise NotLocked("the counter moved: the state was not read under its lock")
    state.last_seq += count
    return first


_MOVE = "UPDATE history_syncstate SET last_seq = %s WHERE user_id = %s AND last_seq = %s"


def take_for(state: SyncState, row: Conversation) -> int:
    """Return a number for a change of `row`: the one it got in this very transaction, which nobody has seen, else a new one."""
    return row.seq if row.seq > state.read_at else take(state)


def find(*, owner_id: int, cid: str) -> Conversation:
    """Return the live conversation. Raises NotFound for what never existed for this owner, Deleted for a tombstone."""
    return _alive(read(owner_id=owner_id, cid=cid))


def find_head(*, owner_id: int, cid: str) -> Conversation:
    """Return the live conversation as `find` does, its large columns left for whoever reads them."""
    return _alive(look_up(owner_id=owner_id, cid=cid))


def _alive(row: Conversation | None) -> Conversation:
    if row is None:
        raise NotFound
    refuse_deleted(row)
    return row


def read(*, owner_id: int, cid: str) -> Conversation | None:
    """Return the row, live or tombstone, with its bodies."""
    return _WHOLE.first(owner_id, cid)


def look_up(*, owner_id: int, cid: str, facts: bool = False) -> Conversation | None:
    """Return the row, live or tombstone, without its bodies; `facts` brings those that a new list may keep."""
    return (_FACTS if facts else _HEAD).first(owner_id, cid)


def refuse_deleted(row: Conversation) -> None:
    if row.is_deleted:
        raise Deleted(version=row.version, deletedAt=row.deleted_at)


def create(state: SyncState, *, cid: str, now: int, **columns: Any) -> Conversation:
    """Write the first version of a conversation or of a tombstone."""
    seq = take(state)
    row = Conversation(
        owner_id=state.pk, cid=cid, seq=seq, first_seq=seq, server_updated_at=now, **columns
    )
    if not row.is_deleted:
        row.sort_at = sort_key(row.updated_at, now=now)
    row.save(force_insert=True)
    _carry(row, columns)
    told(state, row)
    return row


def write(state: SyncState, row: Conversation, *, now: int, **columns: Any) -> None:
    """Write the next version of a live row: +1, new tag, new number. Raises Deleted if it is live no more."""
    updated_at = columns.get("updated_at", row.updated_at)
    stamps = {
        "version": row.version + 1,
        "tag": new_tag(),
        "seq": take(state),
        "server_updated_at": now,
        "sort_at": sort_key(updated_at, now=now),
    }
    swap(row, **columns, **stamps)
    told(state, row)


def swap(row: Conversation, **columns: Any) -> None:
    """Change a live row in one guarded UPDATE and carry the change into `row`."""
    if not Conversation.objects.all().swap(row, **columns):
        refuse_deleted(Conversation.objects.without_bodies().get(pk=row.pk))
        raise NotLocked("the row moved: it was not read under the owner's lock")
    _carry(row, columns)


def _carry(row: Conversation, columns: dict[str, Any]) -> None:
    """Set what was written on the object; serialised JSON stays out, so that its next reader loads the column."""
    for name, value in columns.items():
        if isinstance(value, JSONText):
            row.__dict__.pop(name, None)
        else:
            setattr(row, name, value)


def sort_key(updated_at: int, *, now: int) -> int:
    """Return the list's key: a clock that runs ahead lifts nothing further than LEAD."""
    return min(updated_at, now + LEAD)


def cursor(state: SyncState) -> str:
    """Return the feed's position: opaque to clients, ordered within an epoch."""
    return f"v1.{state.epoch}.{state.last_seq}"


def told(state: SyncState, row: Conversation) -> None:
    """Announce the row's new version after the commit."""
    announce(
        Change(
            owner_id=state.pk,
            cid=row.cid,
            version=row.version,
            cursor=cursor(state),
            deleted=row.is_deleted,
        )
    )
