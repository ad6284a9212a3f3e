"""A turn's events for watchers that want Markdown as trees: closed blocks once, the open rest as deltas.

A process renders each of its turns once for all watchers, within a budget for the whole process: a fifth of a core,
so that ticks stretch under load instead of taking the loop away from the streams.
"""

import asyncio
import heapq
import itertools
import json
import logging
import time
from typing import Any, NamedTuple

from chat.tape import Entry, Tape
from history.markdown.plain import text_of
from history.markdown.stream import Growing, delta

logger = logging.getLogger(__name__)

TICK = 0.1
SHARE = 0.2
Nodes = list[Any]


class Item(NamedTuple):
    """One frame for rendering watchers. `part` is the run of text it belongs to (its first event's number), or 0."""

    seq: int
    type: str
    line: str
    part: int


class Rendering:
    """Turns a turn's events into frames. `take` events in order, `tick` to show the open rest."""

    def __init__(self, turn_id: str) -> None:
        self.items: list[Item] = []
        self._turn_id = turn_id
        self._closed_by: dict[int, int] = {}
        self._growing: Growing | None = None
        self._part = self._seq = self._index = 0
        self._tail: Nodes = []
        self._dirty = False

    @property
    def dirty(self) -> bool:
        """There is text that no frame shows yet."""
        return self._dirty

    def take(self, entry: Entry) -> None:
        if entry.type != "text_delta":
            self._finish(closed_by=entry.seq)
            self.items.append(Item(entry.seq, entry.type, entry.line, 0))
            return
        if self._growing is None:
            self._growing, self._part, self._index, self._tail = Growing(), entry.seq, 0, []
        self._growing.feed(json.loads(entry.line)["text"])
        self._seq, self._dirty = entry.seq, True

    def tick(self) -> None:
        """Render what has come since the last tick."""
        if self._growing is None or not self._dirty:
            return
        self._dirty = False
        closed, rest = self._growing.tick()
        self._close(closed)
        if rest != self._tail:
            self._add("tail", delta=delta(self._tail, rest))
            self._tail = rest

    def _close(self, nodes: list[Any]) -> None:
        for node in nodes:
            self._add("block", index=self._index, nodes=[node], text=text_of([node]))
            self._index += 1
            self._tail = []

    def _finish(self, *, closed_by: int) -> None:
        """Close the run: the open rest becomes blocks, and the whole once more where a late definition changed it."""
        if self._growing is None:
            return
        self._closed_by[self._part] = closed_by
        self._close(self._growing.close())
        if not self._index:
            # Only white space: a block of nothing still says which events it holds, so that no watcher sees a gap.
            self._add("block", index=0, nodes=[], text="")
        whole = self._growing.end()
        if whole is not None:
            self._add("end", nodes=whole)
        self._growing, self._dirty = None, False

    def _add(self, kind: str, **facts: Any) -> None:
        frame = {
            "type": kind,
            "turnId": self._turn_id,
            "part": self._part,
            "seq": self._seq,
            **facts,
        }
        line = json.dumps(frame, ensure_ascii=False, separators=(",", ":"))
        self.items.append(Item(self._seq, kind, line, self._part))

    def since(self, after: int) -> list[Item]:
        """Return what a watcher needs that has seen the events up to `after`.

        A run of text comes again from its start unless they have seen the event that closed it: its blocks, then its
        open rest at once. Having seen all of its text is not enough, as the end of it was an open rest for them.
        """
        open_until = after + 1
        wanted = [
            item
            for item in self.items
            if item.type != "tail"
            and (self._closed_by.get(item.part, open_until) if item.part else item.seq) > after
        ]
        if self._growing is not None and self._tail:
            frame = {"type": "tail", "turnId": self._turn_id, "part": self._part, "seq": self._seq}
            line = json.dumps(
                frame | {"delta": delta([], self._tail)},
                ensure_ascii=False,
                separators=(",", ":"),
            )
            wanted.append(Item(self._seq, "tail", line, self._part))
        return wanted


class Live:
    """The rendering of a tape of this process; watchers wait on it as they do on the tape."""

    def __init__(self, tape: Tape) -> None:
        self.tape = tape
        self.rendering = Rendering(tape.turn_id)
        self.taken = 0
        self.watchers = 0
        self._waiters: list[asyncio.Future[None]] = []

    def step(self) -> float:
        """Take what is shown by now and render it; return what it cost in seconds of this thread's CPU.

        By the wall clock, a moment in which other threads ran would count as rendering and slow the ticks down.
        """
        began = time.thread_time()
        tape = self.tape
        for entry in tape.entries[self.taken : tape.shown]:
            self.rendering.take(entry)
        self.taken = tape.shown
        self.rendering.tick()
        self.wake()
        return time.thread_time() - began

    @property
    def ended(self) -> bool:
        return self.tape.closed and self.taken >= self.tape.shown

    def wake(self) -> None:
        waiters, self._waiters = self._waiters, []
        for waiter in waiters:
            if not waiter.done():
                waiter.set_result(None)

    async def changed(self) -> None:
        waiter = asyncio.get_running_loop().create_future()
        self._waiters.append(waiter)
        await waiter


class Renderers:
    """Renders the watched tapes of this process, each at most every TICK, all together within SHARE of a core."""

    def __init__(self) -> None:
        self._live: dict[int, Live] = {}
        self._due: list[tuple[float, int, Live]] = []
        self._queued: set[int] = set()
        self._numbers = itertools.count()
        self._some = asyncio.Event()

    def watch(self, tape: Tape) -> Live:
        """Return the tape's rendering; `leave` must follow."""
        live = self._live.get(tape.turn_pk)
        if live is None or live.tape is not tape:
            live = self._live[tape.turn_pk] = Live(tape)
            asyncio.ensure_future(self._attend(live))  # noqa: RUF006  ends with the tape, which the runner holds
            live.step()
        live.watchers += 1
        return live

    def leave(self, live: Live) -> None:
        live.watchers -= 1

    async def _attend(self, live: Live) -> None:
        """Queue a tape for rendering whenever it shows more."""
        tape = live.tape
        while not tape.closed:
            if tape.shown == live.taken:
                await tape.changed()
            if tape.shown != live.taken:
                self._queue(live, wait=0.0)
                await live.changed()
        while not live.ended:
            self._queue(live, wait=0.0)
            await live.changed()
        live.wake()
        if self._live.get(tape.turn_pk) is live:
            del self._live[tape.turn_pk]

    def _queue(self, live: Live, *, wait: float) -> None:
        if live.tape.turn_pk in self._queued:
            return
        self._queued.add(live.tape.turn_pk)
        heapq.heappush(self._due, (time.monotonic() + wait, next(self._numbers), live))
        self._some.set()

    async def run(self) -> None:
        """Render what is due, then pause so long that rendering keeps to its share."""
        rendered: dict[int, float] = {}
        while True:
            await self._some.wait()
            self._some.clear()
            while self._due:
                due, _, live = heapq.heappop(self._due)
                pk = live.tape.turn_pk
                early = max(due, rendered.get(pk, 0.0) + TICK) - time.monotonic()
                self._queued.discard(pk)
                if early > 0 and not live.tape.closed:
                    self._requeue_later(live, early)
                    continue
                cost = self._step(live)
                rendered[pk] = time.monotonic()
                if live.ended:
                    rendered.pop(pk, None)
                await asyncio.sleep(cost * (1 / SHARE - 1))

    def _requeue_later(self, live: Live, seconds: float) -> None:
        self._queued.add(live.tape.turn_pk)

        def again() -> None:
            self._queued.discard(live.tape.turn_pk)
            self._queue(live, wait=0.0)

        asyncio.get_running_loop().call_later(seconds, again)

    def _step(self, live: Live) -> float:
        try:
            return live.step()
        except Exception:
            logger.exception("turn %s could not be rendered", live.tape.turn_id)
            live.tape.close(lost=True)
            return 0.0
