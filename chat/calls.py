"""Answering the calls of one assistant message: announce decisions, claim, run, record, until none is left to run.

Every change is a job in the journal's transaction, together with its event and under the turn's fence (rules 2, 8).
"""

import asyncio
from collections.abc import Sequence
from functools import partial
from typing import Any

from chat import effects, gate, pictures, rights
from chat.answers import answer_event, decision_event, is_open, result_block
from chat.failpoints import hit
from chat.journal import Job, Journal
from chat.models import ToolCall, Turn
from chat.steps import GaveUp, Halted, Held
from chat.tape import Tape
from chat.threads import in_thread, tool_thread
from chat.tools.base import Caller
from history.blobs import image_url
from history.clock import now_ms

State = ToolCall.State
Outcome = list[dict[str, Any]] | Held | Halted | GaveUp

STOP_GRACE = 5.0
"""Seconds that a call which has begun may go on after Stop before it counts as "outcome unknown" (turns.md 14)."""


class Calls:
    """The calls of one turn's newest message, for as long as this process runs the turn.

    `repeats` counts how often in this turn the model asked again for what a person had refused. `interrupted`: the
    process ends, so calls that wait for a person go on waiting. `stopped`: a person asked for the end.
    """

    def __init__(self, turn: Turn, *, tape: Tape, journal: Journal, stop: asyncio.Event) -> None:
        self._turn, self._tape, self._journal, self._stop = turn, tape, journal, stop
        self._nudged = asyncio.Event()
        self.repeats = 0
        self.interrupted = self.stopped = False
        self._running: dict[int, tuple[ToolCall, asyncio.Future[effects.Ran]]] = {}
        self._begun: set[int] = set()
        self._picture = image_url(tape.conversation_id)

    def nudge(self) -> None:
        """A decision came in: look at the rows again."""
        self._nudged.set()

    async def answer(self) -> Outcome:
        """Answer all calls of the newest message that can be answered now."""
        while True:
            if self._stop.is_set():
                return await self.halt()
            self._nudged.clear()
            calls = await in_thread(newest_calls, self._turn)
            await self._announce(calls)
            self._run_claimed(await self._claim(calls))
            if self._running:
                await self._wait()
                await self._record_finished()
            elif not any(call.state in {State.APPROVED, State.RUNNING} for call in calls):
                return self._outcome(calls)

    def _outcome(self, calls: Sequence[ToolCall]) -> Outcome:
        if any(is_open(call) for call in calls):
            return Held()
        if any(call.state == State.REPEATED for call in calls) and self._refused_too_often:
            return GaveUp()
        return [result_block(call, mark=self._turn.mark) for call in calls]

    @property
    def _refused_too_often(self) -> bool:
        return self.repeats >= gate.MAX_DENIALS

    async def _announce(self, calls: Sequence[ToolCall]) -> None:
        """Tell decisions that are written down, and the end of the calls they refused."""
        decided = [call for call in calls if call.decided_at and not call.announced]
        refused = [call for call in calls if not is_open(call) and not call.told]
        if not decided and not refused:
            return
        for call in decided:
            self._tape.append(decision_event(call))
        for call in refused:
            self._tape.append(answer_event(call, picture=self._picture))
        await self._journal.commit(self._tape, _marking(decided, refused))

    async def _claim(self, calls: Sequence[ToolCall]) -> list[ToolCall]:
        """Move approved calls to RUNNING, committed before their effect (G3); return those that may run now.

        A read-only call was claimed when its row was made.
        """
        fresh = [
            c
            for c in calls
            if c.state == State.RUNNING and c.auto_run and c.pk not in self._running
        ]
        approved = [call.pk for call in calls if call.state == State.APPROVED]
        if not approved:
            return fresh
        claimed: list[ToolCall] = await self._journal.commit(
            self._tape, _claiming(approved, now=now_ms())
        )
        return [*fresh, *claimed]

    def _run_claimed(self, calls: Sequence[ToolCall]) -> None:
        for call in calls:
            hit("call.claimed")
            caller = Caller(
                user_id=self._turn.owner_id,
                conversation_id=self._tape.conversation_id,
                now_ms=now_ms(),
            )
            call.turn = self._turn
            self._begun.add(call.pk)
            self._running[call.pk] = (call, tool_thread(effects.run, call, caller))

    async def _wait(self) -> None:
        """Wait for a call to end, a decision to come in, or Stop."""
        waits: list[asyncio.Future[Any]] = [
            asyncio.ensure_future(event.wait()) for event in (self._nudged, self._stop)
        ]
        running = [ran for _, ran in self._running.values()]
        try:
            await asyncio.wait([*waits, *running], return_when="FIRST_COMPLETED")
        finally:
            for wait in waits:
                wait.cancel()

    async def _record_finished(self) -> None:
        for pk, (call, ran) in list(self._running.items()):
            if ran.done():
                del self._running[pk]
                await self._record(call, ran.result())

    async def _record(self, call: ToolCall, ran: effects.Ran) -> None:
        sources = [image["source"] for image in ran.result.get("images", [])]
        if sources:
            await in_thread(pictures.attach_sources, self._turn.conversation, sources)
        call.state, call.ok, call.result = (
            (State.DONE if ran.ok else State.FAILED),
            ran.ok,
            ran.result,
        )
        call.ended_at = now_ms()
        self._tape.append(answer_event(call, picture=self._picture))
        await self._journal.commit(self._tape, _recording(call))
        hit("call.recorded")

    async def halt(self) -> Halted | Held:
        """Answer everything after Stop: what has begun may end within the grace, the rest was not run."""
        running = [ran for _, ran in self._running.values()]
        if running:
            await asyncio.wait(running, timeout=STOP_GRACE)
        await self._record_finished()
        for call, ran in self._running.values():
            ran.add_done_callback(partial(_note_late, call.pk))
        self._running.clear()
        calls = await in_thread(newest_calls, self._turn)
        await self._announce(calls)
        held = [call for call in calls if call.state == State.PENDING and self.interrupted]
        left = [call for call in calls if is_open(call) and call not in held]
        for call in left:
            self._close(call)
            self._tape.append(answer_event(call, picture=self._picture))
        await self._journal.commit(self._tape, _closing(left))
        return Held() if held else Halted()

    def _close(self, call: ToolCall) -> None:
        """Give a call the state that is true of it. A read-only one is claimed with its row, so it may not have begun."""
        if call.pk in self._begun:
            call.state = State.UNKNOWN
        else:
            call.state = State.STOPPED if self.stopped else State.NOT_RUN
            call.started_at = None
        call.ok, call.ended_at = False, now_ms()


def _note_late(call_pk: int, ran: asyncio.Future[effects.Ran]) -> None:
    if not ran.cancelled() and ran.exception() is None:
        tool_thread(effects.keep_late, call_pk, ran.result())


def newest_calls(turn: Turn) -> list[ToolCall]:
    """Return the calls of the turn's newest message that has any, in order."""
    calls = list(
        ToolCall.objects.filter(turn=turn)
        .select_related("decided_by")
        .order_by("message_n", "position")
    )
    return [call for call in calls if call.message_n == calls[-1].message_n]


def _marking(decided: Sequence[ToolCall], refused: Sequence[ToolCall]) -> Job:
    def job(turn: Turn) -> None:
        ToolCall.objects.filter(turn=turn, pk__in=[call.pk for call in decided]).update(
            announced=True
        )
        ToolCall.objects.filter(turn=turn, pk__in=[call.pk for call in refused]).update(told=True)

    return job


def _claiming(pks: Sequence[int], *, now: int) -> Job:
    def job(turn: Turn) -> list[ToolCall]:
        if turn.stop:
            return []
        claimed = []
        for call in ToolCall.objects.filter(turn=turn, pk__in=pks, state=State.APPROVED):
            if rights.may_run(turn, call.tool):
                call.state, call.started_at = State.RUNNING, now
                claimed.append(call)
            else:
                call.state, call.ok, call.ended_at = State.FORBIDDEN, False, now
            call.save(update_fields=["state", "started_at", "ok", "ended_at"])
        return claimed

    return job


def _recording(call: ToolCall) -> Job:
    def job(turn: Turn) -> None:
        ToolCall.objects.filter(turn=turn, pk=call.pk, state=State.RUNNING).update(
            state=call.state, ok=call.ok, result=call.result, ended_at=call.ended_at, told=True
        )
        hit("call.written")

    return job


def _closing(calls: Sequence[ToolCall]) -> Job:
    def job(turn: Turn) -> None:
        for call in calls:
            ToolCall.objects.filter(turn=turn, pk=call.pk, state__in=ToolCall.OPEN).update(
                state=call.state,
                ok=False,
                started_at=call.started_at,
                ended_at=call.ended_at,
                told=True,
            )

    return job
