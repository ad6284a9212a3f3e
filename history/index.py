"""The search index's rows, kept in step inside the transaction of the write that changes them.

On SQLite triggers carry each row into FTS5 (migration 0002); on PostgreSQL the row's own `words` column is filled here.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from django.db import connection

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


def index_first_title(conversation_id: int, title: str) -> None:
    """Index the title of a conversation that was just made."""
    _replace(conversation_id, {TITLE: Text.of(title)}, stored={})


def index_messages(conversation_id: int, texts: Sequence[Text]) -> None:
    """Replace the rows of messages whose text changed; a settle touches only what is new."""
    stored = _stored(conversation_id, titles=False)
    _replace(conversation_id, dict(enumerate(texts)), stored=stored)


def forget(conversation_ids: Iterable[int]) -> None:
    """Take these conversations out of the index."""
    SearchText.objects.filter(conversation__in=list(conversation_ids)).delete()


def _stored(conversation_id: int, *, titles: bool) -> dict[int, str]:
    rows = SearchText.objects.filter(conversation=conversation_id, part=0)
    rows = rows.filter(n=TITLE) if titles else rows.filter(n__gt=TITLE)
    return dict(rows.values_list("n", "digest"))


def _replace(conversation_id: int, texts: Mapping[int, Text], *, stored: Mapping[int, str]) -> None:
    wanted = {n: text for n, text in texts.items() if text.text}
    stale = [n for n, digest in stored.items() if n not in wanted or wanted[n].digest != digest]
    if stale:
        SearchText.objects.filter(conversation=conversation_id, n__in=stale).delete()
    new = [n for n, text in wanted.items() if stored.get(n) != text.digest]
    rows = [
        SearchText(
            conversation_id=conversation_id, n=n, part=part, digest=wanted[n].digest, text=piece
        )
        for n in new
        for part, piece in enumerate(pieces(wanted[n].text))
    ]
    _insert(rows)


def _insert(rows: list[SearchText]) -> None:
    if connection.vendor != "postgresql":
        SearchText.objects.bulk_create(rows, batch_size=100)
    elif rows:
        with connection.cursor() as cursor:
            cursor.executemany(_INSERT, [_values(row) for row in rows])


_INSERT = """
    INSERT INTO history_searchtext (conversation_id, n, part, digest, text, words)
    VALUES (%s, %s, %s, %s, %s, to_tsvector('simple', %s))
"""


def _values(row: SearchText) -> tuple[int | str, ...]:
    return (
        row.conversation_id,
        row.n,
        row.part,
        row.digest,
        row.text,
        fold(" ".join(words(row.text))),
    )
