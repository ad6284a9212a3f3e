"""Images out of a list of messages and back into it, byte-identical. Pure: the rows are in history/attachments.py.

An image leaves the JSON when its base64 is canonical and at least 4 KiB long; at its place then stands
`{"$blob": "<sha256>"}`. In the Messages API that place holds a string, so a client's own object there can only be
data: one that looks like a reference is written with one more `$` and never refers to anything.
"""

import base64
import binascii
import hashlib
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeGuard

from history.pictures import Picture, sniff

SMALLEST = 4096
"""Characters of base64 below which an image stays in the JSON."""

_REFERENCE = re.compile(r"\$+blob")


class BlobText(str):
    """Base64 whose SHA-256 is known because it came out of a blob: it need not be decoded and hashed again."""

    __slots__ = ("sha256",)

    sha256: str

    @classmethod
    def of(cls, data: bytes, *, sha256: str) -> "BlobText":
        text = cls(base64.b64encode(data).decode("ascii"))
        text.sha256 = sha256
        return text


@dataclass(frozen=True, slots=True)
class Found:
    """An image and its hash, as base64."""

    sha256: str
    encoded: str

    @classmethod
    def read(cls, encoded: str) -> "Found | None":
        """Return the image that a base64 text holds, None when it is no base64."""
        if isinstance(encoded, BlobText):
            return cls(encoded.sha256, encoded)
        data = _decoded(encoded)
        return None if data is None else cls(hashlib.sha256(data).hexdigest(), encoded)

    def data(self) -> bytes:
        return base64.b64decode(self.encoded)


def externalise(messages: list[dict[str, Any]]) -> tuple[list[dict[str, Any]], dict[str, Found]]:
    """Return the list without its large images, and these by SHA-256. The input is left as it is."""
    taken: dict[str, Found] = {}

    def out(value: Any) -> Any:
        if isinstance(value, str) and len(value) >= SMALLEST:
            sha256 = _hash_canonical(value)
            if sha256 is None:
                return value
            taken[sha256] = Found(sha256, value)
            return {"$blob": sha256}
        return {f"${key}": inner for key, inner in value.items()} if _is_reserved(value) else value

    return [_mapped(message, out) for message in messages], taken


def hydrate(skeleton: list[dict[str, Any]], data: Mapping[str, bytes]) -> list[dict[str, Any]]:
    """Put the images back. Raises KeyError when `data` lacks one: a gap must not pass for an image."""
    texts: dict[str, BlobText] = {}

    def back(value: Any) -> Any:
        if not _is_reserved(value):
            return value
        ((key, inner),) = value.items()
        if key != "$blob":
            return {key[1:]: inner}
        if inner not in texts:
            texts[inner] = BlobText.of(data[inner], sha256=inner)
        return texts[inner]

    return [_mapped(message, back) for message in skeleton]


def references(skeleton: list[dict[str, Any]]) -> set[str]:
    """Return the SHA-256 of every image that was taken out of this list."""
    values = (source["data"] for source in _sources(skeleton))
    return {value["$blob"] for value in values if _is_reference(value)}


def find_inline(messages: list[dict[str, Any]], *, sha256: str) -> bytes | None:
    """Return the bytes of the image with this hash that stands in the list itself."""
    values = (source["data"] for source in _sources(messages))
    found = (Found.read(value) for value in values if isinstance(value, str))
    return next((image.data() for image in found if image and image.sha256 == sha256), None)


def image_url(
    cid: str, known: Mapping[str, Picture] | None = None
) -> Callable[[dict[str, Any]], dict[str, Any] | None]:
    """Return what `history.messages.transcript` asks for: block -> {url, mediaType, width, height}, None if unreadable.

    Takes blocks of a whole list and of a stored skeleton; `known` has a skeleton's images by SHA-256.
    """

    def describe(block: dict[str, Any]) -> dict[str, Any] | None:
        source = block.get("source")
        value = (
            source.get("data")
            if isinstance(source, dict) and source.get("type") == "base64"
            else None
        )
        if _is_reference(value):
            return _described(cid, sha256=value["$blob"], picture=(known or {}).get(value["$blob"]))
        found = Found.read(value) if isinstance(value, str) else None
        return _described(cid, sha256=found.sha256, picture=sniff(found.data())) if found else None

    return describe


def _described(cid: str, *, sha256: str, picture: Picture | None) -> dict[str, Any] | None:
    if picture is None:
        return None
    return {
        "url": f"/api/conversations/{cid}/images/{sha256}",
        "mediaType": picture.media_type,
        "width": picture.width,
        "height": picture.height,
    }


def _is_reserved(value: Any) -> TypeGuard[dict[str, Any]]:
    """Tell whether an object at a data place could be taken for a reference, escaped or not."""
    return (
        isinstance(value, dict)
        and len(value) == 1
        and _REFERENCE.fullmatch(next(iter(value))) is not None
    )


def _is_reference(value: Any) -> TypeGuard[dict[str, str]]:
    return _is_reserved(value) and "$blob" in value


def _decoded(value: str) -> bytes | None:
    try:
        return base64.b64decode(value, validate=True)
    except (binascii.Error, ValueError):
        return None


def _hash_canonical(value: str) -> str | None:
    """Return the hash of the bytes if encoding them gives this very text again, else None."""
    if isinstance(value, BlobText):
        return value.sha256
    data = _decoded(value)
    if data is None or base64.b64encode(data) != value.encode():
        return None
    return hashlib.sha256(data).hexdigest()


def _is_carrier(block: Any) -> bool:
    """Tell whether a block is an image or document with base64 data in it."""
    if not isinstance(block, dict) or block.get("type") not in {"image", "document"}:
        return False
    source = block.get("source")
    return isinstance(source, dict) and source.get("type") == "base64" and "data" in source


def _sources(messages: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield the base64 sources of a list, at the two places where the Messages API has them."""
    for message in messages:
        for block in _blocks(message):
            if _is_carrier(block):
                yield block["source"]
            elif isinstance(block, dict) and block.get("type") == "tool_result":
                yield from (inner["source"] for inner in _blocks(block) if _is_carrier(inner))


def _blocks(holder: dict[str, Any]) -> list[Any]:
    content = holder.get("content")
    return content if isinstance(content, list) else []


def _mapped(message: dict[str, Any], change: Callable[[Any], Any]) -> dict[str, Any]:
    """Return the message with `change` applied to the data of each base64 source, key order kept."""

    def block(value: Any) -> Any:
        if _is_carrier(value):
            source = {**value["source"], "data": change(value["source"]["data"])}
            return {**value, "source": source}
        if isinstance(value, dict) and value.get("type") == "tool_result":
            return _with_blocks(value, lambda inner: block(inner) if _is_carrier(inner) else inner)
        return value

    return _with_blocks(message, block)


def _with_blocks(holder: dict[str, Any], change: Callable[[Any], Any]) -> dict[str, Any]:
    blocks = _blocks(holder)
    return {**holder, "content": [change(block) for block in blocks]} if blocks else holder
