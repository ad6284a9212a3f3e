"""Going on in a new conversation when one has grown too long for its model: the way out that never fails.

The note is the model's where it can be had; where not (no reply, no budget, too long even so) the newest part of the
chat is handed over as it stands. The old conversation stays as it is.
"""

import asyncio
import logging
import secrets
from concurrent.futures import CancelledError
from dataclasses import dataclass

from chat import admit, handover, offer, spending
from chat.failpoints import hit
from chat.hearing import heard
from chat.llm.base import Model, Reply, Request
from chat.offer import Choice
from chat.runner import Runner
from history import store
from history.clock import now_ms
from history.errors import BadRequest, Busy, Pending, RateLimited
from history.models import Conversation

logger = logging.getLogger(__name__)
PATIENCE = 60.0
"""Seconds that the model may take for its note."""
MAX_TOKENS = 8_000
TITLE = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Successor:
    """The new conversation. `by` says who wrote its first message: "model" or "excerpt"."""

    conversation_id: str
    title: str
    by: str


def begin(conversation_id: str, *, owner_id: int, running: Runner) -> Successor:
    """Make the conversation that goes on from this one. Raises NotFound, Deleted, Busy, Pending."""
    conversation = store.find(owner_id=owner_id, cid=conversation_id)
    _refuse_while_live(conversation)
    messages = store.full_messages(conversation)
    limit = min(handover.TAIL, (_window(conversation, running) or handover.TAIL * 2) // 2)
    text = handover.told(messages, limit=limit)
    written = _written(conversation, text, running=running)
    hit("handover.written")
    title = f"{conversation.title or 'Chat'} (continued)"[:TITLE]
    message = handover.first_message(written or handover.excerpt(text), title=conversation.title)
    new_id = f"c-{secrets.token_hex(12)}"
    sent = store.Sent(
        columns={
            "title": title,
            "agent_id": conversation.agent_id,
            "settings": conversation.settings,
        },
        ready=store.prepare(owner_id, [message]),
    )
    store.save(owner_id=owner_id, cid=new_id, sent=sent, now=now_ms())
    return Successor(conversation_id=new_id, title=title, by="model" if written else "excerpt")


def _refuse_while_live(conversation: Conversation) -> None:
    if conversation.live_status == "running":
        raise Busy(turnId=conversation.live_turn)
    if conversation.live_turn:
        raise Pending(calls=[])


def _choice(conversation: Conversation, running: Runner) -> Choice:
    return offer.chosen(conversation.settings, listed=running.listed(), rules=admit.rules())


def _window(conversation: Conversation, running: Runner) -> int | None:
    try:
        model = _choice(conversation, running).model
    except BadRequest:
        return None
    return offer.window_of(offer.entry_of(model, running.listed()))


def _written(conversation: Conversation, text: str, *, running: Runner) -> str:
    """Return the model's note, "" when there is none to be had."""
    try:
        choice = _choice(conversation, running)
        spending.refuse_overspent(conversation.owner_id, now=now_ms())
    except (BadRequest, RateLimited):
        return ""
    if choice.model == offer.DEMO:
        return ""
    request = Request(
        model=choice.model,
        system=handover.SYSTEM,
        tools=[],
        messages=handover.asking(text, mark=secrets.token_hex(8)),
        max_tokens=MAX_TOKENS,
    )
    usage: dict[str, int] = {}
    asked = running.submit(_said(running.model, request, usage))
    try:
        return asked.result(PATIENCE)
    except (TimeoutError, CancelledError):
        asked.cancel()
        return ""
    except Exception:
        logger.exception("a hand-over was written without the model")
        return ""
    finally:
        spending.add(conversation.owner_id, model=choice.model, usage=usage, now=now_ms())


async def _said(model: Model, request: Request, usage: dict[str, int]) -> str:
    stream = model.stream(request)
    try:
        outcome = await heard(stream, say=_ignored, stop=asyncio.Event())
    finally:
        usage |= stream.usage
    if not isinstance(outcome, Reply) or outcome.stop_reason != "end_turn":
        return ""
    return "\n\n".join(
        block["text"] for block in outcome.content if block.get("type") == "text"
    ).strip()


def _ignored(kind: str, text: str) -> None:
    """Nobody watches a note while it is written."""
