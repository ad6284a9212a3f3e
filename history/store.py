"""The one door to everything that writes a conversation.

A function that takes `owner_id` is one transaction of its own; one that takes a `SyncState` runs inside the caller's,
after `locked`. What is refused raises a `history.errors.Refused` and changes nothing, not even the feed's number.
"""

from typing import Any

from history import hooks
from history.attachments import attach, keep_scaled, scaled_copy
from history.facts import NOTHING, Facts, News
from history.models import SyncState
from history.prepared import Prepared
from history.prepared import prepare as _prepare
from history.rows import NotLocked, cursor, find, find_head, locked
from history.saving import Replaced, Saved, patch, replace_all, save
from history.sent import ALWAYS, Conditions, Sent
from history.settling import (
    Frozen,
    append_turn,
    full_messages,
    hash_frozen,
    note_spent,
    open_for_turn,
    set_live,
    unbind,
)
from history.tombstones import BuriedAll, bury, bury_all

__all__ = [
    "ALWAYS",
    "NOTHING",
    "BuriedAll",
    "Conditions",
    "Facts",
    "Frozen",
    "News",
    "NotLocked",
    "Prepared",
    "Replaced",
    "Saved",
    "Sent",
    "SyncState",
    "append_turn",
    "attach",
    "bury",
    "bury_all",
    "cursor",
    "find",
    "find_head",
    "full_messages",
    "hash_frozen",
    "hooks",
    "keep_scaled",
    "locked",
    "note_spent",
    "open_for_turn",
    "patch",
    "prepare",
    "replace_all",
    "save",
    "scaled_copy",
    "set_live",
    "unbind",
]


def prepare(owner_id: int, messages: list[dict[str, Any]]) -> Prepared:
    """Do the heavy work of `append_turn` outside any transaction."""
    del owner_id  # nothing is looked up: which images are stored already is decided under the lock
    return _prepare(messages)
