"""What each of the two databases is told, and the proof at start-up that it listened."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.core.exceptions import ImproperlyConfigured
from django.db import connection

MIGRATION_LOCK = 0x6B656E6E79  # "kenny"
SQLITE: dict[str, Any] = {
    # DEFERRED fails at once with "database is locked" when a reader becomes a writer.
    "transaction_mode": "IMMEDIATE",
    "timeout": 20,
    # FULL: in WAL mode, NORMAL may lose an acknowledged commit when the power fails.
    "init_command": (
        "PRAGMA journal_mode=WAL;PRAGMA synchronous=FULL;PRAGMA foreign_keys=ON;"
        "PRAGMA secure_delete=ON;PRAGMA journal_size_limit=67108864;"
    ),
}
SQLITE_MUST = {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1, "secure_delete": 1}
POSTGRES_SESSION = (
    "-c statement_timeout=10000 -c lock_timeout=5000"
    " -c idle_in_transaction_session_timeout=30000 -c synchronous_commit=on"
)


def configured(found: dict[str, Any], *, pool: int) -> dict[str, Any]:
    """Add kenny's options to a database's settings; options of the URL's query win.

    PostgreSQL gets a pool of at most `pool` connections: with persistent connections each thread of each request
    kept one for good (18 after 120 requests).
    """
    given = found.get("OPTIONS", {})
    if found["ENGINE"].endswith("sqlite3"):
        return found | {"ENGINE": "kenny.sqlite", "OPTIONS": SQLITE | given}
    ours = {
        "pool": {"min_size": 2, "max_size": pool, "timeout": 10, "max_lifetime": 1800},
        "options": POSTGRES_SESSION,
    }
    return found | {"CONN_MAX_AGE": 0, "CONN_HEALTH_CHECKS": True, "OPTIONS": ours | given}


def check() -> None:
    """Raise ImproperlyConfigured unless the database runs as kenny's promises need it."""
    if connection.vendor == "postgresql":
        _check_postgresql()
        return
    with connection.cursor() as cursor:
        for pragma, must in SQLITE_MUST.items():
            cursor.execute(f"PRAGMA {pragma}")
            if cursor.fetchone()[0] != must:
                raise ImproperlyConfigured(
                    f"DATABASE_URL: SQLite does not run with {pragma}={must} here."
                )
    if connection.settings_dict["OPTIONS"].get("transaction_mode") != "IMMEDIATE":
        raise ImproperlyConfigured("DATABASE_URL: SQLite must run with transaction_mode=IMMEDIATE.")


def _check_postgresql() -> None:
    """An option of the URL or of the role may have turned off what makes an acknowledged commit last."""
    with connection.cursor() as cursor:
        cursor.execute("SHOW synchronous_commit")
        if cursor.fetchone()[0] == "off":
            raise ImproperlyConfigured(
                "DATABASE_URL: PostgreSQL does not run with synchronous_commit=on here."
            )


@contextmanager
def alone() -> Iterator[None]:
    """Let one process at a time change the schema, for as long as that takes.

    SQLite's data folder has one server anyway.
    """
    if connection.vendor != "postgresql":
        yield
        return
    with connection.cursor() as cursor:
        cursor.execute("SET statement_timeout = 0; SET lock_timeout = 0")
        cursor.execute("SELECT pg_advisory_lock(%s)", [MIGRATION_LOCK])
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_unlock(%s)", [MIGRATION_LOCK])
            cursor.execute("RESET statement_timeout; RESET lock_timeout")
        connection.close()
