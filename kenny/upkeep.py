"""What a running server does now and then: takes deleted words out of the database's files, drops dead sessions."""

import asyncio
import logging
from collections.abc import Iterator
from contextlib import contextmanager

from django.core.management import call_command
from django.db import connection

from chat.models import ToolCall, Turn, TurnEvent, TurnMessage
from chat.threads import in_thread
from history import hooks
from history.erasure import flush_deleted

logger = logging.getLogger(__name__)

EVERY = 20.0  # seconds; what was deleted must be gone from the files within 60
SESSIONS_EVERY = 24 * 3600.0
TABLES = tuple(model._meta.db_table for model in (Turn, TurnMessage, ToolCall, TurnEvent))  # noqa: SLF001  the only way to the name


class Upkeep:
    """One a process. `deleted` is set when a conversation was deleted since the files were last cleaned."""

    def __init__(self) -> None:
        self.deleted = True  # what a crash left
        hooks.changed.append(self._note)
        hooks.erase.append(self._note_erasure)

    def _note(self, change: hooks.Change) -> None:
        self.deleted = self.deleted or change.deleted

    def _note_erasure(self, _user_id: int) -> None:
        self.deleted = True

    async def run(self) -> None:
        """Go on until cancelled."""
        next_sessions = 0.0
        clock = asyncio.get_running_loop().time
        while True:
            try:
                await self.clean()
                if clock() >= next_sessions:
                    next_sessions = clock() + SESSIONS_EVERY
                    await in_thread(call_command, "clearsessions")
            except Exception:
                logger.exception("upkeep failed and is tried again")
            await asyncio.sleep(EVERY)

    async def clean(self) -> None:
        """Take deleted content out of the files if there is any."""
        if self.deleted:
            self.deleted = False
            try:
                await in_thread(clean_files)
            except BaseException:
                self.deleted = True
                raise


def clean_files() -> bool:
    """Take deleted content out of the files; return whether all is out."""
    with _patient():
        return flush_deleted(tables=TABLES)


@contextmanager
def _patient() -> Iterator[None]:
    """Lift PostgreSQL's time limit, which is for requests, while a table is vacuumed."""
    if connection.vendor != "postgresql":
        yield
        return
    with connection.cursor() as cursor:
        cursor.execute("SET statement_timeout = 0")
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute("RESET statement_timeout")
