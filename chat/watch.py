"""Following a turn from a position: every event once, in order, from memory in its own process, else from the journal."""

import asyncio
import contextlib
import json
from collections.abc import AsyncGenerator, AsyncIterator, Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol

from chat import runner
from chat.bus import Hint, bus
from chat.models import Turn
from chat.reading import Page, later, read_after
from chat.rendering import Rendering
from chat.tape import Entry, Tape
from chat.threads import in_thread

POLL_EVERY = 15.0


class View(Protocol):
    """How a watcher wants a turn: as its events, or with Markdown as trees."""

    def of_tape(self, tape: Tape, *, after: int) -> AsyncIterator[Entry]: ...

    def reads_after(self, after: int) -> int:
        """Return the number after which it needs the kept events, to show what follows `after`."""

    def of_page(self, entries: Iterable[Entry], *, after: int) -> Iterator[Entry]: ...


def begins_anew(turn_id: str) -> Entry:
    """Return the frame that voids all that was said of a turn; it is no event and has no number."""
    return Entry(0, "restart", json.dumps({"type": "restart", "turnId": turn_id}))


async def follow(turn: Turn, *, after: int, view: View) -> AsyncGenerator[Entry, None]:
    """Yield what follows number `after`, through holds, up to the newest `done` of a turn that does not run.

    The first one is `restart`, and all follow from 1, when `after` lies beyond what a crash left (turns.md 3), and
    again when this process loses the turn's lease.
    """
    position = _Position(turn, after)
    if turn.left is not None and after > turn.left:
        yield position.restart()
    while not position.ended:
        tape = runner.tape_of(turn.pk)
        from_memory = tape is not None and position.after >= tape.start
        frames = position.in_tape(tape, view) if tape and from_memory else position.in_journal(view)
        async for frame in frames:
            yield frame


@dataclass(slots=True)
class _Position:
    """Where a watcher stands in a turn. Its generators move it on."""

    turn: Turn
    after: int
    ended: bool = False

    def restart(self) -> Entry:
        self.after = 0
        return begins_anew(self.turn.turn_id)

    async def in_tape(self, tape: Tape, view: View) -> AsyncIterator[Entry]:
        """Yield from memory until the segment ends."""
        async for frame in view.of_tape(tape, after=self.after):
            self.after = max(self.after, frame.seq)
            yield frame
        if tape.lost:
            yield self.restart()

    async def in_journal(self, view: View) -> AsyncIterator[Entry]:
        """Yield what is kept by now, else wait for more; `ended` when nothing more comes."""
        with _wake_ups(self.turn.pk) as woken:
            page = await _page(self.turn, after=view.reads_after(self.after))
            seen, self.after = self.after, max([self.after, *(e.seq for e in page.entries[-1:])])
            for frame in view.of_page(page.entries, after=seen):
                yield frame
            if self.after > seen or runner.tape_of(self.turn.pk) is not None:
                return
            self.ended = page.ended
            if not page.ended:
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(POLL_EVERY):
                        await woken.wait()


class Raw:
    """The events as they are."""

    async def of_tape(self, tape: Tape, *, after: int) -> AsyncIterator[Entry]:
        position = after - tape.start
        entries = tape.entries
        while True:
            while position < tape.shown:
                yield entries[position]
                position += 1
            if tape.closed:
                return
            await tape.changed()

    def reads_after(self, after: int) -> int:
        return after

    def of_page(self, entries: Iterable[Entry], *, after: int) -> Iterator[Entry]:
        del after  # it was read from there
        yield from entries


class Trees:
    """The events with Markdown as trees (contract 7, `render`). One for each watcher."""

    def __init__(self, turn: Turn) -> None:
        self._turn_id = turn.turn_id
        self._rendering: Rendering | None = None

    async def of_tape(self, tape: Tape, *, after: int) -> AsyncIterator[Entry]:
        self._rendering = None
        live = runner.renderers().watch(tape)
        items = live.rendering.items
        position = len(items)
        for item in live.rendering.since(after):
            yield Entry(item.seq, item.type, item.line)
        while True:
            while position < len(items):
                item = items[position]
                yield Entry(item.seq, item.type, item.line)
                position += 1
            if live.ended or tape.lost:
                return
            await live.changed()

    def reads_after(self, after: int) -> int:
        """A run of text that goes beyond `after` is rendered from its start, wherever that was."""
        return after if self._rendering else 0

    def of_page(self, entries: Iterable[Entry], *, after: int) -> Iterator[Entry]:
        fresh = self._rendering is None
        rendering = self._rendering = self._rendering or Rendering(self._turn_id)
        sent = len(rendering.items)
        for entry in entries:
            rendering.take(entry)
        rendering.tick()
        for item in rendering.since(after) if fresh else rendering.items[sent:]:
            yield Entry(item.seq, item.type, item.line)


async def _page(turn: Turn, *, after: int) -> Page:
    page = await in_thread(read_after, turn.pk, after=after)
    if page.ended and not page.entries:
        # Its events may be forgotten, ten minutes after its end: the conversation and the row tell what is left to tell.
        page = await in_thread(later, turn.pk)
    return Page(entries=[entry for entry in page.entries if entry.seq > after], ended=page.ended)


@contextlib.contextmanager
def _wake_ups(turn_pk: int) -> Iterator[asyncio.Event]:
    """Set an event when another process says that the turn moved. Entered before the read, so that none is missed."""
    woken = asyncio.Event()

    def hear(hint: Hint) -> None:
        turns = hint.get("turns", ())
        # Keys are strings once a hint has been through JSON.
        if turn_pk in turns or str(turn_pk) in turns:
            woken.set()

    bus.listen(hear)
    try:
        yield woken
    finally:
        bus.forget(hear)
