"""What people have used, and what they may still use: counted with each settle, judged with each send.

A turn's `usage` grows with every attempt at a request, failed ones too; `spent` is how much of it is in the ledger.
Who writes the ledger holds the SyncState of its owner, so two writers of one row never meet.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.conf import settings
from django.contrib.auth import get_user_model
from django.db import transaction
from django.db.models import F, Q, QuerySet, Sum
from django.utils import formats
from django.utils.translation import gettext as _

from chat import periods, pricing
from chat.ledger import Budget, Spend
from chat.models import Turn
from chat.pricing import Tokens
from history import store
from history.errors import RateLimited


@dataclass(frozen=True, slots=True)
class Used:
    """Tokens of all kinds, and millionths of a dollar."""

    tokens: int
    money: int

    def __str__(self) -> str:
        told = {"tokens": figure(self.tokens), "money": dollars(self.money)}
        return _("%(tokens)s tokens, %(money)s") % told

    def __add__(self, more: "Used") -> "Used":
        return Used(self.tokens + more.tokens, self.money + more.money)


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """A budget, what is used of it, and when its next period begins (ms since 1970)."""

    budget: Budget
    used: Used
    opens_at: int

    @property
    def tokens(self) -> str:
        """Used and allowed, for people."""
        limit = self.budget.tokens
        return _of(figure(self.used.tokens), "" if limit is None else figure(limit))

    @property
    def money(self) -> str:
        """Used and allowed, for people."""
        limit = self.budget.money
        return _of(dollars(self.used.money), "" if limit is None else dollars(limit))

    @property
    def opens(self) -> str:
        return periods.written(self.opens_at)

    @property
    def is_used_up(self) -> bool:
        budget = self.budget
        return (budget.tokens is not None and self.used.tokens >= budget.tokens) or (
            budget.money is not None and self.used.money >= budget.money
        )


def settle(turn: Turn, *, usage: Mapping[str, int], now: int) -> None:
    """Count what of a turn's usage is not in the ledger yet. Inside the settle's transaction."""
    _add(
        turn.owner_id,
        model=turn.model,
        tokens=pricing.tokens_of(usage, before=turn.spent),
        now=now,
    )
    Turn.objects.filter(pk=turn.pk).update(spent=usage)


def add(owner_id: int, *, model: str, usage: Mapping[str, int], now: int) -> None:
    """Count what no turn's row tells of: a request beside turns, or one whose turn was taken away meanwhile."""
    tokens = pricing.tokens_of(usage, before={})
    if tokens.total and get_user_model().objects.filter(pk=owner_id).exists():
        with transaction.atomic():
            store.locked(owner_id)
            _add(owner_id, model=model, tokens=tokens, now=now)


def _add(owner_id: int, *, model: str, tokens: Tokens, now: int) -> None:
    if not tokens.total:
        return
    columns = tokens.columns() | {
        "cost": pricing.cost(tokens, model=model, prices=settings.KENNY_PRICES)
    }
    row = {"user_id": owner_id, "day": periods.day_of(now), "model": model}
    grown = {name: F(name) + more for name, more in columns.items()}
    if not Spend.objects.filter(**row).update(**grown):
        Spend.objects.create(**row, **columns)


def refuse_overspent(owner_id: int, *, now: int) -> None:
    """Raise RateLimited until the last of the person's used-up budgets opens again."""
    closed = [standing for standing in standings(owner_id, now=now) if standing.is_used_up]
    if not closed:
        return
    last = max(closed, key=lambda standing: standing.opens_at)
    whose = "Your budget" if last.budget.user_id else f"The budget of {last.budget.group}"
    span = "today" if last.budget.period == Budget.Period.DAY else "this month"
    raise RateLimited(
        f"{whose} for {span} is used up. It opens again on {periods.written(last.opens_at)}.",
        retryAfter=math.ceil((last.opens_at - now) / 1000),
        opensAt=last.opens_at,
    )


def standings(owner_id: int, *, now: int) -> list[Standing]:
    """Return every budget the person must keep to, with what is used of it."""
    budgets = Budget.objects.binding(owner_id).select_related("group")
    return [standing_of(budget, now=now) for budget in budgets.order_by("period", "pk")]


def standing_of(budget: Budget, *, now: int) -> Standing:
    """Return what is used of one budget."""
    members = Q(pk=budget.user_id) if budget.user_id else Q(groups=budget.group_id)
    return Standing(
        budget=budget,
        used=used(members, period=budget.period, now=now),
        opens_at=periods.opens_at(budget.period, now=now),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview:
    """What the account page shows of one person."""

    day: Used
    month: Used
    standings: Sequence[Standing]


def overview(owner_id: int, *, now: int) -> Overview:
    """Return what a person has used, and the budgets they must keep to."""
    person = Q(pk=owner_id)
    return Overview(
        day=used(person, period=Budget.Period.DAY, now=now),
        month=used(person, period=Budget.Period.MONTH, now=now),
        standings=standings(owner_id, now=now),
    )


def dollars(money: int) -> str:
    """Return millionths of a dollar for people, with cents at least."""
    whole = f"{money / 1_000_000:.4f}".removesuffix("00")
    return _("$%(amount)s") % {"amount": figure(Decimal(whole))}


def figure(number: int | Decimal) -> str:
    """Return a number as the language of the answer writes it."""
    return formats.number_format(number, force_grouping=True)


def _of(used: str, limit: str) -> str:
    return _("%(used)s of %(limit)s") % {"used": used, "limit": limit} if limit else used


def used(members: Q, *, period: str, now: int) -> Used:
    """Return what people have used in a period so far, what their live turns have not settled yet included."""
    people = get_user_model().objects.filter(members).values("pk")
    rows = Spend.objects.filter(user__in=people, day__gte=periods.first_day(period, now=now))
    total = rows.aggregate(
        tokens=Sum(F("input") + F("output") + F("cache_write") + F("cache_read")), money=Sum("cost")
    )
    settled = Used(total["tokens"] or 0, total["money"] or 0)
    return sum((_unsettled(turn) for turn in _live(people)), start=settled)


def _live(people: QuerySet[Any, Any]) -> Sequence[Turn]:
    return list(Turn.objects.live().of_people(people).only("model", "usage", "spent"))


def _unsettled(turn: Turn) -> Used:
    tokens = pricing.tokens_of(turn.usage, before=turn.spent)
    return Used(tokens.total, pricing.cost(tokens, model=turn.model, prices=settings.KENNY_PRICES))
