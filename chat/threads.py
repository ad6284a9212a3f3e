"""Where blocking work of the event loop goes: two bounded pools, so that no socket waits for another's query.

Channels' own `database_sync_to_async` puts every socket of a process on one thread (measured: ten queries of 0.2 s
took 2 s); these pools do not.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import ParamSpec, TypeVar

from django.db import connection, connections

P = ParamSpec("P")
T = TypeVar("T")

DATABASE_THREADS = 8
TOOL_THREADS = 16

_database = ThreadPoolExecutor(DATABASE_THREADS, thread_name_prefix="kenny-db")
_tools = ThreadPoolExecutor(TOOL_THREADS, thread_name_prefix="kenny-tool")


def _with_connection(call: Callable[[], T]) -> T:
    """Run one database call.

    On PostgreSQL its connection goes back to the pool at once (turns.md 24); on SQLite the thread keeps it, since
    opening one costs more than most calls.
    """
    try:
        return call()
    finally:
        if connection.vendor == "postgresql" or connection.errors_occurred:
            connections.close_all()


async def in_thread(call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run a database call off the loop.

    Cancelling the awaiter does not stop the thread, which still commits: callers that may be cancelled read the row
    again instead of assuming that nothing was written.
    """
    work = partial(_with_connection, partial(call, *args, **kwargs))
    return await asyncio.get_running_loop().run_in_executor(_database, work)


def tool_thread(call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> "asyncio.Future[T]":
    """Start a tool's effect; it may block for long and goes on when nobody waits any more."""
    work = partial(_with_connection, partial(call, *args, **kwargs))
    return asyncio.get_running_loop().run_in_executor(_tools, work)
