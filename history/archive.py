"""The format of an export: a zip that is written in one pass, without going back and without being held in memory.

`images/<sha256>` come as they are needed, then `conversations.jsonl` (one conversation a line, in the API's own shape,
messages as the skeleton of history/blobs.py), `deleted.jsonl` (one tombstone a line) and, last since it counts what
was written, `manifest.json`. history/unpacking.py reads it.
"""

import json
import re
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from history.fields import dump

SCHEMA = 1
MANIFEST = "manifest.json"
CONVERSATIONS = "conversations.jsonl"
DELETED = "deleted.jsonl"
IMAGES = "images/"
IMAGE = re.compile(rf"{IMAGES}[0-9a-f]{{64}}", re.ASCII)

PIECE = 64 * 1024
"""Bytes that are gathered before they are handed on."""


class _Chute:
    """A file that can be written only, and emptied. Without `tell` and `seek`, so that nothing is patched later."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self.size = 0

    def write(self, data: bytes) -> int:
        self._parts.append(bytes(data))
        self.size += len(data)
        return len(data)

    def flush(self) -> None:
        """Nothing is held back."""

    def empty(self) -> bytes:
        taken = b"".join(self._parts)
        self._parts, self.size = [], 0
        return taken


class Writer:
    """Writes an archive. What has become of it so far is to be taken with `ready` or, for good, `finish`."""

    def __init__(self, *, now: int) -> None:
        self._chute = _Chute()
        self._zip = zipfile.ZipFile(self._chute, "w", zipfile.ZIP_DEFLATED, compresslevel=1)  # type: ignore[call-overload]  # a file without seek is allowed
        self._date = datetime.fromtimestamp(now / 1000, tz=UTC).timetuple()[:6]

    def add(self, name: str, chunks: Iterable[bytes]) -> Iterator[bytes]:
        """Write one entry and yield, in pieces, what is ready to be sent; some of it stays for the next call."""
        info = zipfile.ZipInfo(name, self._date)
        info.compress_type = zipfile.ZIP_DEFLATED
        info.external_attr = 0o600 << 16
        with self._zip.open(info, "w", force_zip64=True) as entry:
            for chunk in chunks:
                entry.write(chunk)
                if self._chute.size >= PIECE:
                    yield self._chute.empty()

    def finish(self) -> bytes:
        self._zip.close()
        return self._chute.empty()


def line(value: dict[str, Any]) -> bytes:
    """Return one line of a JSONL entry."""
    return dump(value).encode() + b"\n"


def manifest(
    *, account: str, now: int, counts: dict[str, int], more: Mapping[str, Any] | None = None
) -> bytes:
    """Return the manifest; people read it, so it is set out. `more` is what else the account takes along."""
    told = {"schema": SCHEMA, "account": account, "exportedAt": now, "counts": counts}
    told |= dict(more or {})
    return json.dumps(told, indent=1, ensure_ascii=False).encode() + b"\n"
