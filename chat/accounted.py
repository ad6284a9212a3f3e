"""What a settle tells of a turn beside its words: when it began and ended, what it used and what that costs."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.conf import settings

from chat import pricing
from chat.answers import took
from chat.models import ToolCall, Turn
from chat.steps import Problem
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


def account(
    turn: Turn,
    *,
    usage: dict[str, int],
    stop_reason: str,
    problem: Problem | None,
    spans: Mapping[str, int],
    base: int,
    now: int,
) -> Account:
    """Draw up a turn's account at a settle; `spans` are the ms that its calls took, by their ids.

    What a turn used before it was held stands in the conversation's sum already.
    """
    cost = cost_of(turn, usage)
    before = turn.spent
    spent = {
        "tokens": pricing.tokens_of(usage, before=before).total,
        "cost": max(0, cost - cost_of(turn, before)),
    }
    fact: dict[str, Any] = {"at": turn.created_at}
    if turn.thought:
        fact["thought"] = turn.thought
    if spans:
        fact["calls"] = dict(spans)
    if stop_reason != "held":
        fact["ended"] = {
            "at": now,
            "stopReason": stop_reason,
            "model": turn.model,
            "usage": usage,
            "cost": cost,
        }
        if problem:
            fact["ended"]["error"] = {
                "code": problem.code,
                "message": problem.message,
                "retryable": problem.retryable,
            }
    news = store.News(messages={base: fact}, spent=spent)
    return Account(usage=usage, cost=cost, news=news, base=base, at=now)


def spans(turn: Turn) -> dict[str, int]:
    """Return how long each call of the turn took, of those that are known to have ended."""
    calls = ToolCall.objects.filter(turn=turn).only("call_id", "state", "started_at", "ended_at")
    return {call.call_id: span for call in calls if (span := took(call)) is not None}


def cost_of(turn: Turn, usage: Mapping[str, int]) -> int:
    """Return what a usage costs at the prices of now, in millionths of a dollar."""
    tokens = pricing.tokens_of(usage, before={})
    return pricing.cost(tokens, model=turn.model, prices=settings.KENNY_PRICES)
