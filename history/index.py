"""The search index's rows, kept in step inside the transaction of the write that changes them.

On SQLite triggers carry each row into FTS5 (migration 0002); on PostgreSQL the row's own `words` column is filled here.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from django.db import connection
from django.db.models import Q

from history.compiled import Compiled
from history.models import SearchText
from history.words import fold, pieces, words

TITLE = -1
"""The position under which a title is indexed."""


@dataclass(frozen=True, slots=True)
class Text:
    """The searchable text of one message, with the hash that tells whether it changed."""

    text: str
    digest: str

    @classmethod
    def of(cls, text: str) -> "Text":
        return cls(text, hashlib.blake2b(text.encode(errors="replace"), digest_size=8).hexdigest())


def index_new(conversation_id: int, *, title: str, texts: Sequence[Text] = ()) -> None:
    """Index a conversation that was just made, so that nothing of it is stored yet."""
    _replace(conversation_id, {TITLE: Text.of(title), **dict(enumerate(texts))}, stored={})


def index_title(conversation_id: int, title: str) -> None:
    """Replace the title's rows if the title changed."""
    _replace(conversation_id, {TITLE: Text.of(title)}, stored=_stored(conversation_id, titles=True))


def index_messages(conversation_id: int, texts: Sequence[Text]) -> None:
    """Replace the rows of messages whose text changed; a settle touches only what is new."""
    stored = _stored(conversation_id, titles=False)
    _replace(conversation_id, dict(enumerate(texts)), stored=stored)


def forget(conversation_ids: Iterable[int]) -> None:
    """Take these conversations out of the index."""
    SearchText.objects.filter(conversation__in=list(conversation_ids)).delete()


def _stored(conversation_id: int, *, titles: bool) -> dict[int, str]:
    return dict((_TITLES if titles else _MESSAGES).rows(conversation_id))


_TITLES, _MESSAGES = (
    Compiled(
        lambda pk, which=which: SearchText.objects.filter(
            which, conversation=pk, part=0
        ).values_list("n", "digest"),
        like=(-11,),
    )
    for which in (Q(n=TITLE), Q(n__gt=TITLE))
)


def _replace(conversation_id: int, texts: Mapping[int, Text], *, stored: Mapping[int, str]) -> None:
    wanted = {n: text for n, text in texts.items() if text.text}
    stale = [n for n, digest in stored.items() if n not in wanted or wanted[n].digest != digest]
    new = [n for n, text in wanted.items() if stored.get(n) != text.digest]
    rows = [
        (conversation_id, n, part, wanted[n].digest, piece)
        for n in new
        for part, piece in enumerate(pieces(wanted[n].text))
    ]
    with connection.cursor() as cursor:
        if stale:
            cursor.executemany(_DELETE, [(conversation_id, n) for n in stale])
        if rows and connection.vendor == "postgresql":
            cursor.executemany(_INSERT_WITH_WORDS, [(*row, _words(row[-1])) for row in rows])
        elif rows:
            cursor.executemany(_INSERT, rows)


_DELETE = "DELETE FROM history_searchtext WHERE conversation_id = %s AND n = %s"
_INSERT = """
    INSERT INTO history_searchtext (conversation_id, n, part, digest, text) VALUES (%s, %s, %s, %s, %s)
"""
_INSERT_WITH_WORDS = """
    INSERT INTO history_searchtext (conversation_id, n, part, digest, text, words)
    VALUES (%s, %s, %s, %s, %s, to_tsvector('simple', %s))
"""


def _words(text: str) -> str:
    return fold(" ".join(words(text)))
