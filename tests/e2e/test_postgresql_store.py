"""The tests of the store, the feed, the search and all that stands on them once more, on PostgreSQL."""

import pytest

from tests.support.again import on_postgresql

pytestmark = [pytest.mark.postgres, pytest.mark.timeout(900)]
FILES = (
    "api_conditions", "api_deleting", "api_saving", "blobs", "erase_user", "erasure", "export_import", "feed",
    "feed_hints", "search", "store_races", "store_turns",
)  # fmt: skip
FILES_OF_SQLITE = (
    "tests/history/test_erasure.py::TestFlush::test_leaves_no_word_in_database_and_log"
)
"""Looks into the database's files, which on PostgreSQL are its server's."""


def test_the_store_and_all_that_stands_on_it_hold() -> None:
    paths = [f"tests/history/test_{file}.py" for file in FILES]

    ran = on_postgresql(*paths, f"--deselect={FILES_OF_SQLITE}")

    assert len(ran) > 250
