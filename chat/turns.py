"""The use cases of a turn: start, stop, ask what is held. One sync function for each, one transaction in it.

Lock order is SyncState, then the turn, then its calls; the journal takes turns in id order and no SyncState.
"""

import hashlib
import json
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction

from chat import admit, answers, events, lease, material, pictures, prompt
from chat.failpoints import hit
from chat.journal import packed
from chat.material import Material
from chat.models import ToolCall, Turn, TurnEvent, TurnMessage
from chat.offer import Choice
from chat.protocol import Send
from chat.tape import Entry
from chat.tools.registry import DEFAULT_AGENT
from history import store
from history.errors import (
    BadRequest,
    Busy,
    Conflict,
    Deleted,
    Mismatch,
    NotFound,
    Pending,
)
from history.messages import is_persons, note, title_of
from history.models import Conversation
from history.serializers import check_settings

State = ToolCall.State


@dataclass(frozen=True, slots=True, kw_only=True)
class Started:
    """A turn to watch from `after`. `fresh`: this call made it or woke it, so a runner must take it up.

    A turn that was just made brings its first event and what it builds on, so that nothing is read twice before the
    model is asked.
    """

    turn: Turn
    conversation_id: str
    after: int
    fresh: bool
    said: Entry | None = None
    material: Material | None = None


def start(send: Send, *, owner_id: int, now: int, listed: Sequence[dict[str, Any]] = ()) -> Started:
    """Begin a turn, or attach to the one that `turn_id` already names (contract 7, rule 1).

    `listed` are the models that the provider is known to have. Raises BadRequest, Mismatch, Busy, Pending, Deleted,
    Conflict, UnknownAgent, RateLimited.
    """
    photos = pictures.read(send.images)
    check_settings("settings", send.settings or {})
    wanted = request_hash(send)
    conversation_id = send.conversation_id or f"c-{secrets.token_hex(12)}"
    with transaction.atomic():
        state = store.locked(owner_id)
        # Almost always there is none: what it belongs to is read where there is one.
        if send.turn_id and (known := Turn.objects.owned_by(owner_id).named(send.turn_id).first()):
            return _attach(known, send=send, wanted=wanted)
        conversation = store.open_for_turn(
            state,
            cid=conversation_id,
            title=title_of(send.message),
            agent_id=send.agent_id or DEFAULT_AGENT,
            settings=send.settings or {},
            now=now,
        )
        _refuse_while_live(conversation)
        _refuse_stale_cut(conversation, send)
        agent_id = send.agent_id or conversation.agent_id or DEFAULT_AGENT
        choice = admit.admit(conversation, listed=listed, now=now)
        turn = _create(
            conversation, send=send, agent_id=agent_id, choice=choice, wanted=wanted, now=now
        )
        blocks = [
            note(prompt.turn_note(agent_id=agent_id, now_ms=now)),
            *(photo.block for photo in photos),
        ]
        if send.message.strip():
            blocks.append({"type": "text", "text": send.message})
        payload = {"role": "user", "content": blocks}
        TurnMessage.objects.create(turn=turn, n=0, payload=payload)
        pictures.attach(conversation, photos)
        said = _open_journal(
            turn, send=send, images=[photo.described(conversation_id) for photo in photos]
        )
        store.set_live(
            state,
            conversation,
            turn_id=turn.turn_id,
            status="running",
            frozen=_frozen(conversation, agent_id=agent_id),
        )
        hit("send.written")
    return Started(
        turn=turn,
        conversation_id=conversation.cid,
        after=0,
        fresh=True,
        said=said,
        material=material.of_new(turn, said=payload),
    )


def request_hash(send: Send) -> str:
    """Return what tells a repeated request from another one under the same turn id."""
    images = [hashlib.sha256(image.data.encode()).hexdigest() for image in send.images]
    wire = [send.message, send.agent_id, images, send.truncate_at, send.version]
    return hashlib.sha256(json.dumps(wire).encode()).hexdigest()


def _known(owner_id: int, turn_id: str) -> Turn | None:
    return Turn.objects.owned_by(owner_id).named(turn_id).select_related("conversation").first()


def _attach(turn: Turn, *, send: Send, wanted: str) -> Started:
    conversation = turn.conversation
    if conversation.is_deleted:
        raise Deleted(version=conversation.version, deletedAt=conversation.deleted_at)
    if turn.request_hash != wanted or send.conversation_id not in {None, conversation.cid}:
        raise Mismatch
    return Started(turn=turn, conversation_id=conversation.cid, after=0, fresh=False)


def _refuse_while_live(conversation: Conversation) -> None:
    if conversation.live_status == "running":
        raise Busy(turnId=conversation.live_turn)
    if conversation.live_status == "held":
        calls = ToolCall.objects.filter(turn__conversation=conversation, state=State.PENDING)
        raise Pending(calls=list(calls.values_list("call_id", flat=True)))


def _refuse_stale_cut(conversation: Conversation, send: Send) -> None:
    """`truncateAt` keeps the first N messages and must point at a person's words (rule 18)."""
    if send.truncate_at is None:
        if send.version is not None and send.version != conversation.version:
            raise Conflict(version=conversation.version, etag=conversation.etag)
        return
    if send.version != conversation.version:
        raise Conflict(version=conversation.version, etag=conversation.etag)
    messages = store.full_messages(conversation)
    if send.truncate_at >= len(messages) or not is_persons(messages[send.truncate_at]):
        raise BadRequest("truncateAt must be the position of a person's message.")


def _frozen(conversation: Conversation, *, agent_id: str) -> store.Frozen | None:
    """Return the frozen request if agent, tools or the person's system text changed: that is a rewrite (rule 19)."""
    frozen = material.frozen_for(agent_id, custom=material.setting(conversation, "system"))
    if conversation.frozen_hash == frozen.hash:
        return None
    return store.Frozen(
        system=frozen.system,
        tools=frozen.tools,
        frozen_hash=frozen.hash,
        thinking_from=conversation.message_count if conversation.frozen_hash else None,
    )


def _create(
    conversation: Conversation,
    *,
    send: Send,
    agent_id: str,
    choice: Choice,
    wanted: str,
    now: int,
) -> Turn:
    return Turn.objects.create(
        owner_id=conversation.owner_id,
        conversation=conversation,
        turn_id=send.turn_id or f"t-{secrets.token_hex(12)}",
        request_hash=wanted,
        agent_id=agent_id,
        model=choice.model,
        effort=choice.effort,
        # A list that is cut is shorter than what was measured.
        usage=admit.figures_before(conversation) if send.truncate_at is None else {},
        mark=secrets.token_hex(8),
        cut=send.truncate_at,
        lease_owner=lease.BOOT,
        lease_until=lease.until(),
        created_at=now,
        last_seq=1,
        msg_seq=1,
    )


def _open_journal(turn: Turn, *, send: Send, images: list[dict[str, object] | None]) -> Entry:
    """The first event is kept with the turn, so that the message is acknowledged by one commit."""
    said = events.UserText(text=send.message, images=images, at=turn.created_at)
    line = events.dump(said, turn_id=turn.turn_id, seq=1, conversation_id=turn.conversation.cid)
    entry = Entry(1, said.type, line)
    TurnEvent.objects.create(turn=turn, last_seq=1, events=packed([entry]))
    return entry


@dataclass(frozen=True, slots=True, kw_only=True)
class Stopping:
    """`held`: nobody runs the turn, the caller must conclude it."""

    turn: Turn
    held: bool


def stop(turn_id: str, *, owner_id: int) -> Stopping:
    """Raise the stop flag; idempotent. Raises NotFound."""
    with transaction.atomic():
        store.locked(owner_id)
        turn = _known(owner_id, turn_id)
        if turn is None or turn.status == Turn.Status.DISCARDED:
            raise NotFound
        Turn.objects.live().filter(pk=turn.pk).update(stop=True)
        return Stopping(turn=turn, held=turn.status == Turn.Status.HELD)


def pending(*, owner_id: int) -> list[dict[str, object]]:
    """Return the pending events of all the person's conversations, oldest first."""
    calls = (
        ToolCall.objects.filter(
            turn__in=Turn.objects.owned_by(owner_id).live(),
            state=State.PENDING,
            expires_at__gt=lease.NowMs(),
        )
        .select_related("turn__conversation")
        .order_by("pk")
    )
    return [
        {
            "type": "pending",
            "turnId": call.turn.turn_id,
            "conversationId": call.turn.conversation.cid,
            **answers.held_event(call).wire(),
        }
        for call in calls
    ]


def watched(turn_id: str, *, owner_id: int, conversation: Conversation | None = None) -> Turn:
    """Return a turn to watch. Raises NotFound for an unknown or foreign one, and for another conversation's."""
    turn = _known(owner_id, turn_id)
    if turn is None or (conversation is not None and turn.conversation_id != conversation.pk):
        raise NotFound
    return turn
