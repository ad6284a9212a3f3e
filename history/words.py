"""How text becomes words, the same for what is stored and for what is asked. Pure.

Scripts without spaces (Chinese, Japanese, Korean) are indexed character by character: an invisible mark is put
between them, which both databases read as a gap and `shown` takes out again.
"""

import re
import unicodedata
from collections.abc import Iterator

PART = 16_000
"""Characters of one indexed piece; PostgreSQL knows word positions up to 16,383 only."""

_GAP = "\u200b"
_WIDE = r"\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
_WIDE_CHARACTER = re.compile(f"([{_WIDE}])")
_UNSTORABLE = re.compile("[\x00\ud800-\udfff\u200b]")
_WORD = re.compile(r"[^\W_]+")
_ACCENT = re.compile("[\u0300-\u036f]")


def pieces(text: str) -> Iterator[str]:
    """Cut a text into storable pieces of at most PART characters before gaps, between words where possible."""
    text = _UNSTORABLE.sub(" ", text)
    while len(text) > PART:
        cut = max(text.rfind(" ", PART - 200, PART), text.rfind("\n", PART - 200, PART))
        cut = cut if cut > 0 else PART
        yield _WIDE_CHARACTER.sub(rf"\1{_GAP}", text[:cut])
        text = text[cut:]
    if text:
        yield _WIDE_CHARACTER.sub(rf"\1{_GAP}", text)


def shown(piece: str) -> str:
    """Return a stored piece as a person wrote it."""
    return piece.replace(_GAP, "")


def words(text: str) -> list[str]:
    """Return the words of a text in lower case."""
    return _WORD.findall(_WIDE_CHARACTER.sub(r" \1 ", text).lower())


def fold(text: str) -> str:
    """Return a text in lower case and without the accents of European scripts."""
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFC", _ACCENT.sub("", unicodedata.normalize("NFD", text.lower())))


def is_wide(character: str) -> bool:
    """Tell whether a character is a word of its own."""
    return _WIDE_CHARACTER.fullmatch(character) is not None
