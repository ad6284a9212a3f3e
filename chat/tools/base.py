"""What a tool is: a name, a schema, a tier, an effect."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class Tier(StrEnum):
    """Read-only tools run at once; a state-changing one never before a person's explicit yes (contract 7, rule 6)."""

    READ_ONLY = "read_only"
    STATE_CHANGING = "state_changing"


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """On whose behalf a call runs."""

    user_id: int
    conversation_id: str
    now_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Image:
    """An image a tool gives back: raw bytes and their media type."""

    media_type: str
    data: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    """What a tool says. `text` is untrusted: the runner caps, cleans and fences it."""

    text: str = ""
    images: Sequence[Image] = ()


class ToolFailed(Exception):
    """A call that had no effect; its message goes to the model and the person, so it holds no secret and no path."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """`run(args, caller)` is synchronous, runs in a worker thread and may block; `args` satisfy `input_schema`.

    The tier defaults to state-changing: a tool that forgets to say is asked about.
    """

    name: str
    description: str
    input_schema: Mapping[str, Any]
    run: Callable[[Mapping[str, Any], Caller], Output]
    tier: Tier = field(default=Tier.STATE_CHANGING)

    def wire(self) -> dict[str, Any]:
        """Return the tool as the Messages API takes it."""
        return {
            "name": self.name,
            "description": self.description,
            "input_schema": dict(self.input_schema),
        }
