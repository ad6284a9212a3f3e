"""A conversation as the admin shows it, and the note that somebody looked."""

import json
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser, User
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

from history.markdown.html import to_html
from history.markdown.tree import render
from history.models import Conversation, Look
from history.replay import events_of

NAMES = {"user_text": "Person", "text_delta": "Claude", "thinking_delta": "Claude, thinking"}

EXPORT, ERASURE = "(export)", "(erasure)"
"""What stands for an id where somebody exported or erased a whole account; no id begins like that."""


def record_export(owner: User, *, staff: AbstractBaseUser | AnonymousUser, now: int) -> None:
    """Note that `staff` took a copy of another user's account."""
    _record(owner, staff=staff, cid=EXPORT, now=now)


def record_look(row: Conversation, *, staff: AbstractBaseUser | AnonymousUser, now: int) -> None:
    """Note that `staff` opened a transcript that is not their own; nothing of what it says is kept."""
    if not row.is_deleted:
        _record(row.owner, staff=staff, cid=row.cid, now=now)


def _record(owner: User, *, staff: AbstractBaseUser | AnonymousUser, cid: str, now: int) -> None:
    if staff.pk == owner.pk:
        return
    Look.objects.create(
        staff_id=staff.pk,
        owner_id=owner.pk,
        staff_name=staff.get_username(),
        owner_name=owner.get_username(),
        cid=cid,
        at=now,
    )


def when(ms: int) -> str:
    """Return a moment as text, "-" for none."""
    try:
        return f"{datetime.fromtimestamp(ms / 1000, tz=UTC):%Y-%m-%d %H:%M:%S} UTC" if ms else "-"
    except (ValueError, OverflowError, OSError):
        return f"{ms} ms"  # a client may say any time up to 2^53


def transcript_html(row: Conversation) -> SafeString:
    """Return the transcript as HTML; images are named, not shown, since they are their owner's alone."""
    return format_html_join("\n", "<h3>{}</h3>{}", _sections(events_of(row)))


def _sections(events: Iterable[dict[str, Any]]) -> Iterable[tuple[str, SafeString]]:
    for event in events:
        name = (
            NAMES.get(event["type"])
            or f"{event['type'].replace('_', ' ')}: {event.get('tool', '')}"
        )
        yield name, _shown(event)


def _shown(event: dict[str, Any]) -> SafeString:
    if event["type"] in NAMES:
        # to_html escapes every text and attribute and knows a closed set of tags.
        body = mark_safe(to_html(render(event["text"])))  # noqa: S308
    elif event["type"] == "tool_call":
        body = format_html("<pre>{}</pre>", json.dumps(event["args"], ensure_ascii=False, indent=2))
    else:
        body = format_html("<pre>{}</pre>", event.get("text") or event.get("message") or "")
    images = len(event.get("images") or [])
    return format_html("{}<p>[{} image(s)]</p>", body, images) if images else body
