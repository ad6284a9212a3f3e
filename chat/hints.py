"""Hints to a person's sockets, in every process: that something moved, never what it says."""

from typing import Any

from chat.bus import bus
from chat.failpoints import hit
from chat.models import Turn
from history import hooks


def to_user(user_id: int, frame: dict[str, Any]) -> None:
    """From any thread."""
    bus.post({"kind": "user", "user": user_id, "frame": frame})


def live(turn: Turn, *, status: str) -> None:
    """A turn began, is held or ended."""
    frame = {
        "type": "live",
        "conversationId": turn.conversation.cid,
        "turnId": turn.turn_id,
        "status": status,
    }
    to_user(turn.owner_id, frame)


def concluded(turn_pk: int) -> None:
    """A turn was settled without a process that ran it: its watchers read the journal."""
    turn = Turn.objects.select_related("conversation").get(pk=turn_pk)
    bus.post({"kind": "flushed", "turns": {turn_pk: turn.last_seq}})
    live(turn, status=turn.status)


def on_change(change: hooks.Change) -> None:
    """History's hook: a conversation was written or deleted."""
    hit("delete.committed" if change.deleted else "change.committed")
    kind = "deleted" if change.deleted else "changed"
    frame = {"type": kind, "id": change.cid, "version": change.version, "cursor": change.cursor}
    to_user(change.owner_id, frame)
