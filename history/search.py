"""Full text over titles and messages, tool results included: FTS5 on SQLite, tsvector on PostgreSQL.

Which conversations match is decided for the conversation as a whole; how well, by its best message.
"""

from typing import Any, NamedTuple

from django.db import connection

from history.cursors import Place
from history.models import Conversation, SearchText, SyncState
from history.query import Term, snippet, terms_of
from history.serializers import SUMMARY, summary
from history.words import fold, shown

PAGE = 50

# `{owned}` is the query for the owner's live conversations, `{all}` one subquery for each term.
_SQLITE = """
    WITH hits AS MATERIALIZED (
        SELECT s.conversation_id, s.id, bm25(history_searchindex) * (CASE WHEN s.n < 0 THEN 2 ELSE 1 END) AS score
        FROM history_searchindex JOIN history_searchtext s ON s.id = history_searchindex.rowid
        WHERE history_searchindex MATCH %s AND s.conversation_id IN ({owned}) {all}
    )
    SELECT hits.conversation_id, hits.id, MIN(hits.score) AS best FROM hits
    GROUP BY hits.conversation_id ORDER BY best, hits.conversation_id DESC LIMIT %s OFFSET %s
"""
_SQLITE_TERM = """
    AND s.conversation_id IN (
        SELECT t.conversation_id FROM history_searchindex JOIN history_searchtext t ON t.id = history_searchindex.rowid
        WHERE history_searchindex MATCH %s
    )
"""
_POSTGRESQL = """
    WITH hits AS MATERIALIZED (
        SELECT DISTINCT ON (s.conversation_id) s.conversation_id, s.id,
               ts_rank(s.words, q) * (CASE WHEN s.n < 0 THEN 2 ELSE 1 END) AS score
        FROM history_searchtext s, to_tsquery('simple', %s) q
        WHERE s.words @@ q AND s.conversation_id IN ({owned}) {all}
        ORDER BY s.conversation_id, score DESC
    )
    SELECT conversation_id, id, score FROM hits ORDER BY score DESC, conversation_id DESC LIMIT %s OFFSET %s
"""
_POSTGRESQL_TERM = """
    AND s.conversation_id IN (SELECT t.conversation_id FROM history_searchtext t WHERE t.words @@ to_tsquery('simple', %s))
"""


class Hit(NamedTuple):
    conversation: int
    text: int


def find(
    state: SyncState, *, query: str, limit: int | None, next_page: str | None
) -> dict[str, Any]:
    """Answer a search in the list's shape: ranked, each hit with a snippet, nothing deleted."""
    place = Place.parse(next_page or "")
    skip = place.at if place and place.kind == "q" and place.epoch == state.epoch else 0
    size = limit or PAGE
    terms = terms_of(query)
    hits = _hits(state.pk, terms, limit=size + 1, skip=skip) if terms else []
    more = Place(state.epoch, state.last_seq, "q", skip + size, "") if len(hits) > size else None
    return {
        "conversations": _described(hits[:size], terms),
        "deleted": [],
        "cursor": f"v1.{state.epoch}.{state.last_seq}",
        "epoch": state.epoch,
        "full": True,
        "next": str(more) if more else None,
    }


def _hits(owner_id: int, terms: list[Term], *, limit: int, skip: int) -> list[Hit]:
    owned = Conversation.objects.owned_by(owner_id).live().order_by().values("pk")
    owned_sql, owned_params = owned.query.sql_with_params()
    sqlite = connection.vendor == "sqlite"
    written = [_for_fts5(term) if sqlite else _for_tsquery(term) for term in terms]
    each = written if len(written) > 1 else []
    # Only texts of this file and the ORM's own SQL are put together here; every value is a parameter.
    sql = (_SQLITE if sqlite else _POSTGRESQL).format(
        owned=owned_sql, all=(_SQLITE_TERM if sqlite else _POSTGRESQL_TERM) * len(each)
    )
    either = (" OR " if sqlite else " | ").join(written)
    with connection.cursor() as cursor:
        cursor.execute(sql, [either, *owned_params, *each, limit, skip])
        return [Hit(row[0], row[1]) for row in cursor.fetchall()]


def _for_fts5(term: Term) -> str:
    return f'"{" ".join(term.words)}"' + (" *" if term.open else "")


def _for_tsquery(term: Term) -> str:
    said = " <-> ".join(f"'{fold(word)}'" for word in term.words)
    return f"({said}{':*' if term.open else ''})"


def _described(hits: list[Hit], terms: list[Term]) -> list[dict[str, Any]]:
    rows = {
        row[0]: row[1:]
        for row in Conversation.objects.live()
        .filter(pk__in=[hit.conversation for hit in hits])
        .values_list("pk", *SUMMARY)
    }
    texts = dict(
        SearchText.objects.filter(pk__in=[hit.text for hit in hits]).values_list("pk", "text")
    )
    return [
        {
            **summary(rows[hit.conversation]),
            "snippet": snippet(shown(texts.get(hit.text, "")), terms),
        }
        for hit in hits
        if hit.conversation in rows
    ]
