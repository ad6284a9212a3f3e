"""What one socket watches of one conversation: the live turn now, and the ones that come later."""

import asyncio
import logging
from collections.abc import Awaitable, Callable

from django.db import DatabaseError

from chat import desk
from chat.models import Turn
from chat.protocol import Watch
from chat.threads import in_thread
from chat.watch import Raw, Trees, follow
from history.errors import Refused

logger = logging.getLogger(__name__)

PAUSE = 1.0
"""Seconds before a watcher reads on whose database was away."""

Say = Callable[[str], Awaitable[None]]


class Subscription:
    """Follows a conversation's turns until it is cancelled."""

    def __init__(self, *, conversation_id: str, owner_id: int, render: bool, say: Say) -> None:
        self.conversation_id = conversation_id
        self._owner_id, self._render, self._say = owner_id, render, say
        self._moves: asyncio.Queue[tuple[str, str]] = asyncio.Queue()
        self._task: asyncio.Task[None] | None = None
        self._turn: Turn | None = None

    def follows(self, turn: Turn, *, render: bool) -> bool:
        """Say whether it shows this turn already, in this form."""
        alive = self._task is not None and not self._task.done()
        return alive and self._turn == turn and self._render == render

    def begin(self, turn: Turn | None, *, after: int) -> None:
        self._turn = turn
        self._task = asyncio.ensure_future(self._run(turn, after=after))

    def move(self, turn_id: str, *, status: str) -> None:
        """A turn of the conversation began, went on or ended."""
        self._moves.put_nowait((turn_id, status))

    async def end(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _run(self, turn: Turn | None, *, after: int) -> None:
        while True:
            self._turn = turn
            if turn is not None:
                after = await self._follow(turn, after=after)
            newer = await self._moved(turn)
            if turn is None or newer.pk != turn.pk:
                after = 0
            turn = newer

    async def _follow(self, turn: Turn, *, after: int) -> int:
        """Say what follows until the turn does not run; return the last number said."""
        while True:
            view = Trees(turn) if self._render else Raw()
            try:
                async for frame in follow(turn, after=after, view=view):
                    await self._say(frame.line)
                    after = frame.seq
            except DatabaseError as error:
                logger.warning("a watcher reads on later: %s", type(error).__name__)
                await asyncio.sleep(PAUSE)
            else:
                return after

    async def _moved(self, current: Turn | None) -> Turn:
        """Wait for a turn that begins after `current`, or for `current` to move again.

        The hint names the turn, since a short one may be over before its hint is heard. One that only tells the end
        of an earlier turn is nothing to follow.
        """
        while True:
            turn_id, status = await self._moves.get()
            known = current is not None and current.turn_id == turn_id
            if status != "running" and not known:
                continue
            found = await self._find(turn_id)
            if found is not None and (current is None or found.pk >= current.pk):
                return found

    async def _find(self, turn_id: str) -> Turn | None:
        wanted = Watch(conversation_id=self.conversation_id, turn_id=turn_id)
        try:
            found = await in_thread(desk.watched, wanted, owner_id=self._owner_id)
        except Refused:
            return None
        return found.turn if found else None
