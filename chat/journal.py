"""The events of all turns of this process on their way into the database: one flush for all, at most every 200 ms.

A flush is one transaction: it locks the turns it writes in id order, writes only those whose lease still stands
(turns.md 4 and 8), one packed row a turn, and runs the jobs (checkpoints, claims, results) that came with the events.
"""

import asyncio
import contextlib
import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db import transaction

from chat import lease
from chat.bus import bus
from chat.models import Turn, TurnEvent
from chat.tape import Entry, Tape
from chat.threads import in_thread

logger = logging.getLogger(__name__)

FLUSH_EVERY = 0.2
LOOK_EVERY = 1.0

Job = Callable[[Turn], Any]


class LeaseLost(Exception):
    """Another process took the turn, or it was deleted: nothing more of it may be written here."""


@dataclass(slots=True)
class Work:
    """What one flush does for one turn, and what came of it."""

    tape: Tape
    entries: list[Entry]
    jobs: list[tuple[Job, asyncio.Future[Any]]]
    lost: bool = False
    stop: bool = False
    results: list[Any] = field(default_factory=list)


def packed(entries: Sequence[Entry]) -> str:
    return "[" + ",".join(entry.line for entry in entries) + "]"


def write(batch: list[Work], *, renew: bool) -> None:
    """Write a batch in one transaction; fills in `lost`, `stop` and `results`. Raises what the database raises."""
    with transaction.atomic():
        pks = [work.tape.turn_pk for work in batch]
        held = Turn.objects.running().filter(pk__in=pks, lease_owner=lease.BOOT)
        turns = {turn.pk: turn for turn in held.select_for_update().order_by("pk")}
        rows = []
        for work in batch:
            turn = turns.get(work.tape.turn_pk)
            work.lost = turn is None or turn.fence != work.tape.fence
            work.stop = turn is not None and turn.stop
            if work.entries and not work.lost:
                last = work.entries[-1].seq
                rows.append(
                    TurnEvent(turn_id=work.tape.turn_pk, last_seq=last, events=packed(work.entries))
                )
        TurnEvent.objects.bulk_create(rows)
        for work in batch:
            if not work.lost:
                work.results = [job(turns[work.tape.turn_pk]) for job, _ in work.jobs]
        if renew:
            lease.renew([work.tape.turn_pk for work in batch if not work.lost])


def write_apart(batch: list[Work], *, renew: bool) -> None:
    """Write turn by turn after a batch failed: one bad row must not stop every turn of the process."""
    for work in batch:
        try:
            write([work], renew=renew)
        except Exception:
            logger.exception("turn %s cannot be kept and loses its lease", work.tape.turn_id)
            work.lost, work.results = True, []


@dataclass(slots=True)
class _Tracked:
    tape: Tape
    on_lost: Callable[[], None]
    on_stop: Callable[[], None]
    jobs: list[tuple[Job, asyncio.Future[Any]]] = field(default_factory=list)


class Journal:
    """One a process; all methods belong to the loop's thread."""

    def __init__(self) -> None:
        self._tracked: dict[int, _Tracked] = {}
        self._some = asyncio.Event()
        self._urgent = asyncio.Event()
        self._flushing = asyncio.Lock()
        self._last_flush = self._last_renewal = self._last_look = time.monotonic()

    def track(
        self, tape: Tape, *, on_lost: Callable[[], None], on_stop: Callable[[], None]
    ) -> None:
        """Keep the tape's events from now on. The callbacks are called on the loop, once each."""
        self._tracked[tape.turn_pk] = _Tracked(tape, on_lost, on_stop)

    async def release(self, tape: Tape) -> None:
        """Stop keeping the tape, after a running flush has ended: the caller writes the rest with its settle."""
        async with self._flushing:
            self._tracked.pop(tape.turn_pk, None)

    def touch(self) -> None:
        """There is something to keep, within 200 ms."""
        self._some.set()

    async def commit(self, tape: Tape, job: Job | None = None) -> Any:
        """Keep all of the tape's events and run the job in the same transaction; return the job's result.

        Raises LeaseLost. Cancelling the caller does not undo the write.
        """
        tracked = self._tracked.get(tape.turn_pk)
        if tracked is None:
            raise LeaseLost
        done: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        tracked.jobs.append((job or _nothing, done))
        self._urgent.set()
        self._some.set()
        return await done

    async def run(self) -> None:
        """Flush for as long as the process lives."""
        while True:
            await _set_within(self._some, LOOK_EVERY)
            await _set_within(self._urgent, self._last_flush + FLUSH_EVERY - time.monotonic())
            try:
                await self.flush()
            except Exception:
                logger.exception("a flush failed")

    async def flush(self) -> None:
        async with self._flushing:
            self._some.clear()
            self._urgent.clear()
            batch, renew = self._collect()
            self._last_flush = time.monotonic()
            if batch:
                await self._write(batch, renew=renew)
                self._settle_up(batch)

    def _collect(self) -> tuple[list[Work], bool]:
        now = time.monotonic()
        look = now - self._last_look >= LOOK_EVERY
        renew = now - self._last_renewal >= lease.RENEW_EVERY
        batch = []
        for tracked in self._tracked.values():
            entries = tracked.tape.unkept()
            if entries or tracked.jobs or look or renew:
                batch.append(Work(tracked.tape, entries, tracked.jobs))
                tracked.jobs = []
        if look or renew:
            self._last_look = now
        if renew:
            self._last_renewal = now
        return batch, renew

    async def _write(self, batch: list[Work], *, renew: bool) -> None:
        try:
            await in_thread(write, batch, renew=renew)
        except Exception as error:  # noqa: BLE001  whatever fails in one of them is found by trying each alone
            logger.warning(
                "a batch of %d turns failed, writing them apart: %s",
                len(batch),
                type(error).__name__,
            )
            await in_thread(write_apart, batch, renew=renew)

    def _settle_up(self, batch: list[Work]) -> None:
        flushed = {}
        for work in batch:
            tracked = self._tracked.get(work.tape.turn_pk)
            if work.lost:
                self._lose(work, tracked)
                continue
            if work.entries:
                work.tape.keep(work.entries[-1].seq)
                flushed[work.tape.turn_pk] = work.entries[-1].seq
            for (_, done), result in zip(work.jobs, work.results, strict=True):
                if not done.done():
                    done.set_result(result)
            if work.stop and tracked:
                tracked.on_stop()
        if flushed and bus.remote:
            bus.post({"kind": "flushed", "turns": flushed})

    def _lose(self, work: Work, tracked: _Tracked | None) -> None:
        self._tracked.pop(work.tape.turn_pk, None)
        work.tape.close(lost=True)
        late = tracked.jobs if tracked else []
        for _, done in [*work.jobs, *late]:
            if not done.done():
                done.set_exception(LeaseLost())
        if tracked:
            tracked.on_lost()


def _nothing(turn: Turn) -> None:
    del turn


async def _set_within(event: asyncio.Event, seconds: float) -> None:
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(max(0.0, seconds)):
            await event.wait()
