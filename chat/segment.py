"""One segment of a turn in the process that runs it: does what the loop says, keeps it, settles at the end."""

import asyncio
import logging
import math
from typing import Any

from django.conf import settings
from django.db import DatabaseError

from chat import checkpoint, events, loop, material, pictures, spending, steps
from chat.bus import bus
from chat.calls import Calls, Outcome
from chat.context import Meter, added
from chat.failpoints import hit
from chat.hearing import heard
from chat.journal import Journal, LeaseLost
from chat.llm.base import Model, ModelFailed, Reply, Request, listed_by
from chat.models import Turn
from chat.settle import Ending, NotYet, Settled, settle
from chat.tape import Tape
from chat.thinking import Thinking
from chat.threads import in_thread
from history.clock import now_ms

logger = logging.getLogger(__name__)

MAX_TOKENS = 16_000
SETTLE_AGAIN = (0.2, 1.0, 4.0)
"""Seconds between the tries of a settle that the database refuses."""


class Segment:
    """`run` returns when the segment is settled or its lease is lost. Everything belongs to the loop's thread.

    `given` is the material of a turn that was just made, so that it need not be read back.
    """

    def __init__(
        self,
        turn: Turn,
        *,
        tape: Tape,
        journal: Journal,
        model: Model,
        given: material.Material | None = None,
    ) -> None:
        self.turn, self.tape = turn, tape
        self._journal, self._model = journal, model
        self._stop = asyncio.Event()
        self._calls = Calls(turn, tape=tape, journal=journal, stop=self._stop)
        self._given = given
        self._material = given or material.Material(prefix=[], own=[], rewritten=False)
        self._usage: dict[str, int] = {}
        self._rounds = 0
        self._meter = self._measuring()
        self._thinking = Thinking(tape)
        self._thinking_from: int | None = None
        self._open_calls = False

    def stop(self) -> None:
        """The person wants it to end. Idempotent."""
        self._calls.stopped = True
        self._stop.set()

    def interrupt(self) -> None:
        """The process ends: settle what there is, and leave held calls held."""
        self._calls.interrupted = True
        self._stop.set()

    def nudge(self) -> None:
        """A decision was written down."""
        self._calls.nudge()

    async def run(self) -> Settled | None:
        """Run to the settle; None when another process has the turn now."""
        try:
            return await self._until_settled()
        except LeaseLost:
            self.tape.close(lost=True)
            await in_thread(self._count_lost)
            return None

    def _count_lost(self) -> None:
        """What was used since the last kept message is billed, whoever has the turn now."""
        spending.add(self.turn.owner_id, model=self.turn.model, usage=self._usage, now=now_ms())

    async def _until_settled(self) -> Settled:
        while True:
            end = self._named(await self._advance_safely())
            if end.problem:
                self.tape.append(events.failure(end.problem))
            await self._journal.release(self.tape)
            hit("settle.begun")
            try:
                settled = await self._settle(self._ending(end))
            except NotYet:
                self._journal.track(self.tape, on_lost=self._lost, on_stop=self.stop)
                continue
            hit("settle.committed")
            self._close(settled)
            return settled

    async def _settle(self, ending: Ending) -> Settled:
        """Settle, and once more where only the database was away: the lease outlasts a short outage."""
        for pause in SETTLE_AGAIN:
            try:
                return await in_thread(
                    settle, self.turn, ending, prefix=self._material.prefix, now=now_ms()
                )
            except DatabaseError as error:
                logger.warning(
                    "turn %s is settled again: %s", self.turn.turn_id, type(error).__name__
                )
                await asyncio.sleep(pause)
        return await in_thread(
            settle, self.turn, ending, prefix=self._material.prefix, now=now_ms()
        )

    def _named(self, end: steps.End) -> steps.End:
        """A stop that nobody asked for is an interruption."""
        if end.stop_reason == "stopped" and not self._calls.stopped:
            return steps.End(stop_reason="interrupted", problem=steps.INTERRUPTED)
        return end

    def _close(self, settled: Settled) -> None:
        self.tape.entries.append(settled.done)
        self.tape.keep(settled.done.seq)
        self.tape.close()
        # The settle wrote `done` past the journal, which tells other processes of what it writes.
        bus.post({"kind": "flushed", "turns": {self.turn.pk: settled.done.seq}})

    def _lost(self) -> None:
        self._stop.set()

    def follow(self) -> None:
        """Have the journal keep the tape from now on."""
        self._journal.track(self.tape, on_lost=self._lost, on_stop=self.stop)

    async def _advance_safely(self) -> steps.End:
        """A fault of our own ends the turn like any other: settled, said, and logged once."""
        try:
            return await self._advance()
        except (LeaseLost, asyncio.CancelledError):
            raise
        except Exception:
            logger.exception("turn %s failed", self.turn.turn_id)
            if await in_thread(checkpoint.has_open_calls, self.turn):
                await self._calls.halt()
            return steps.End(stop_reason="failed", problem=steps.INTERNAL)

    async def _advance(self) -> steps.End:
        """Answer what is open, then converse until the turn halts."""
        if self._given is None:
            self._material = await in_thread(self._load)
        self._given = None
        if self._open_calls:
            halted = steps.halt_of(await self._calls.answer())
            if halted is not None:
                return halted
            self._material = await in_thread(self._load)
        if self._stop.is_set():
            return steps.End(stop_reason="stopped")
        return await self._converse()

    def _load(self) -> material.Material:
        self.turn.refresh_from_db(fields=["base", "rounds", "usage", "msg_seq", "stop"])
        self._open_calls = checkpoint.has_open_calls(self.turn)
        self._calls.repeats = checkpoint.repeats(self.turn)
        if self.turn.stop:
            self._calls.stopped = True
            self._stop.set()
        return material.load(self.turn)

    def _measuring(self) -> Meter:
        usage = added(self.turn.usage, self._usage)
        return Meter(usage, model=self.turn.model, listed=listed_by(self._model))

    async def _converse(self) -> steps.End:
        found = self._material
        self._meter = self._measuring()
        bound_from = self.turn.conversation.thinking_from
        if self.turn.base is None and (found.rewritten or bound_from > len(found.prefix)):
            # The list was rewritten, or it is shorter now than where thinking began to count.
            self._thinking_from = len(found.prefix)
        turn = loop.converse(
            [*found.prefix, *found.own],
            limits=steps.Limits(rounds=settings.KENNY_MAX_ROUNDS, max_tokens=MAX_TOKENS),
            rounds=self.turn.rounds + self._rounds,
            thinking_from=bound_from if self._thinking_from is None else self._thinking_from,
        )
        outcome: Any = None
        while True:
            try:
                step = turn.send(outcome)
            except StopIteration as ended:
                end: steps.End = ended.value
                return end
            outcome = await self._do(step)

    async def _do(self, step: steps.Step) -> Any:
        match step:
            case steps.Ask():
                return await self._ask(step)
            case steps.Void():
                return await self._void(step)
            case steps.Wait():
                return await self._wait(step.seconds)
            case steps.Keep():
                return await self._keep(step)
            case steps.Unbind():
                self._thinking_from = step.upto
        return None

    async def _ask(self, ask: steps.Ask) -> Reply | ModelFailed | steps.Cut:
        """Stream one attempt onto the tape, until it ends or the person stops it."""
        messages = list(ask.messages)
        if pictures.has_images(messages):
            messages = await in_thread(pictures.for_model, messages, owner_id=self.turn.owner_id)
        self._rounds += 1
        outcome = await self._attempt(messages, max_tokens=ask.max_tokens)
        if _is_too_long(outcome) and self._meter.overflown():
            outcome = await self._attempt(messages, max_tokens=ask.max_tokens)
        return outcome

    async def _attempt(
        self, messages: list[dict[str, Any]], *, max_tokens: int
    ) -> Reply | ModelFailed | steps.Cut:
        stream = self._model.stream(self._request(messages, max_tokens=max_tokens))
        try:
            return await heard(stream, say=self._say, stop=self._stop)
        finally:
            self._thinking.end()
            self._usage = added(self._usage, self._meter.measured(stream.usage))

    def _request(self, messages: list[dict[str, Any]], *, max_tokens: int) -> Request:
        conversation = self.turn.conversation
        return Request(
            model=self.turn.model,
            system=conversation.system,
            tools=conversation.tools,
            messages=messages,
            max_tokens=max_tokens,
            effort=self.turn.effort or None,
            edit_from=self._meter.edit_from,
        )

    def _say(self, kind: str, text: str) -> None:
        self._thinking.hear(kind)
        self.tape.say(f"{kind}_delta", text)
        self._journal.touch()

    async def _void(self, void: steps.Void) -> None:
        self._thinking.void()
        wait = math.ceil(void.seconds) if void.code else None
        self.tape.append(events.Reset(code=void.code, retry_in=wait))
        await self._journal.commit(self.tape)

    async def _wait(self, seconds: float) -> bool:
        """Wait before another try, which is no further round of the turn's."""
        self._rounds -= 1
        try:
            async with asyncio.timeout(seconds):
                await self._stop.wait()
        except TimeoutError:
            return False
        return True

    async def _keep(self, keep: steps.Keep) -> Outcome:
        """Keep a finished message and its calls in one transaction, then answer them."""
        kept = await in_thread(checkpoint.judge, self.turn, keep, now=now_ms())
        for event in kept.events(self.tape.conversation_id):
            self.tape.append(event)
        job = checkpoint.job(
            kept,
            usage=self._usage,
            rounds=self._rounds,
            msg_seq=self.tape.last_seq,
            thought=self._thinking.keep(keep.content),
        )
        await self._journal.commit(self.tape, job)
        self._usage, self._rounds = {}, 0
        hit("message.committed")
        self._calls.repeats += kept.repeats
        return await self._calls.answer() if kept.calls else []

    def _ending(self, end: steps.End) -> Ending:
        return Ending(
            stop_reason=end.stop_reason,
            problem=end.problem,
            unkept=self.tape.unkept(),
            last_seq=self.tape.last_seq,
            rounds=self._rounds,
            usage=self._usage,
            thinking_from=self._thinking_from,
        )


def _is_too_long(outcome: object) -> bool:
    return isinstance(outcome, ModelFailed) and outcome.kind == "too_long"
