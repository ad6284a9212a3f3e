"""Keeping a finished message: its row and the rows of its calls, judged by the gate, in one transaction (T8)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.db.models import Max

from chat import gate, lease, limits, rights
from chat.answers import answer_event, called_event, held_event, is_open
from chat.context import added
from chat.events import Event
from chat.failpoints import hit
from chat.journal import Job, LeaseLost
from chat.models import ToolCall, Turn, TurnMessage
from chat.steps import Keep
from chat.tools.base import Tier
from history.blobs import image_url

State = ToolCall.State
TOO_MANY = (
    f"At most {limits.CALLS_PER_REPLY} calls of one message are taken. This one was not run; "
    "ask for it in your next message."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """A message as it will be kept, and its calls with the state the gate gives them."""

    message: TurnMessage
    calls: Sequence[ToolCall]

    @property
    def repeats(self) -> int:
        return sum(call.state == State.REPEATED for call in self.calls)

    def events(self, conversation_id: str) -> list[Event]:
        """Return what watchers see: every call, then what became of it without running."""
        made: list[Event] = []
        for call in self.calls:
            made.append(called_event(call))
            if call.state == State.PENDING:
                made.append(held_event(call))
            elif not is_open(call):
                made.append(answer_event(call, picture=image_url(conversation_id)))
        return made


def judge(turn: Turn, keep: Keep, *, now: int) -> Kept:
    """Make the rows of a message and its calls; nothing is written yet. Raises LeaseLost after a delete."""
    newest = TurnMessage.objects.filter(turn=turn).aggregate(n=Max("n"))["n"]
    if newest is None:
        # The person's own message is kept before anything else: only a delete takes it away.
        raise LeaseLost
    message = TurnMessage(
        turn=turn, n=newest + 1, payload={"role": "assistant", "content": keep.content}
    )
    refused = _refused(turn)
    expires_at = lease.database_ms(turn.pk) + settings.KENNY_APPROVAL_TTL * 1000
    calls = [
        _row(
            turn,
            block,
            position=position,
            n=message.n,
            unreadable=keep.unreadable,
            denied=refused,
            now=now,
            expires_at=expires_at,
        )
        for position, block in enumerate(keep.calls)
    ]
    return Kept(message=message, calls=calls)


def _refused(turn: Turn) -> set[tuple[str, str]]:
    rows = ToolCall.objects.filter(turn=turn, state__in=[State.DENIED, State.REPEATED])
    return set(rows.values_list("tool", "canonical_args"))


def _row(
    turn: Turn,
    block: dict[str, Any],
    *,
    position: int,
    n: int,
    unreadable: dict[str, str],
    denied: set[tuple[str, str]],
    now: int,
    expires_at: int,
) -> ToolCall:
    tools = rights.tools_of(turn.agent_id)
    verdict = gate.verdict(tool=block["name"], args=block["input"], toolbox=tools, denied=denied)
    if position >= limits.CALLS_PER_REPLY:
        verdict = gate.Verdict(kind="bad_arguments", why=TOO_MANY)
    elif block["id"] in unreadable:
        verdict = gate.Verdict(
            kind="bad_arguments", why=f"{unreadable[block['id']]} The call was not run."
        )
    call = ToolCall(
        turn=turn,
        message_n=n,
        position=position,
        call_id=block["id"],
        tool=block["name"][:128],
        agent_id=turn.agent_id,
        tier=tools[block["name"]].tier if block["name"] in tools else Tier.STATE_CHANGING,
        args=block["input"],
        canonical_args=verdict.args,
        digest=gate.digest(
            conversation_id=turn.conversation.cid,
            turn_id=turn.turn_id,
            call_id=block["id"],
            tool=block["name"],
            agent_id=turn.agent_id,
            canonical_args=verdict.args,
        ),
        created_at=now,
    )
    _admit(call, verdict, now=now, expires_at=expires_at)
    return call


def _admit(call: ToolCall, verdict: gate.Verdict, *, now: int, expires_at: int) -> None:
    """Set the state a call begins in. A read-only one is claimed with the row that makes it."""
    match verdict.kind:
        case "run":
            call.state, call.auto_run, call.started_at = State.RUNNING, True, now
        case "hold":
            call.state, call.expires_at = State.PENDING, expires_at
        case "repeated":
            call.state, call.ok, call.ended_at, call.told = State.REPEATED, False, now, True
        case _:
            call.state, call.ok, call.ended_at, call.told = State.FAILED, False, now, True
            call.result = {"error": verdict.why}


def job(
    kept: Kept, *, usage: dict[str, int], rounds: int, msg_seq: int, thought: Sequence[int] = ()
) -> Job:
    """Return the journal's job that keeps the message, its calls, what it cost and how long it thought."""

    def write(turn: Turn) -> None:
        kept.message.save(force_insert=True)
        ToolCall.objects.bulk_create(kept.calls)
        Turn.objects.filter(pk=turn.pk).update(
            msg_seq=msg_seq,
            rounds=turn.rounds + rounds,
            usage=added(turn.usage, usage),
            thought=[*turn.thought, *thought],
        )
        hit("message.written")

    return write


def has_open_calls(turn: Turn) -> bool:
    """Say whether a call of the turn still needs something: a run, a decision, or its answer told."""
    calls = ToolCall.objects.filter(turn=turn)
    return calls.filter(state__in=ToolCall.OPEN).exists() or calls.filter(told=False).exists()


def repeats(turn: Turn) -> int:
    return ToolCall.objects.filter(turn=turn, state=State.REPEATED).count()
