"""What both edges call: a use case, then whoever runs turns is told. Plain functions, for worker threads."""

from typing import Any

from chat import closing, conclude, decisions, hints, runner, sweep, turns
from chat.failpoints import hit
from chat.gate_errors import Expired
from chat.protocol import Confirm, Send, Watch
from chat.turns import Started
from history import store
from history.clock import now_ms
from history.errors import Pending


def send(frame: Send, *, owner_id: int) -> Started:
    """Begin a turn or attach to it. Raises what `turns.start` raises, and Unavailable while the server drains."""
    hit("send.received")
    running = runner.the_runner()
    try:
        started = turns.start(frame, owner_id=owner_id, now=now_ms(), listed=running.listed())
    except Pending:
        # What holds the conversation may be overdue: then it is answered now, and the send goes through.
        if not _expired(frame.conversation_id, owner_id=owner_id):
            raise
        started = turns.start(frame, owner_id=owner_id, now=now_ms(), listed=running.listed())
    hit("send.committed")
    if started.fresh:
        running.launch(started)
    return started


def confirm(frame: Confirm, *, owner_id: int) -> Started:
    """Decide a held call. Raises what `decisions.decide` raises."""
    hit("decide.received")
    running = runner.the_runner()
    try:
        decided = decisions.decide(frame, owner_id=owner_id, now=now_ms())
    except Expired:
        _expired(frame.conversation_id, owner_id=owner_id)
        raise
    hit("decide.committed")
    if decided.fresh:
        running.launch(decided)
    else:
        running.nudge(decided.turn.pk)
    return decided


def stop(turn_id: str, *, owner_id: int) -> turns.Stopping:
    """End a turn; idempotent. A held one is settled here, nobody runs it. Raises NotFound."""
    hit("stop.received")
    stopping = turns.stop(turn_id, owner_id=owner_id)
    hit("stop.committed")
    if stopping.held:
        if conclude.conclude(stopping.turn.pk, closing.STOP, now=now_ms()):
            hints.concluded(stopping.turn.pk)
    elif not runner.is_draining():
        runner.the_runner().stop(stopping.turn.pk)
    return stopping


def pending(*, owner_id: int) -> list[dict[str, Any]]:
    return turns.pending(owner_id=owner_id)


def watched(frame: Watch, *, owner_id: int) -> Started | None:
    """Return the turn to watch, None while the conversation has no live one. Raises NotFound, Deleted."""
    conversation = store.find(owner_id=owner_id, cid=frame.conversation_id)
    turn_id = frame.turn_id or conversation.live_turn
    if turn_id is None:
        return None
    turn = turns.watched(turn_id, owner_id=owner_id, conversation=conversation)
    return Started(turn=turn, conversation_id=conversation.cid, after=frame.after, fresh=False)


def _expired(conversation_id: str | None, *, owner_id: int) -> bool:
    if conversation_id is None:
        return False
    conversation = store.find(owner_id=owner_id, cid=conversation_id)
    return sweep.expire_of(conversation.pk)
