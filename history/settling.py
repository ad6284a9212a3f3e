"""What the turn engine writes: inside its own transaction, after `locked`, with the heavy work in `prepare`."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from history import attachments, facts, index
from history.blobs import hydrate, references
from history.errors import NotFound
from history.fence import storable
from history.fields import dump
from history.models import Conversation, SyncState
from history.prepared import Prepared, prepare
from history.rows import create, look_up, read, refuse_deleted, swap, take_for, write

TITLE_LENGTH = 80


def open_for_turn(
    state: SyncState,
    *,
    cid: str,
    title: str,
    agent_id: str | None,
    now: int,
    settings: dict[str, Any] | None = None,
) -> Conversation:
    """Return the live conversation for a turn; an unknown id is saved empty first (version 1), with these settings.

    Raises Deleted on a tombstone.
    """
    row = read(owner_id=state.pk, cid=cid)
    if row is None:
        title = storable(title)[:TITLE_LENGTH]
        row = create(
            state,
            cid=cid,
            now=now,
            title=title,
            agent_id=agent_id,
            settings=settings or {},
            created_at=now,
            updated_at=now,
        )
        index.index_new(row.pk, title=title)
    refuse_deleted(row)
    return row


@dataclass(frozen=True, slots=True, kw_only=True)
class Frozen:
    """The system text and tool list that every later request of a conversation repeats; no client sees them.

    `frozen_hash` is what the caller compares before it freezes again; by default the hash of both. `thinking_from` is
    where thinking begins to count in a list that was rewritten, None leaves it where it is.
    """

    system: str
    tools: list[dict[str, Any]]
    frozen_hash: str = ""
    thinking_from: int | None = None

    def columns(self) -> dict[str, Any]:
        """Return what to write."""
        named = self.frozen_hash or hash_frozen(system=self.system, tools=self.tools)
        columns: dict[str, Any] = {"system": self.system, "tools": self.tools, "frozen_hash": named}
        if self.thinking_from is not None:
            columns["thinking_from"] = self.thinking_from
        return columns


def set_live(
    state: SyncState,
    conversation: Conversation,
    *,
    turn_id: str | None,
    status: str | None,
    frozen: Frozen | None = None,
) -> None:
    """Say which turn runs or is held. Moves the feed, never version or tag: nothing was written to read anew.

    `frozen` is kept by the same write, where a turn changes it.
    """
    columns = frozen.columns() if frozen else {}
    seq = take_for(state, conversation)
    swap(conversation, **columns, live_turn=turn_id, live_status=status, seq=seq)


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
    news: facts.News = facts.NOTHING,
) -> Conversation:
    """Settle: store the whole new list as the next version and return the row. Raises Deleted on a tombstone.

    `live` is (turn id, status) of a turn that goes on held, None when it is over; `news` is what becomes known of its
    messages. The row is read again, since title and settings may have moved while the turn ran.
    """
    ready = messages if isinstance(messages, Prepared) else prepare(messages)
    row = look_up(owner_id=state.pk, cid=conversation.cid, facts=True)
    if row is None:
        raise NotFound
    refuse_deleted(row)
    turn_id, status = live or (None, None)
    before = row.title
    title = before or storable(title_if_empty)[:TITLE_LENGTH] or ready.title
    content = content_columns(ready)
    updated_at = max(now, row.updated_at + 1)
    named = {"title": title, "agent_id": row.agent_id if agent_id is None else agent_id}
    write(
        state,
        row,
        now=now,
        **content,
        **named,
        facts=facts.moved(row.facts, ready.hashes, news=news),
        updated_at=updated_at,
        live_turn=turn_id,
        live_status=status,
    )
    follow(row, ready)
    if title != before:
        index.index_title(row.pk, title)
    return row


def note_spent(conversation: Conversation, spent: Mapping[str, int]) -> Conversation:
    """Count what a turn used that leaves the list as it was; nothing a client sees moves."""
    known = conversation.facts
    swap(conversation, facts={**known, "spent": facts.added(known.get("spent", {}), spent)})
    return conversation


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
