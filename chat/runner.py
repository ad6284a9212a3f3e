"""The turns that run in this process: taken up, nudged, stopped, drained; and the ones that nobody runs any more.

`start` and `drain` are called by the server (`kenny.serve`); everything else may be called from any thread.
"""

import asyncio
import contextlib
import logging
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from typing import Any, TypeVar

from django.contrib.auth import get_user_model
from django.db import connection

from chat import calls, doors, hints, lease, sweep
from chat.bus import Hint, bus
from chat.failpoints import hit
from chat.journal import Journal
from chat.llm import catalogue
from chat.llm.base import Lists, Model, listed_by
from chat.rendering import Renderers
from chat.segment import Segment
from chat.tape import Tape
from chat.threads import in_thread
from chat.turns import Started
from history.errors import Unavailable

logger = logging.getLogger(__name__)
T = TypeVar("T")

SWEEP_EVERY = 1.0
EXPIRE_EVERY = 60.0
RECOVER_EVERY = lease.RENEW_EVERY


class Runner:
    """One a process. All state belongs to the loop's thread."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.journal = Journal()
        self.renderers = Renderers()
        self.draining = False
        self._segments: dict[int, Segment] = {}
        self._tasks: dict[int, asyncio.Task[None]] = {}
        self._work: list[asyncio.Task[None]] = []
        self._loop = asyncio.get_running_loop()

    def tape_of(self, turn_pk: int) -> Tape | None:
        """Return the tape of a turn that this process runs and still may write."""
        segment = self._segments.get(turn_pk)
        return segment.tape if segment and not segment.tape.closed else None

    def listed(self) -> list[dict[str, Any]]:
        """Return the models that the provider is known to have. From any thread."""
        return listed_by(self.model)

    def ask_for_models(self) -> list[dict[str, Any]]:
        """Return a fresh listing, or the last known one. From a worker thread, which waits a few seconds at most."""
        if not isinstance(self.model, Lists) or self.model.known():
            return self.listed()
        asked = self.submit(self.model.models())
        with contextlib.suppress(TimeoutError):
            return asked.result(catalogue.PATIENCE + 1)
        return self.listed()

    def submit(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        """Run work on the loop for a worker thread, which waits for what is returned."""
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    async def begin(self) -> None:
        """Take up what a crash left, then keep the journal, the leases and the expiries going."""
        await bus.start()
        bus.listen(self._on_hint)
        alone = connection.vendor == "sqlite"
        await in_thread(sweep.recover, set(), every=alone)
        self._work = [
            asyncio.ensure_future(self.journal.run()),
            asyncio.ensure_future(self.renderers.run()),
            asyncio.ensure_future(self._list_models()),
            asyncio.ensure_future(self._every(RECOVER_EVERY, self._recover)),
            asyncio.ensure_future(self._every(EXPIRE_EVERY, sweep.expire)),
            asyncio.ensure_future(self._every(SWEEP_EVERY, self._stop_orphans)),
        ]

    def launch(self, started: Started) -> None:
        """Take up a turn whose lease this process holds. From any thread."""
        self._loop.call_soon_threadsafe(self._launch, started)

    def _launch(self, started: Started) -> None:
        turn = started.turn
        tape = Tape(
            turn_pk=turn.pk,
            turn_id=turn.turn_id,
            conversation_id=started.conversation_id,
            fence=turn.fence,
            start=started.after,
        )
        if started.said:
            tape.begin_with(started.said)
        segment = Segment(
            turn, tape=tape, journal=self.journal, model=self.model, given=started.material
        )
        self._segments[turn.pk] = segment
        segment.follow()
        # Whoever waits on the journal for this turn now follows it from memory.
        bus.post({"kind": "flushed", "turns": {turn.pk: tape.last_seq}})
        hints.live(turn, status="running")
        self._tasks[turn.pk] = task = asyncio.ensure_future(self._run(segment))
        task.add_done_callback(lambda done: self._forget(turn.pk, done))

    def _forget(self, turn_pk: int, task: asyncio.Task[None]) -> None:
        if self._tasks.get(turn_pk) is task:
            del self._tasks[turn_pk]

    async def _run(self, segment: Segment) -> None:
        turn = segment.turn
        try:
            settled = await segment.run()
        except Exception:
            logger.exception("turn %s was given up, its lease runs out", turn.turn_id)
            await self.journal.release(segment.tape)
            segment.tape.close(lost=True)
        else:
            if settled:
                hints.live(turn, status=settled.status)
        finally:
            # A decision may have launched the next segment already.
            if self._segments.get(turn.pk) is segment:
                del self._segments[turn.pk]

    def nudge(self, turn_pk: int) -> None:
        """A decision or a stop was written to a turn's rows: whoever runs it looks again. From any thread."""
        bus.post({"kind": "nudge", "turn": turn_pk})

    def stop(self, turn_pk: int) -> None:
        """The stop flag is up: whoever runs the turn ends it. From any thread."""
        bus.post({"kind": "stop", "turn": turn_pk})

    def _on_hint(self, hint: Hint) -> None:
        segment = self._segments.get(hint.get("turn", -1))
        if segment is None:
            return
        if hint["kind"] == "nudge":
            segment.nudge()
        elif hint["kind"] == "stop":
            segment.stop()

    async def _every(self, seconds: float, work: Callable[[], object]) -> None:
        while True:
            await asyncio.sleep(seconds)
            try:
                result = work() if asyncio.iscoroutinefunction(work) else in_thread(work)
                await result
            except Exception:
                logger.exception("a sweep failed and is tried again")

    async def _list_models(self) -> None:
        """Keep the listing of models known, so that nobody's send has to wait for it."""
        while isinstance(self.model, Lists):
            await self.model.models()
            await asyncio.sleep(catalogue.SOON)

    async def _recover(self) -> None:
        await in_thread(sweep.recover, set(self._segments), every=False)

    async def _stop_orphans(self) -> None:
        """End the turns of people who may not be here any more (turns.md 15)."""
        if not self._segments:
            return
        owners = {pk: segment.turn.owner_id for pk, segment in self._segments.items()}
        active = await in_thread(_active, set(owners.values()))
        for pk, owner in owners.items():
            if owner not in active and pk in self._segments:
                self._segments[pk].stop()

    async def drain(self, grace: float) -> None:
        """Let running turns end within `grace` seconds, settle the rest as interrupted, close every door."""
        self.draining = True
        hit("drain.begun")
        if self._tasks:
            await asyncio.wait(list(self._tasks.values()), timeout=grace)
        left = list(self._segments)
        for pk in left:
            self._segments[pk].interrupt()
        if self._tasks:
            await asyncio.wait(list(self._tasks.values()), timeout=calls.STOP_GRACE + 2)
        await self.journal.flush()
        hit("drain.settled")
        doors.close_all(doors.RESTARTING)
        bus.forget(self._on_hint)
        for task in self._work:
            task.cancel()
        await asyncio.gather(*self._work, return_exceptions=True)
        await bus.stop()


def _active(user_ids: set[int]) -> set[int]:
    users = get_user_model().objects.filter(pk__in=user_ids, is_active=True)
    return set(users.values_list("pk", flat=True))


_runner: Runner | None = None


async def start(model: Model) -> Runner:
    """Begin to run turns in this process, on the running loop; recovery is done when this returns."""
    global _runner  # noqa: PLW0603  one runner a process, made when its loop is there
    _runner = Runner(model)
    await _runner.begin()
    return _runner


async def drain(grace: float) -> None:
    """Let this process end. Idempotent."""
    global _runner  # noqa: PLW0603  as above
    if _runner is not None:
        await _runner.drain(grace)
        _runner = None


def the_runner() -> Runner:
    """Return this process's runner. Raises Unavailable where none takes turns up (draining, or no server at all)."""
    if _runner is None or _runner.draining:
        raise Unavailable
    return _runner


def tape_of(turn_pk: int) -> Tape | None:
    return _runner.tape_of(turn_pk) if _runner else None


def renderers() -> Renderers:
    assert _runner is not None, "a tape has a runner"
    return _runner.renderers


def is_draining() -> bool:
    return _runner is None or _runner.draining
