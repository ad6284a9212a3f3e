"""What the first bytes of an image say: its real media type and its size. No image is decoded here."""

import base64
import binascii
import struct
from dataclasses import dataclass
from typing import Any

MEDIA_TYPES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """An image as its header describes it; width and height in pixels, 0 when the header does not reach that far."""

    media_type: str
    width: int
    height: int


def sniff(data: bytes) -> Picture | None:
    """Return what the header says, or None for anything but PNG, JPEG, GIF and WebP."""
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        return _picture("image/png", _unpack(">II", data, 16) if data[12:16] == b"IHDR" else (0, 0))
    if data.startswith((b"GIF87a", b"GIF89a")):
        return _picture("image/gif", _unpack("<HH", data, 6))
    if data.startswith(b"\xff\xd8\xff"):
        return _picture("image/jpeg", _jpeg_size(data))
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return _picture("image/webp", _webp_size(data))
    return None


def read(source: dict[str, Any]) -> Picture | None:
    """Return the picture in a base64 source, or None when it is not one the API would take."""
    data = source.get("data")
    if not isinstance(data, str):
        return None
    try:
        raw = base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError):
        return None
    found = sniff(raw)
    return found if found and found.width and found.height else None


def size_of(source: dict[str, Any]) -> tuple[int, int]:
    """Return width and height from the first 192 KB of a base64 source; (0, 0) when they say nothing."""
    found = read({"data": str(source.get("data"))[: 256 * 1024]})
    return (found.width, found.height) if found else (0, 0)


def _picture(media_type: str, size: tuple[int, int]) -> Picture:
    return Picture(media_type=media_type, width=size[0], height=size[1])


def _unpack(layout: str, data: bytes, at: int) -> tuple[int, int]:
    if len(data) < at + struct.calcsize(layout):
        return 0, 0
    first, second = struct.unpack_from(layout, data, at)
    return first, second


def _jpeg_size(data: bytes) -> tuple[int, int]:
    at = 2
    while at + 4 <= len(data) and data[at] == 0xFF:
        marker = data[at + 1]
        if marker == 0xFF:  # padding before a marker
            at += 1
            continue
        # Start of frame, all kinds; C4, C8 and CC are tables.
        if 0xC0 <= marker <= 0xCF and marker not in {0xC4, 0xC8, 0xCC}:
            height, width = _unpack(">HH", data, at + 5)
            return width, height
        at += 2 + int.from_bytes(data[at + 2 : at + 4], "big")
    return 0, 0


def _webp_size(data: bytes) -> tuple[int, int]:
    form = data[12:16]
    if form == b"VP8X" and len(data) >= 30:
        return 1 + int.from_bytes(data[24:27], "little"), 1 + int.from_bytes(data[27:30], "little")
    if form == b"VP8 ":
        width, height = _unpack("<HH", data, 26)
        return width & 0x3FFF, height & 0x3FFF
    if form == b"VP8L" and len(data) >= 25:
        bits = int.from_bytes(data[21:25], "little")
        return 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
    return 0, 0
