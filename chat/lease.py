"""Who may write a turn: a random name per boot, a time limit in the database's own clock, a fence that only grows."""

import secrets
from datetime import timedelta

from django.conf import settings
from django.db.models import DateTimeField, ExpressionWrapper, F
from django.db.models.expressions import Combinable
from django.db.models.functions import Now

from chat.models import Turn

LEASE = timedelta(seconds=settings.KENNY_LEASE_SECONDS)
RENEW_EVERY = settings.KENNY_LEASE_SECONDS / 3

BOOT = secrets.token_hex(16)


def until() -> Combinable:
    """Return the end of a lease taken now, as the database reads its clock (turns.md 8)."""
    return ExpressionWrapper(Now() + LEASE, output_field=DateTimeField())


def now() -> Combinable:
    """Return the database's own time: no process's clock judges another's lease."""
    return Now()


def take(turn: Turn) -> int | None:
    """Claim a turn for this process inside the caller's transaction; return the new fence, None when it moved."""
    changed = Turn.objects.filter(pk=turn.pk, fence=turn.fence, status=turn.status).update(
        status=Turn.Status.RUNNING, lease_owner=BOOT, lease_until=until(), fence=F("fence") + 1
    )
    return turn.fence + 1 if changed else None


def renew(turn_pks: list[int]) -> None:
    Turn.objects.running().filter(pk__in=turn_pks, lease_owner=BOOT).update(lease_until=until())
