"""Emptying the tables after a test that committed, on PostgreSQL: by DELETE.

Django truncates, which makes new files for every table and index and waits until the disk has them (measured: 0.8 to
1.7 s a test); the few rows of a test are gone in milliseconds.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import pytest
from django.db.backends.postgresql.operations import DatabaseOperations

_QUIET = "SET session_replication_role = replica;"
"""References are not followed meanwhile: the order of tables does not matter. Needs a superuser, as making databases does."""


def _deleting(
    it: DatabaseOperations,
    style: Any,
    tables: Sequence[str],
    *,
    reset_sequences: bool = False,
    allow_cascade: bool = False,
) -> Iterable[str]:
    names = [it.quote_name(table) for table in tables]
    deletes = " ".join(f"DELETE FROM {name};" for name in names)  # noqa: S608  names of the models' tables
    return [f"{_QUIET} {deletes} RESET session_replication_role;"] if tables else []


@pytest.fixture(autouse=True, scope="session")
def _tables_are_emptied_by_delete() -> Iterable[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(DatabaseOperations, "sql_flush", _deleting)
        yield
