"""Where blocking work goes: bounded pools, and no connection kept for longer than a call (rule 24)."""

import asyncio
import threading

import pytest
from django.contrib.auth.models import User
from django.db import connection

from chat import threads


class TestInThread:
    async def test_lets_several_wait_at_once(self) -> None:
        """Each call meets the others inside: one thread for all would never let them."""
        meeting = threading.Barrier(threads.DATABASE_THREADS)

        await asyncio.gather(
            *(threads.in_thread(meeting.wait, 10) for _ in range(threads.DATABASE_THREADS))
        )

        assert not meeting.broken

    async def test_brings_back_what_was_raised(self) -> None:
        def broken() -> None:
            raise KeyError

        with pytest.raises(KeyError):
            await threads.in_thread(broken)

    async def test_goes_on_when_nobody_waits_any_more_t34(self) -> None:
        """A write is not undone by the end of who asked for it."""
        begun, goes_on, ended = (threading.Event() for _ in range(3))

        def slow() -> None:
            begun.set()
            goes_on.wait(10)
            ended.set()

        waiting = asyncio.ensure_future(threads.in_thread(slow))
        await asyncio.sleep(0)
        assert await asyncio.to_thread(begun.wait, 10)
        waiting.cancel()
        goes_on.set()

        assert await asyncio.to_thread(ended.wait, 10)

    def test_keeps_no_connection_on_postgresql(self, owner: User) -> None:
        """Rule 24: eight threads that each kept one would empty the pool of a small server."""

        def asked() -> bool:
            assert User.objects.filter(pk=owner.pk).exists()
            return connection.connection is not None

        def left() -> bool:
            return connection.connection is not None

        async def both() -> tuple[bool, bool]:
            open_inside = await threads.in_thread(asked)
            loop = asyncio.get_running_loop()
            kept = await asyncio.gather(
                *(loop.run_in_executor(threads._database, left) for _ in range(20))
            )
            return open_inside, any(kept)

        open_inside, kept = asyncio.run(both())

        assert open_inside
        assert not (kept and connection.vendor == "postgresql")


class TestToolThread:
    async def test_is_not_the_databases(self) -> None:
        """A tool that blocks for long keeps no query waiting."""
        blocked = threading.Event()
        tools = [threads.tool_thread(blocked.wait, 10) for _ in range(threads.TOOL_THREADS)]

        assert await threads.in_thread(int) == 0

        blocked.set()
        assert all(await asyncio.gather(*tools))
