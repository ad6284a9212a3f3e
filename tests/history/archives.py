"""Archives for tests: real exports, exports taken apart and put together wrongly, and what an account holds."""

import io
import json
import zipfile
from typing import Any

from history import store
from history.archive import CONVERSATIONS, DELETED, MANIFEST, manifest
from history.exporting import export
from history.importing import Taken, take
from history.models import Conversation
from history.serializers import summary_of, tombstone
from history.unpacking import Archive, Limits
from tests.history.conftest import said

BODY = 32 * 1024 * 1024
LIMITS = Limits.of(BODY)
NOW = 1_800_000_000_000


def exported(owner_id: int) -> bytes:
    return b"".join(export(owner_id, account="alice", now=NOW))


def taken(owner_id: int, raw: bytes, *, limits: Limits | None = LIMITS) -> Taken:
    return take(owner_id, Archive(io.BytesIO(raw), limits=limits), limits=limits, now=NOW)


def unpacked(raw: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(raw)) as packed:
        return {name: packed.read(name) for name in packed.namelist()}


def packed(entries: dict[str, bytes] | list[tuple[str, bytes]], **options: Any) -> bytes:
    """Return a zip of these entries, good or not."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", **{"compression": zipfile.ZIP_DEFLATED, **options}) as made:
        for name, data in entries.items() if isinstance(entries, dict) else entries:
            made.writestr(name, data)
    return file.getvalue()


def entries(*lines: Any, dead: tuple[Any, ...] = ()) -> dict[str, bytes]:
    """Return the entries of an export with these lines; bytes stand as they are."""
    return {
        CONVERSATIONS: b"".join(map(_line, lines)),
        DELETED: b"".join(map(_line, dead)),
        MANIFEST: manifest(account="alice", now=NOW, counts={}),
    }


def _line(value: Any) -> bytes:
    return (value if isinstance(value, bytes) else json.dumps(value).encode()) + b"\n"


def chat(cid: str = "c-1", **values: Any) -> dict[str, Any]:
    """Return a conversation as a line has it."""
    return {"id": cid, "title": "T", "messages": said("hello"), "createdAt": 5, **values}


VOLATILE = ("version", "etag")


def account(owner_id: int) -> dict[str, Any]:
    """Return all that an export promises to bring back, by id; of tombstones what their list says."""
    rows = Conversation.objects.owned_by(owner_id).order_by("cid")
    live = {
        row.cid: {**summary_of(row), "messages": json.dumps(store.full_messages(row))}
        for row in rows.live()
    }
    dead = {row.cid: tombstone(row) for row in rows.buried()}
    return {
        cid: {name: value for name, value in item.items() if name not in VOLATILE}
        for cid, item in {**live, **dead}.items()
    }
