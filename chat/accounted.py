"""What a settle tells of a turn beside its words: when it began and ended, what it used and what that costs."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.conf import settings

from chat import pricing
from chat.models import Turn
from history import store


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """A turn's usage so far, `cost` in millionths of a dollar; `news` is what the conversation keeps of it.

    `base` is the place of the person's message in the list, `at` the settle's time.
    """

    usage: dict[str, int]
    cost: int
    news: store.News
    base: int
    at: int


def account(turn: Turn, *, usage: dict[str, int], stop_reason: str, base: int, now: int) -> Account:
    """Draw up a turn's account at a settle.

    What a turn used before it was held stands in the conversation's sum already.
    """
    cost = cost_of(turn, usage)
    before = turn.spent
    spent = {
        "tokens": pricing.tokens_of(usage, before=before).total,
        "cost": max(0, cost - cost_of(turn, before)),
    }
    fact: dict[str, Any] = {"at": turn.created_at}
    if stop_reason != "held":
        fact["ended"] = {
            "at": now,
            "stopReason": stop_reason,
            "model": turn.model,
            "usage": usage,
            "cost": cost,
        }
    news = store.News(messages={base: fact}, spent=spent)
    return Account(usage=usage, cost=cost, news=news, base=base, at=now)


def cost_of(turn: Turn, usage: Mapping[str, int]) -> int:
    """Return what a usage costs at the prices of now, in millionths of a dollar."""
    tokens = pricing.tokens_of(usage, before={})
    return pricing.cost(tokens, model=turn.model, prices=settings.KENNY_PRICES)
