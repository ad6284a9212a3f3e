"""An export that somebody sends back: judged before it is read, and read in bounded memory. Nothing is written to disk.

Sizes that the archive names are bounds, not promises: the zip reader stops at them and compares the checksum.
"""

import hashlib
import struct
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO, Any, NamedTuple

from history.archive import CONVERSATIONS, DELETED, IMAGE, IMAGES, MANIFEST, SCHEMA
from history.errors import BadRequest, TooLarge
from history.json_body import loads

SMALL = 1024 * 1024
"""Bytes of a manifest at most; and what may be packed however tightly."""

_END = b"PK\x05\x06"
_END_SIZE = 22
_LOCATOR = b"PK\x06\x07"
_LOCATOR_SIZE = 20
_DAMAGED = (
    *(zipfile.BadZipFile, zlib.error, struct.error),
    *(EOFError, OSError, NotImplementedError, RuntimeError, ValueError),
)
"""What the zip reader raises for bytes that are not what the directory says."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What is taken: entries, bytes of the directory, bytes unpacked in all, how many times the packed size that may
    be, bytes of a line, bytes of one conversation with its images. None is no limit."""

    entries: int = 50_000
    directory: int = 8 * 1024 * 1024
    total: int
    ratio: int = 200
    line: int
    conversation: int

    @classmethod
    def of(cls, body: int) -> "Limits":
        """Return the limits for an archive that came as a body of at most `body` bytes."""
        return cls(total=16 * body, line=body, conversation=4 * body)


class Line(NamedTuple):
    """A line by its number from 1; None in place of its bytes when it is longer than the limit."""

    number: int
    raw: bytes | None


class Archive:
    """An opened export. Raises BadRequest or TooLarge for anything that no export of kenny looks like.

    `limits` None is for the operator's own files.
    """

    def __init__(self, file: IO[bytes], *, limits: Limits | None) -> None:
        self._limits = limits
        if limits:
            _check_directory(file, limits)
        try:
            self._zip = zipfile.ZipFile(file)
        except _DAMAGED:
            raise BadRequest("This is not a zip archive, or it is damaged.") from None
        self._entries = _checked(self._zip.infolist(), limits)
        self.manifest = self._manifest()
        for name in (CONVERSATIONS, DELETED):
            self._prove(name)

    def lines(self, name: str) -> Iterator[Line]:
        """Yield the lines of an entry that are not empty; one that is too long is passed over in pieces."""
        most = self._limits.line if self._limits else None
        with self._open(name) as entry:
            number = 0
            while raw := entry.readline(-1 if most is None else most + 1):
                number += 1
                whole = most is None or len(raw) <= most
                while not raw.endswith(b"\n") and (more := entry.readline(SMALL)):
                    raw = more
                if not whole:
                    yield Line(number, None)
                elif raw.strip():
                    yield Line(number, raw)

    def size(self, sha256: str) -> int:
        """Return how many bytes an image has, 0 if it is not here."""
        info = self._entries.get(IMAGES + sha256)
        return info.file_size if info else 0

    def image(self, sha256: str) -> bytes:
        """Return an image. Raises BadRequest if it is not here or not the one its name says."""
        if IMAGES + sha256 not in self._entries:
            raise BadRequest("An image of the conversation is not in the archive.")
        try:
            data = self._zip.read(self._entries[IMAGES + sha256])
        except _DAMAGED:
            raise BadRequest("An image of the conversation is damaged.") from None
        if hashlib.sha256(data).hexdigest() != sha256:
            raise BadRequest("An image of the conversation is not the one its name says.")
        return data

    def _open(self, name: str) -> IO[bytes]:
        return self._zip.open(self._entries[name])

    def _manifest(self) -> dict[str, Any]:
        if missing := {MANIFEST, CONVERSATIONS, DELETED} - self._entries.keys():
            raise BadRequest(f"The archive has no {min(missing)}; it is not an export.")
        if self._entries[MANIFEST].file_size > SMALL:
            raise TooLarge("The manifest is larger than the limit in bytes.", limit=SMALL)
        self._prove(MANIFEST)
        with self._open(MANIFEST) as entry:
            told = loads(entry.read())
        schema = told.get("schema") if isinstance(told, dict) else None
        if type(schema) is not int or schema != SCHEMA:
            raise BadRequest(f"The manifest must say schema {SCHEMA}.")
        return dict(told)

    def _prove(self, name: str) -> None:
        """Read an entry through, so that what is damaged is refused before anything is taken from it."""
        try:
            with self._open(name) as entry:
                while entry.read(SMALL):
                    pass
        except _DAMAGED:
            raise BadRequest(f"{name} is damaged.") from None


def _check_directory(file: IO[bytes], limits: Limits) -> None:
    """Refuse a directory that is too large to be read at all; the zip reader has no such limit."""
    size = file.seek(0, 2)
    file.seek(max(0, size - _END_SIZE - _LOCATOR_SIZE))
    tail = file.read()
    end, before = tail[-_END_SIZE:], tail[:-_END_SIZE]
    if len(end) < _END_SIZE or not end.startswith(_END):
        raise BadRequest("This is not a zip archive, or it is not whole.")
    # An end record for large archives would count instead of this one.
    large = before.startswith(_LOCATOR)
    if large or int.from_bytes(end[12:16], "little") > limits.directory:
        raise TooLarge("The archive has more entries than the limit.", limit=limits.entries)


def _checked(infos: list[zipfile.ZipInfo], limits: Limits | None) -> dict[str, zipfile.ZipInfo]:
    """Return the entries by name. Raises BadRequest for one that no export has, TooLarge for too much."""
    if limits:
        _check_sizes(infos, limits)
    entries: dict[str, zipfile.ZipInfo] = {}
    for info in infos:
        # `orig_filename` is what stands in the archive, before the zip reader cuts and turns it.
        if info.orig_filename == IMAGES and not info.file_size:
            continue
        if not _belongs(info.orig_filename):
            raise BadRequest("The archive has an entry that does not belong into an export.")
        if info.filename in entries:
            raise BadRequest("The archive has two entries of one name.")
        if info.flag_bits & 0x1 or info.compress_type not in _PACKED:
            raise BadRequest("The archive is encrypted or packed in a way that is not taken.")
        entries[info.filename] = info
    return entries


_PACKED = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})


def _belongs(name: str) -> bool:
    return name in {MANIFEST, CONVERSATIONS, DELETED} or IMAGE.fullmatch(name) is not None


def _check_sizes(infos: list[zipfile.ZipInfo], limits: Limits) -> None:
    if len(infos) > limits.entries:
        raise TooLarge("The archive has more entries than the limit.", limit=limits.entries)
    unpacked = sum(info.file_size for info in infos)
    if unpacked > limits.total:
        raise TooLarge(
            "Unpacked, the archive is larger than the limit in bytes.", limit=limits.total
        )
    packed = sum(info.compress_size for info in infos)
    if unpacked > SMALL and unpacked > limits.ratio * packed:
        raise TooLarge(
            "Unpacked, the archive is larger than the limit in times its own size.",
            limit=limits.ratio,
        )
