"""What refuses a send before it becomes a turn: too many turns at once, a used-up budget, a model that is not offered.

Inside the transaction of `turns.start`, after the person's SyncState is locked: the count of turns is exact.
"""

from collections.abc import Sequence
from typing import Any

from django.conf import settings

from chat import offer, spending
from chat.context import carried
from chat.models import Turn
from chat.offer import Choice, Rules
from history.errors import RateLimited
from history.models import Conversation

AGAIN_IN = 5
"""Seconds until a client may try again while as many turns run as may."""


def rules() -> Rules:
    """Return the operator's rules on models."""
    return Rules(allowed=settings.KENNY_MODELS, default=settings.KENNY_MODEL)


def admit(conversation: Conversation, *, listed: Sequence[dict[str, Any]], now: int) -> Choice:
    """Return the model and effort of the turn that may begin. Raises BadRequest, RateLimited."""
    choice = offer.chosen(conversation.settings, listed=listed, rules=rules())
    owner_id = conversation.owner_id
    if Turn.objects.owned_by(owner_id).running().count() >= settings.KENNY_MAX_TURNS:
        raise RateLimited(
            f"Claude is answering you in {settings.KENNY_MAX_TURNS} conversations already. "
            "Wait for one of them.",
            retryAfter=AGAIN_IN,
            limit=settings.KENNY_MAX_TURNS,
        )
    spending.refuse_overspent(owner_id, now=now)
    return choice


def figures_before(conversation: Conversation) -> dict[str, int]:
    """Return how full the context was at the end of the conversation's newest turn."""
    if not conversation.message_count:
        return {}
    newest = Turn.objects.filter(conversation=conversation).order_by("-pk")
    return carried(newest.values_list("usage", flat=True).first() or {})
