"""Who may write a turn: a random name per boot, a time limit in the database's own clock, a fence that only grows."""

import secrets
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db.models import BigIntegerField, DateTimeField, ExpressionWrapper, F, Func
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


class NowMs(Func):
    """The database's own time in ms since 1970: what a held call's `expires_at` is set and judged by."""

    arity = 0
    output_field = BigIntegerField()

    def as_sqlite(self, compiler: Any, connection: Any, **extra: Any) -> Any:
        template = "CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)"
        return self.as_sql(compiler, connection, template=template, **extra)

    def as_postgresql(self, compiler: Any, connection: Any, **extra: Any) -> Any:
        template = "(EXTRACT(EPOCH FROM STATEMENT_TIMESTAMP()) * 1000)::bigint"
        return self.as_sql(compiler, connection, template=template, **extra)


def database_ms(turn_pk: int) -> int:
    """Return the database's own time in ms since 1970, read beside a turn."""
    now: int = Turn.objects.filter(pk=turn_pk).values_list(NowMs(), flat=True).get()
    return now


def take(turn: Turn) -> int | None:
    """Claim a turn for this process inside the caller's transaction; return the new fence, None when it moved."""
    changed = Turn.objects.filter(pk=turn.pk, fence=turn.fence, status=turn.status).update(
        status=Turn.Status.RUNNING, lease_owner=BOOT, lease_until=until(), fence=F("fence") + 1
    )
    return turn.fence + 1 if changed else None


def renew(turn_pks: list[int]) -> None:
    Turn.objects.running().filter(pk__in=turn_pks, lease_owner=BOOT).update(lease_until=until())
