"""What a turn builds on, and the list it makes: read from the rows, joined in order."""

from dataclasses import dataclass
from itertools import groupby
from typing import Any

from chat import prompt
from chat.answers import is_open, results_message
from chat.models import ToolCall, Turn, TurnMessage
from chat.tools.registry import toolbox
from history import store
from history.messages import heal
from history.models import Conversation

Message = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Frozen:
    """System text and tool list that a conversation's requests begin with, unchanged from turn to turn (rule B4)."""

    system: str
    tools: list[dict[str, Any]]

    @property
    def hash(self) -> str:
        return store.hash_frozen(system=self.system, tools=self.tools)


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """`prefix` is the stored list this turn builds on, healed; `own` the turn's messages so far."""

    prefix: list[Message]
    own: list[Message]
    rewritten: bool


def frozen_for(agent_id: str, *, custom: str) -> Frozen:
    """Return what a conversation with this agent and the person's own system text begins with.

    Raises UnknownAgent.
    """
    tools = [tool.wire() for tool in toolbox(agent_id).values()]
    system = prompt.system_prompt() + (
        f"\nWhat the person asks of every answer\n{custom.strip()}\n" if custom else ""
    )
    return Frozen(system=system, tools=tools)


def load(turn: Turn) -> Material:
    """Read a turn's material. A later segment finds its prefix in the stored list, healed by the first settle."""
    stored = store.full_messages(turn.conversation)
    own = own_messages(turn)
    if turn.base is not None:
        return Material(prefix=stored[: turn.base], own=own, rewritten=False)
    healed = heal(stored[: len(stored) if turn.cut is None else turn.cut])
    return Material(prefix=healed.messages, own=own, rewritten=healed.middle)


def own_messages(turn: Turn) -> list[Message]:
    """Return the turn's messages: the person's, then each of the model's with the answers to its calls.

    While a call of the last message is open, the list ends in that message.
    """
    calls = calls_by_message(turn)
    own: list[Message] = []
    for row in TurnMessage.objects.filter(turn=turn).order_by("n"):
        own.append(row.payload)
        asked = calls.get(row.n, [])
        if asked and not any(is_open(call) for call in asked):
            own.append(results_message(asked, mark=turn.mark))
    return own


def calls_by_message(turn: Turn) -> dict[int, list[ToolCall]]:
    rows = ToolCall.objects.filter(turn=turn).order_by("message_n", "position")
    return {n: list(calls) for n, calls in groupby(rows, key=lambda call: call.message_n)}


def setting(conversation: Conversation, name: str) -> str:
    """Return a text from the conversation's settings, "" when it is absent or no text."""
    settings = conversation.settings
    value = settings.get(name) if isinstance(settings, dict) else None
    return value if isinstance(value, str) else ""
