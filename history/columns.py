"""Which columns of a conversation are its content: what a deletion empties and what may be large."""

from typing import Any

TOMBSTONE: dict[str, Any] = {
    "title": "",
    "agent_id": None,
    "settings": {},
    "pinned": False,
    "archived": False,
    "preview": "",
    "message_count": 0,
    "created_at": 0,
    "updated_at": 0,
    "sort_at": 0,
    "live_turn": None,
    "live_status": None,
    "frozen_hash": "",
    "thinking_from": 0,
    "system": "",
    "tools": [],
    "facts": {},
    "messages": [],
}
"""What every column of content holds once the conversation is deleted; a CHECK says so too."""

BODY = ("system", "tools", "facts", "messages")
"""The columns that may be large: lists and metadata writes leave them alone."""
