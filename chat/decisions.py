"""A person's decision on a held call: written down once, by compare-and-set, and bound to what was shown (rule 6, G1)."""

import secrets

from django.db import transaction

from chat import lease, rights
from chat.failpoints import hit
from chat.gate_errors import DecidedAlready, DigestMismatch, Expired
from chat.models import ToolCall, Turn
from chat.protocol import Confirm
from chat.reading import last_kept
from chat.turns import Started
from history import store
from history.errors import Forbidden, NotFound
from history.models import Conversation

State = ToolCall.State


def decide(confirm: Confirm, *, owner_id: int, now: int) -> Started:
    """Write down a person's decision, once (rule 6, G1). A held turn is claimed for this process to go on with.

    Raises NotFound, Deleted, DigestMismatch, DecidedAlready, Expired, Forbidden.
    """
    with transaction.atomic():
        state = store.locked(owner_id)
        conversation = store.find(owner_id=owner_id, cid=confirm.conversation_id)
        call = _called(conversation, confirm.call_id)
        turn = _locked(call)
        _refuse_decision(call, turn, confirm=confirm)
        decided = State.APPROVED if confirm.approve else State.DENIED
        in_time = ToolCall.objects.filter(pk=call.pk, expires_at__gt=lease.NowMs())
        changed = in_time.filter(state=State.PENDING, digest=confirm.digest).update(
            state=decided, decided_by_id=owner_id, decided_at=now, reason=confirm.reason
        )
        if not changed:
            call.refresh_from_db()
            raise _told(call)
        held = turn.status == Turn.Status.HELD
        if held:
            _resume(turn)
            store.set_live(state, conversation, turn_id=turn.turn_id, status="running")
        hit("decide.written")
        return Started(
            turn=turn, conversation_id=conversation.cid, after=last_kept(turn.pk), fresh=held
        )


def _called(conversation: Conversation, call_id: str) -> ToolCall:
    call = (
        ToolCall.objects.filter(turn__conversation=conversation, call_id=call_id)
        .order_by("-pk")
        .first()
    )
    if call is None:
        raise NotFound
    return call


def _locked(call: ToolCall) -> Turn:
    turns = Turn.objects.select_for_update(of=("self",)).select_related("conversation", "owner")
    return turns.get(pk=call.turn_id)


def _refuse_decision(call: ToolCall, turn: Turn, *, confirm: Confirm) -> None:
    if not secrets.compare_digest(call.digest.encode(), confirm.digest.encode()):
        raise DigestMismatch
    if call.state != State.PENDING:
        raise _told(call)
    if confirm.approve and not rights.may_run(turn, call.tool):
        raise Forbidden("This tool is not available to you any more.")


def _told(call: ToolCall) -> DecidedAlready | Expired:
    """Return the refusal that names the decision which came first."""
    if call.state in {State.EXPIRED, State.PENDING}:
        return Expired()
    decision = {State.DENIED: "denied", State.STOPPED: "stopped", State.SUPERSEDED: "superseded"}
    by = call.decided_by.get_username() if call.decided_by else None
    return DecidedAlready(
        decision=decision.get(State(call.state), "approved"),
        decidedBy=by,
        decidedAt=call.decided_at,
    )


def _resume(turn: Turn) -> None:
    fence = lease.take(turn)
    assert fence is not None, "the row is locked and was held"
    turn.fence, turn.status = fence, Turn.Status.RUNNING
