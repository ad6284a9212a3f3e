"""What a turn builds on, and the list it makes: read from the rows, joined in order."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from chat import prompt
from chat.answers import is_open, results_message
from chat.models import ToolCall, Turn, TurnMessage
from chat.tools.registry import toolbox
from history import store
from history.blocks import blocks_of, shown
from history.messages import heal, is_persons
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
class Prefix:
    """The stored list a turn builds on, healed. `rewritten`: the heal touched what a model's thinking may be bound to."""

    messages: list[Message]
    rewritten: bool = False


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
    """Read a turn's material."""
    prefix = prefix_of(turn)
    return Material(prefix=prefix.messages, own=own_messages(turn), rewritten=prefix.rewritten)


def of_new(turn: Turn, *, said: Message) -> Material:
    """Return the material of a turn that holds nothing yet but the person's message."""
    prefix = _healed(turn, said=said)
    return Material(prefix=prefix.messages, own=[said], rewritten=prefix.rewritten)


def prefix_of(turn: Turn) -> Prefix:
    """Return what the turn builds on. A later segment finds it in the stored list, healed by the first settle."""
    if turn.base is not None:
        return Prefix(messages=store.full_messages(turn.conversation)[: turn.base])
    said = TurnMessage.objects.filter(turn=turn, n=0).first()
    return _healed(turn, said=said.payload if said else None)


def _healed(turn: Turn, *, said: Message | None) -> Prefix:
    stored = store.full_messages(turn.conversation)
    healed = heal(stored[: len(stored) if turn.cut is None else turn.cut])
    kept = _without_repeats(healed.messages, said) if said else healed.messages
    return Prefix(messages=kept, rewritten=healed.middle)


def _without_repeats(messages: list[Message], said: Message) -> list[Message]:
    """Leave out the same words without a reply: the turn they began failed, and now they are sent again (T51)."""
    kept = len(messages)
    while kept and is_persons(messages[kept - 1]) and _seen(messages[kept - 1]) == _seen(said):
        kept -= 1
    return messages[:kept]


def _seen(message: Message) -> list[Any]:
    return shown(blocks_of(message))


def own_messages(turn: Turn) -> list[Message]:
    """Return the turn's messages so far."""
    rows = TurnMessage.objects.filter(turn=turn).order_by("n")
    calls = ToolCall.objects.filter(turn=turn).order_by("message_n", "position")
    return joined(rows, calls, mark=turn.mark)


def leaves_the_list(turn: Turn, own: Sequence[Message]) -> bool:
    """Say whether a turn that cut the list has no word of the model's to put in its place: then the list stays (18)."""
    return (
        turn.cut is not None
        and turn.base is None
        and all(message["role"] == "user" for message in own)
    )


def joined(rows: Iterable[TurnMessage], calls: Iterable[ToolCall], *, mark: str) -> list[Message]:
    """Return a turn's messages: the person's, then each of the model's with the answers to its calls.

    While a call of the last message is open, the list ends in that message. `rows` and `calls` are in order.
    """
    asked = {n: list(group) for n, group in groupby(calls, key=lambda call: call.message_n)}
    own: list[Message] = []
    for row in rows:
        own.append(row.payload)
        these = asked.get(row.n, [])
        if these and not any(is_open(call) for call in these):
            own.append(results_message(these, mark=mark))
    return own


def setting(conversation: Conversation, name: str) -> str:
    """Return a text from the conversation's settings, "" when it is absent or no text."""
    settings = conversation.settings
    value = settings.get(name) if isinstance(settings, dict) else None
    return value if isinstance(value, str) else ""
