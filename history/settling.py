"""What the turn engine writes: inside its own transaction, after `locked`, with the heavy work in `prepare`."""

import hashlib
from typing import Any

from history import attachments, index
from history.blobs import hydrate, references
from history.errors import NotFound
from history.fence import storable
from history.fields import dump
from history.models import Conversation, SyncState
from history.prepared import Prepared, prepare
from history.rows import create, refuse_deleted, swap, take, write

TITLE_LENGTH = 80


def open_for_turn(
    state: SyncState, *, cid: str, title: str, agent_id: str | None, now: int
) -> Conversation:
    """Return the live conversation for a turn; an unknown id is saved empty first (version 1).

    Raises Deleted on a tombstone.
    """
    row = Conversation.objects.owned_by(state.pk).with_cid(cid).first()
    if row is None:
        title = storable(title)[:TITLE_LENGTH]
        row = create(
            state, cid=cid, now=now, title=title, agent_id=agent_id, created_at=now, updated_at=now
        )
        index.index_title(row.pk, title)
    refuse_deleted(row)
    return row


def set_live(
    state: SyncState,
    conversation: Conversation,
    *,
    turn_id: str | None,
    status: str | None,
    now: int,
) -> None:
    """Say which turn runs or is held. Moves the feed, never version or tag: nothing was written to read anew."""
    del now  # the feed orders by number; a turn's times are the turn's own
    swap(conversation, live_turn=turn_id, live_status=status, seq=take(state))


def freeze(
    conversation: Conversation,
    *,
    system: str,
    tools: list[dict[str, Any]],
    frozen_hash: str = "",
    thinking_from: int | None = None,
) -> None:
    """Keep the system text and tool list that every later request repeats; nothing a client sees moves.

    `frozen_hash` is what the caller compares before it freezes again; by default the hash of both.
    """
    columns = {
        "system": system,
        "tools": tools,
        "frozen_hash": frozen_hash or hash_frozen(system=system, tools=tools),
    }
    kept = conversation.thinking_from if thinking_from is None else thinking_from
    swap(conversation, **columns, thinking_from=kept)


def unbind(conversation: Conversation, *, thinking_from: int) -> None:
    """Leave thinking before this position out of later requests: it belongs to a list that was rewritten."""
    swap(conversation, thinking_from=thinking_from)


def hash_frozen(*, system: str, tools: list[dict[str, Any]]) -> str:
    """Return the SHA-256 that tells whether system text or tools differ from what is frozen."""
    return hashlib.sha256(dump([system, tools]).encode()).hexdigest()


def append_turn(
    state: SyncState,
    conversation: Conversation,
    *,
    messages: "list[dict[str, Any]] | Prepared",
    agent_id: str | None,
    title_if_empty: str,
    now: int,
    live: tuple[str, str] | None,
) -> Conversation:
    """Settle: store the whole new list as the next version and return the row. Raises Deleted on a tombstone.

    `live` is (turn id, status) of a turn that goes on held, None when it is over. The row is read again, since title
    and settings may have moved while the turn ran.
    """
    ready = messages if isinstance(messages, Prepared) else prepare(messages)
    row = Conversation.objects.without_bodies().filter(pk=conversation.pk).first()
    if row is None:
        raise NotFound
    refuse_deleted(row)
    turn_id, status = live or (None, None)
    title = row.title or storable(title_if_empty)[:TITLE_LENGTH] or ready.title
    content = content_columns(ready)
    updated_at = max(now, row.updated_at + 1)
    named = {"title": title, "agent_id": row.agent_id if agent_id is None else agent_id}
    write(
        state,
        row,
        now=now,
        **content,
        **named,
        updated_at=updated_at,
        live_turn=turn_id,
        live_status=status,
    )
    follow(row, ready)
    index.index_title(row.pk, title)
    return row


def content_columns(ready: Prepared) -> dict[str, Any]:
    """Return the columns that a list of messages fills."""
    return {"messages": ready.skeleton, "message_count": ready.count, "preview": ready.preview}


def follow(row: Conversation, ready: Prepared) -> None:
    """Bring images and search index in step with a list that was just written."""
    attachments.relink(row, ready.found)
    index.index_messages(row.pk, ready.texts)


def full_messages(conversation: Conversation) -> list[dict[str, Any]]:
    """Return the messages equal to what was stored, images in their places. Raises Deleted."""
    try:
        return _hydrated(conversation)
    except KeyError:
        # An image left between the two reads: the list was rewritten or deleted meanwhile.
        conversation.refresh_from_db()
        refuse_deleted(conversation)
        return _hydrated(conversation)


def _hydrated(conversation: Conversation) -> list[dict[str, Any]]:
    skeleton = conversation.messages
    return hydrate(skeleton, attachments.load(conversation.owner_id, references(skeleton)))
