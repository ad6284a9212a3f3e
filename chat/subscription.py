"""What one socket watches of one conversation: the live turn now, and the ones that come later."""

import asyncio
from collections.abc import Awaitable, Callable

from chat import desk
from chat.models import Turn
from chat.protocol import Watch
from chat.threads import in_thread
from chat.watch import Raw, Trees, follow
from history.errors import Refused

Say = Callable[[str], Awaitable[None]]


class Subscription:
    """Follows a conversation's turns until it is cancelled."""

    def __init__(self, *, conversation_id: str, owner_id: int, render: bool, say: Say) -> None:
        self.conversation_id = conversation_id
        self._owner_id, self._render, self._say = owner_id, render, say
        self._moved = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def begin(self, turn: Turn | None, *, after: int) -> None:
        self._task = asyncio.ensure_future(self._run(turn, after=after))

    def move(self) -> None:
        """A turn of the conversation began or went on."""
        self._moved.set()

    async def end(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _run(self, turn: Turn | None, *, after: int) -> None:
        while True:
            self._moved.clear()
            if turn is not None:
                view = Trees(turn) if self._render else Raw()
                async for frame in follow(turn, after=after, view=view):
                    await self._say(frame.line)
                    after = frame.seq
            await self._moved.wait()
            newer = await self._live()
            if newer is not None:
                after = after if turn is not None and newer.pk == turn.pk else 0
                turn = newer

    async def _live(self) -> Turn | None:
        try:
            found = await in_thread(
                desk.watched, Watch(conversation_id=self.conversation_id), owner_id=self._owner_id
            )
        except Refused:
            return None
        return found.turn if found else None
