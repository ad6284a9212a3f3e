"""The one door to everything that writes a conversation.

Each function here that takes `owner_id` is one transaction of its own; those that take a `SyncState` run inside the
caller's, after `locked`.
"""

from typing import Any

from history import hooks
from history.attachments import attach, keep_scaled, scaled_copy
from history.prepared import Prepared
from history.prepared import prepare as _prepare
from history.rows import NotLocked, cursor, find, locked
from history.settling import (
    append_turn,
    freeze,
    frozen_hash,
    full_messages,
    open_for_turn,
    set_live,
)

__all__ = [
    "NotLocked",
    "Prepared",
    "append_turn",
    "attach",
    "cursor",
    "find",
    "freeze",
    "frozen_hash",
    "full_messages",
    "hooks",
    "keep_scaled",
    "locked",
    "open_for_turn",
    "prepare",
    "scaled_copy",
    "set_live",
]


def prepare(owner_id: int, messages: list[dict[str, Any]]) -> Prepared:
    """Do the heavy work of `append_turn` outside any transaction."""
    del owner_id  # nothing is looked up: which images are stored already is decided under the lock
    return _prepare(messages)
