"""How the open calls of a turn are answered when nobody runs it: after a crash, a stop, an expiry."""

from collections.abc import Callable
from dataclasses import dataclass

from django.db.models import QuerySet

from chat import lease
from chat.models import ToolCall, Turn

State = ToolCall.State


@dataclass(frozen=True, slots=True, kw_only=True)
class Closing:
    """`turns` returns the ones it is for, judged anew under their locks.

    `close` returns the state a call ends in, None for one that stays open; its second argument is the database's time.
    """

    stop_reason: str
    turns: Callable[[], QuerySet[Turn]]
    close: Callable[[ToolCall, int], State | None]


def after_crash(call: ToolCall, now: int) -> State | None:
    """A call that had begun is never run again by itself; an approval that was not used is void (contract 7, rule 3)."""
    del now
    if call.state == State.RUNNING:
        return State.UNKNOWN
    return None if call.state == State.PENDING else State.NOT_RUN


def after_stop(call: ToolCall, now: int) -> State | None:
    del now
    return State.UNKNOWN if call.state == State.RUNNING else State.STOPPED


def after_expiry(call: ToolCall, now: int) -> State | None:
    """Answer a held call whose time to decide is over; the others go on waiting."""
    overdue = call.state == State.PENDING and call.expires_at is not None and call.expires_at <= now
    return State.EXPIRED if overdue else None


def _with_a_lease_that_is_over() -> QuerySet[Turn]:
    return Turn.objects.running().filter(lease_until__lt=lease.now())


def _of_another_boot() -> QuerySet[Turn]:
    return Turn.objects.running().exclude(lease_owner=lease.BOOT)


def _held() -> QuerySet[Turn]:
    return Turn.objects.filter(status=Turn.Status.HELD)


def _overdue() -> QuerySet[Turn]:
    late = ToolCall.objects.filter(state=State.PENDING, expires_at__lte=lease.NowMs())
    return _held().filter(pk__in=late.values("turn_id"))


CRASH = Closing(stop_reason="interrupted", turns=_with_a_lease_that_is_over, close=after_crash)
"""For turns whose process has not renewed their lease."""

RESTART = Closing(stop_reason="interrupted", turns=_of_another_boot, close=after_crash)
"""For a start on SQLite, where a lock file says that there is no other process (turns.md 9)."""

STOP = Closing(stop_reason="stopped", turns=_held, close=after_stop)
EXPIRY = Closing(stop_reason="expired", turns=_overdue, close=after_expiry)
