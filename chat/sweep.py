"""What is done for turns that nobody runs: recovery, expiry, forgetting old events. Each call is a plain function."""

import logging
from collections import Counter

from chat import closing, conclude, giving_up, hints
from chat.closing import Closing
from chat.failpoints import hit
from chat.models import Turn, TurnEvent
from history.clock import now_ms

logger = logging.getLogger(__name__)

KEEP_EVENTS_MS = 10 * 60 * 1000
TRIES = 3
"""After so many faults of its own a turn is ended without its rows: it must not run, or be held, for ever."""

_faults: Counter[int] = Counter()
"""How often each turn could not be settled, by this process. While the database is away nothing is tried."""


def recover(now_running: set[int], *, every: bool) -> None:
    """Settle the turns whose process is gone (turns.md 9, 10). One that fails does not keep the others waiting.

    `every` takes each turn that another boot ran, whatever its lease says.
    """
    how = closing.RESTART if every else closing.CRASH
    for turn_pk in list(how.turns().exclude(pk__in=now_running).values_list("pk", flat=True)):
        _conclude(turn_pk, how)


def expire() -> None:
    """Answer held calls that nobody decided in time, and drop the events of turns that ended long ago."""
    for turn_pk in list(closing.EXPIRY.turns().values_list("pk", flat=True)):
        _conclude(turn_pk, closing.EXPIRY)
    forget_events(now=now_ms())


def expire_of(conversation_pk: int) -> bool:
    """Answer the overdue calls of one conversation; return whether there were any."""
    turns = closing.EXPIRY.turns().filter(conversation_id=conversation_pk)
    overdue = list(turns.values_list("pk", flat=True))
    for turn_pk in overdue:
        _conclude(turn_pk, closing.EXPIRY)
    return bool(overdue)


def _conclude(turn_pk: int, how: Closing) -> None:
    hit("recover.begun")
    try:
        ended = conclude.conclude(turn_pk, how, now=now_ms())
    except Exception:
        logger.exception("turn %d could not be settled", turn_pk)
        ended = _faulty(turn_pk, how)
    if ended:
        _faults.pop(turn_pk, None)
        hit("recover.committed")
        hints.concluded(turn_pk)


def _faulty(turn_pk: int, how: Closing) -> bool:
    _faults[turn_pk] += 1
    if _faults[turn_pk] < TRIES:
        return False
    try:
        return giving_up.give_up(turn_pk, how, now=now_ms())
    except Exception:
        logger.exception("turn %d could not even be ended", turn_pk)
        return False


def forget_events(*, now: int) -> None:
    """Delete the events of turns that ended over ten minutes ago: the conversation has what they said (rule 6)."""
    ended = Turn.objects.exclude(status__in=Turn.LIVE).filter(ended_at__lt=now - KEEP_EVENTS_MS)
    TurnEvent.objects.filter(turn__in=ended).delete()
