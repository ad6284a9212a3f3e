"""The heavy part of a write, done before any lock is taken: hashing, serialising, reading out the text."""

from dataclasses import dataclass
from typing import Any

from history.blobs import Found, externalise
from history.facts import hash_of
from history.fields import JSONText, dump
from history.index import Text
from history.messages import preview_of, text_of, title_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """A list of messages ready to be written. `skeleton` is its JSON without the large images, which `found` has.

    `hashes` tell its messages from others, so that what is known of them beside their words finds them again.
    """

    skeleton: JSONText
    found: dict[str, Found]
    texts: list[Text]
    count: int
    title: str
    preview: str
    hashes: list[str]


def prepare(messages: list[dict[str, Any]]) -> Prepared:
    """Get a whole list ready. `messages` has the shape that `history.messages.check_shape` asks for."""
    skeleton, found = externalise(messages)
    pieces = [dump(message) for message in skeleton]
    return Prepared(
        skeleton=JSONText(f"[{','.join(pieces)}]"),
        found=found,
        texts=[Text.of("\n".join(text_of([message]))) for message in skeleton],
        count=len(messages),
        title=title_of(skeleton),
        preview=preview_of(skeleton),
        hashes=[hash_of(piece) for piece in pieces],
    )
