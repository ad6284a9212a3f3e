"""Held calls in bulk, and a process's whole way from a decision to an effect, for races between processes."""

import secrets
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from chat import calls, checkpoint, decisions, effects, journal, lease, turns
from chat.journal import Work
from chat.llm.script import mint
from chat.models import ToolCall, Turn
from chat.protocol import Confirm, Send
from chat.settle import Ending, settle
from chat.steps import Keep
from chat.tape import Tape
from chat.tools.base import Caller
from history.clock import now_ms
from history.errors import Refused


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """What a person's page knows of a held call."""

    conversation_id: str
    turn_id: str
    call_id: str
    digest: str

    def answer(self, *, approve: bool = True, digest: str | None = None) -> Confirm:
        return Confirm(
            conversation_id=self.conversation_id,
            call_id=self.call_id,
            digest=self.digest if digest is None else digest,
            approve=approve,
        )


def hold(owner_id: int, *, path: str) -> Gate:
    """Bring a turn to a held call of write_file as a segment would, without a model."""
    now = now_ms()
    started = turns.start(Send(message=f"write {path}"), owner_id=owner_id, now=now)
    turn = Turn.objects.select_related("conversation").get(pk=started.turn.pk)
    block = {
        "type": "tool_use",
        "id": mint("toolu"),
        "name": "write_file",
        "input": {"path": path, "content": path},
    }
    kept = checkpoint.judge(turn, Keep(content=[block]), now=now)
    tape = tape_of(turn, start=1)
    for event in kept.events(turn.conversation.cid):
        tape.append(event)
    work = Work(
        tape, tape.unkept(), [(checkpoint.job(kept, usage={}, rounds=1, msg_seq=3), _later())]
    )
    journal.write([work], renew=False)
    settle(turn, Ending(stop_reason="held", last_seq=tape.last_seq), prefix=[], now=now)
    call = kept.calls[0]
    return Gate(
        conversation_id=turn.conversation.cid,
        turn_id=turn.turn_id,
        call_id=call.call_id,
        digest=call.digest,
    )


def tape_of(turn: Turn, *, start: int) -> Tape:
    return Tape(
        turn_pk=turn.pk,
        turn_id=turn.turn_id,
        conversation_id=turn.conversation.cid,
        fence=turn.fence,
        start=start,
    )


def approve_and_run(gate: Gate, *, owner_id: int) -> bool:
    """Decide, claim and run as a process does; return whether the effect was this process's."""
    with suppress(Refused):
        started = decisions.decide(gate.answer(), owner_id=owner_id, now=now_ms())
        return run(started.turn, owner_id=owner_id)
    return False


def run(turn: Turn, *, owner_id: int) -> bool:
    """Claim the turn's approved calls under this process's lease and run them."""
    pks = list(
        ToolCall.objects.filter(turn=turn, state=ToolCall.State.APPROVED).values_list(
            "pk", flat=True
        )
    )
    tape = tape_of(turn, start=turn.last_seq)
    work = Work(tape, [], [(calls._claiming(pks, now=now_ms()), _later())])
    journal.write([work], renew=False)
    if work.lost:
        return False
    for call in work.results[0]:
        call.turn = turn
        effects.run(call, Caller(user_id=owner_id, conversation_id=tape.conversation_id, now_ms=0))
    return bool(work.results[0])


def own_boot() -> None:
    """Give this process a lease name of its own: a fork has its parent's."""
    lease.BOOT = secrets.token_hex(16)


def race(gates: Sequence[Gate], *, owner_id: int, barrier: Any) -> list[str]:
    """Approve every gate at the moment that all processes do; return the calls whose effect was had here."""
    own_boot()
    ran = []
    for gate in gates:
        barrier.wait(60)
        if approve_and_run(gate, owner_id=owner_id):
            ran.append(gate.call_id)
    return ran


def _later() -> Any:
    """Stand in for the future that a job's result goes to; nobody waits for it here."""
    return None
