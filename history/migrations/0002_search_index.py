"""Set up the inverted index beside history_searchtext: FTS5 on SQLite, a tsvector column with GIN on PostgreSQL."""

import sqlite3

from django.db import migrations

SQLITE = [
    """
    CREATE VIRTUAL TABLE history_searchindex USING fts5(
        text, content='history_searchtext', content_rowid='id', tokenize='unicode61 remove_diacritics 2'
    )
    """,
    # Triggers, so that a cascade (the deletion of a user) leaves the index in step too.
    """
    CREATE TRIGGER history_searchtext_added AFTER INSERT ON history_searchtext BEGIN
        INSERT INTO history_searchindex(rowid, text) VALUES (new.id, new.text);
    END
    """,
    """
    CREATE TRIGGER history_searchtext_gone AFTER DELETE ON history_searchtext BEGIN
        INSERT INTO history_searchindex(history_searchindex, rowid, text) VALUES ('delete', old.id, old.text);
    END
    """,
]
SQLITE_BACK = [
    "DROP TRIGGER history_searchtext_gone",
    "DROP TRIGGER history_searchtext_added",
    "DROP TABLE history_searchindex",
]
POSTGRESQL = [
    "ALTER TABLE history_searchtext ADD COLUMN words tsvector",
    "CREATE INDEX history_searchtext_words ON history_searchtext USING gin (words)",
    # Images are compressed already: without this every write would try again.
    "ALTER TABLE history_blob ALTER COLUMN data SET STORAGE EXTERNAL",
    "ALTER TABLE history_scaledcopy ALTER COLUMN data SET STORAGE EXTERNAL",
]
POSTGRESQL_BACK = [
    "DROP INDEX history_searchtext_words",
    "ALTER TABLE history_searchtext DROP COLUMN words",
]


def set_up(apps, schema_editor):
    vendor = schema_editor.connection.vendor
    for statement in {"sqlite": SQLITE, "postgresql": POSTGRESQL}[vendor]:
        schema_editor.execute(statement)
    if vendor == "sqlite" and sqlite3.sqlite_version_info >= (3, 42):
        # Deleted words leave the index with the delete itself, not with the next merge.
        schema_editor.execute("INSERT INTO history_searchindex(history_searchindex, rank) VALUES ('secure-delete', 1)")


def take_down(apps, schema_editor):
    for statement in {"sqlite": SQLITE_BACK, "postgresql": POSTGRESQL_BACK}[schema_editor.connection.vendor]:
        schema_editor.execute(statement)


class Migration(migrations.Migration):
    dependencies = [("history", "0001_conversations")]
    operations = [migrations.RunPython(set_up, take_down)]
