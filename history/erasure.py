"""That deleted content leaves the database's files too, not only its rows."""

from django.db import connection
from django.db.backends.utils import CursorWrapper

TOUCHED = (
    "history_conversation",
    "history_blob",
    "history_bloblink",
    "history_scaledcopy",
    "history_searchtext",
)
"""The tables that hold content here."""

MERGE = 500
"""Pages of the search index that one step may write; between the steps other writers get their turn."""


def flush_deleted(*, tables: tuple[str, ...] = ()) -> bool:
    """Take what was deleted out of the files. Slow; call it outside a transaction, soon after deletes and at the end.

    SQLite overwrites deleted rows by itself (secure_delete); words of deleted texts stay in the search index until its
    parts are merged, and all of it in the write-ahead log until that is cut. PostgreSQL needs a vacuum; `tables` are
    those of other apps that are to be vacuumed with history's own. Return whether all is out: a reader that is busy
    keeps SQLite's log from being cut, so that it takes another call.
    """
    if connection.vendor != "sqlite":
        _vacuum((*TOUCHED, *tables))
        return True
    _merge_index()
    return _cut_log()


def _merge_index() -> None:
    # A negative count makes FTS5 merge all its parts into one, deleted words dropped; positive ones go on with it.
    pages = -MERGE
    with connection.cursor() as cursor:
        while True:
            before = _changes(cursor)
            cursor.execute(_MERGE, [pages])
            pages = MERGE
            # SQLite's own sign of an idle step: fewer than two rows changed.
            if _changes(cursor) - before < 2:
                return


_MERGE = "INSERT INTO history_searchindex(history_searchindex, rank) VALUES ('merge', %s)"


def _changes(cursor: CursorWrapper) -> int:
    cursor.execute("SELECT total_changes()")
    return int(cursor.fetchone()[0])


def _cut_log() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        busy, _, _ = cursor.fetchone()
    return not busy


def _vacuum(tables: tuple[str, ...]) -> None:
    with connection.cursor() as cursor:
        for table in tables:
            cursor.execute(f"VACUUM {connection.ops.quote_name(table)}")
