"""A conversation between its row and its JSON: names on the wire, checks of what comes in."""

import re
from collections.abc import Callable, Mapping
from typing import Any

from history.errors import BadRequest, InvalidId, TooLarge, UnknownField
from history.fields import dump
from history.messages import check_shape
from history.models import TIME_LIMIT, Conversation
from history.prepared import prepare
from history.sent import Sent

ID = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,127}", re.ASCII)
RESERVED = "bulk"
TITLE_LENGTH = 200
AGENT_LENGTH = 200
SETTINGS_SIZE = 16 * 1024

OF_THE_SERVER = frozenset({"version", "etag", "messageCount", "preview", "live"})
"""Accepted and ignored, so that what was read can be sent back as it is."""

SUMMARY = (
    "cid",
    "title",
    "agent_id",
    "settings",
    "pinned",
    "archived",
    "created_at",
    "updated_at",
    "version",
    "tag",
    "message_count",
    "preview",
    "live_turn",
    "live_status",
)
"""The columns that `summary` takes, in this order."""


def summary(row: tuple[Any, ...]) -> dict[str, Any]:
    """Return a conversation without its messages from the columns of SUMMARY."""
    (
        cid,
        title,
        agent_id,
        settings,
        pinned,
        archived,
        created,
        updated,
        version,
        tag,
        count,
        preview,
        turn,
        status,
    ) = row
    return {
        "id": cid,
        "title": title,
        "agentId": agent_id,
        "settings": settings,
        "pinned": pinned,
        "archived": archived,
        "createdAt": created,
        "updatedAt": updated,
        "version": version,
        "etag": f'"{version}.{tag}"',
        "messageCount": count,
        "preview": preview,
        "live": {"turnId": turn, "status": status} if turn else None,
    }


def summary_of(row: Conversation) -> dict[str, Any]:
    return summary(tuple(getattr(row, name) for name in SUMMARY))


def tombstone(row: Conversation) -> dict[str, Any]:
    return {"id": row.cid, "version": row.version, "deletedAt": row.deleted_at}


def check_id(cid: Any) -> str:
    """Return a conversation's id. Raises InvalidId."""
    if not isinstance(cid, str) or not ID.fullmatch(cid) or cid == RESERVED:
        raise InvalidId
    return cid


def check_object(body: Any) -> dict[str, Any]:
    """Return the body. Raises BadRequest unless it is a JSON object."""
    if type(body) is not dict:
        raise BadRequest("The body must be a JSON object.")
    return body


def read_save(body: dict[str, Any]) -> Sent:
    """Read the body of a PUT or POST, `id` aside. Raises UnknownField, BadRequest, TooLarge."""
    sent = _checked(
        body,
        known={
            **_METADATA,
            "createdAt": _time,
            "updatedAt": _time,
            "messages": _messages,
            "id": _any,
        },
    )
    return Sent(
        columns=_columns(sent),
        created_at=sent.get("createdAt", 0),
        updated_at=sent.get("updatedAt", 0),
        ready=prepare(sent["messages"]) if "messages" in sent else None,
    )


def read_patch(body: dict[str, Any]) -> Sent:
    """Read the body of a PATCH. Raises as `read_save`."""
    sent = _checked(body, known={**_METADATA, "updatedAt": _time})
    return Sent(columns=_columns(sent), updated_at=sent.get("updatedAt", 0))


def _checked(
    body: dict[str, Any], *, known: Mapping[str, Callable[[str, Any], None]]
) -> dict[str, Any]:
    unknown = [name[:100] for name in body if name not in known and name not in OF_THE_SERVER]
    if unknown:
        raise UnknownField(fields=unknown[:20])
    sent = {name: value for name, value in body.items() if name in known}
    for name, value in sent.items():
        known[name](name, value)
    return sent


def _columns(sent: dict[str, Any]) -> dict[str, Any]:
    return {column: sent[name] for name, column in _COLUMNS.items() if name in sent}


def _any(_name: str, _value: Any) -> None:
    """Nothing to check here: the edge compares a body's id with the address."""


def _title(name: str, value: Any) -> None:
    _text(name, value, length=TITLE_LENGTH)


def _agent(name: str, value: Any) -> None:
    if value is not None:
        _text(name, value, length=AGENT_LENGTH)


def _text(name: str, value: Any, *, length: int) -> None:
    if not isinstance(value, str) or len(value) > length:
        raise BadRequest(f"{name} must be a text of at most {length} characters.")
    if "\x00" in value:
        raise BadRequest(f"{name} must not hold U+0000.")


def _flag(name: str, value: Any) -> None:
    if not isinstance(value, bool):
        raise BadRequest(f"{name} must be true or false.")


def _time(name: str, value: Any) -> None:
    if type(value) is not int or not 0 <= value < TIME_LIMIT:
        raise BadRequest(f"{name} must be whole milliseconds since 1970, below 2^53.")


def check_settings(name: str, value: Any) -> None:
    """Raise BadRequest or TooLarge unless the value can be a conversation's settings."""
    if not isinstance(value, dict):
        raise BadRequest(f"{name} must be a JSON object.")
    if len(dump(value).encode()) > SETTINGS_SIZE:
        raise TooLarge(f"{name} is larger than the limit in bytes.", limit=SETTINGS_SIZE)


def _messages(_name: str, value: Any) -> None:
    check_shape(value)


_METADATA: dict[str, Callable[[str, Any], None]] = {
    "title": _title,
    "agentId": _agent,
    "settings": check_settings,
    "pinned": _flag,
    "archived": _flag,
}
_COLUMNS = {
    "title": "title",
    "agentId": "agent_id",
    "settings": "settings",
    "pinned": "pinned",
    "archived": "archived",
}
