"""The events of a running turn in the process that runs it: numbered once, shown in order, never merged after."""

import asyncio
from typing import NamedTuple

from chat import events

DELTAS = ("text_delta", "thinking_delta")


class Entry(NamedTuple):
    """One event: its number, its type and its JSON on one line."""

    seq: int
    type: str
    line: str


class Tape:
    """`start` is the number of the last event before this tape (an earlier segment's); `fence` guards every write.

    Text may be shown before it is kept; any other event is kept first (turns.md 2). So `shown` stops before the
    first unkept event that is no text, and moves on when the journal says that it is kept.
    """

    def __init__(
        self, *, turn_pk: int, turn_id: str, conversation_id: str, fence: int, start: int
    ) -> None:
        self.turn_pk, self.turn_id, self.conversation_id, self.fence = (
            turn_pk,
            turn_id,
            conversation_id,
            fence,
        )
        self.start = start
        self.entries: list[Entry] = []
        self.shown = 0
        self.kept = 0
        self.closed = False
        self.lost = False
        self._waiters: list[asyncio.Future[None]] = []
        self._dump = {kind: events.delta_dumper(kind=kind, turn_id=turn_id) for kind in DELTAS}

    @property
    def last_seq(self) -> int:
        return self.start + len(self.entries)

    def say(self, kind: str, text: str) -> None:
        """Append a delta; it is shown at once unless an event before it still waits to be kept."""
        seq = self.start + len(self.entries) + 1
        self.entries.append(Entry(seq, kind, self._dump[kind](seq, text)))
        if self.shown == len(self.entries) - 1:
            self.shown += 1
            self.wake()

    def thought(self, ms: int) -> None:
        """End a run of thinking: a delta without text that says how long it took."""
        seq = self.last_seq + 1
        line = events.thought(turn_id=self.turn_id, seq=seq, ms=ms)
        self.entries.append(Entry(seq, "thinking_delta", line))
        if self.shown == len(self.entries) - 1:
            self.shown += 1
            self.wake()

    def append(self, event: events.Event) -> None:
        """Append an event that is shown once the journal has kept it."""
        seq = self.last_seq + 1
        line = events.dump(
            event, turn_id=self.turn_id, seq=seq, conversation_id=self.conversation_id
        )
        self.entries.append(Entry(seq, event.type, line))

    def begin_with(self, entry: Entry) -> None:
        """Take over an event that was kept when the turn was made."""
        self.entries.append(entry)
        self.shown = self.kept = 1

    def unkept(self) -> list[Entry]:
        return self.entries[self.kept :]

    def keep(self, upto: int) -> None:
        """The journal has events up to number `upto`: show them and the text that follows."""
        self.kept = max(self.kept, upto - self.start)
        shown = max(self.shown, self.kept)
        while shown < len(self.entries) and self.entries[shown].type in DELTAS:
            shown += 1
        if shown != self.shown:
            self.shown = shown
            self.wake()

    def close(self, *, lost: bool = False) -> None:
        """No event follows. `lost`: another process took the turn over, what follows here is not what it wrote."""
        self.closed, self.lost = True, lost
        self.wake()

    def wake(self) -> None:
        waiters, self._waiters = self._waiters, []
        for waiter in waiters:
            if not waiter.done():
                waiter.set_result(None)

    async def changed(self) -> None:
        """Wait until more is shown or the tape is closed."""
        waiter = asyncio.get_running_loop().create_future()
        self._waiters.append(waiter)
        await waiter
