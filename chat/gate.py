"""The gate: may this call run, must a person be asked, and what exactly was asked. Pure.

Nothing here remembers anything: rows do (`chat.models.ToolCall`). A digest binds a decision to one call with one
set of arguments, so an approval can be used for nothing else.
"""

import hashlib
import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from chat.tools import arguments
from chat.tools.base import Tier, Tool
from chat.visible import visible, visible_line

__all__ = [
    "MAX_DENIALS",
    "Uncanonical",
    "Verdict",
    "canonical",
    "digest",
    "verdict",
    "visible",
    "visible_line",
]

MAX_DENIALS = 3
"""After so many refusals in one turn the turn ends: the model is not going to hear it."""

_SCHEME = "kenny-gate-1"


class Uncanonical(ValueError):
    """Arguments that have no one text: no JSON object, a NaN, a lone surrogate, an integer of over 4,300 digits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What a call gets. `args` is its canonical text, empty for bad arguments; `why` a sentence for the model."""

    kind: Literal["run", "hold", "repeated", "unknown_tool", "bad_arguments"]
    args: str = ""
    why: str = ""


def canonical(args: Mapping[str, Any]) -> str:
    """Return the one text of `args`: equal texts exactly for values that JSON keeps apart from all others.

    Keys are sorted by code point; strings are not normalised; 1, 1.0 and true differ. `json.loads` gives back an
    equal object. Raises Uncanonical.
    """
    try:
        _only_an_object(args)
        text = json.dumps(
            args, sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False
        )
        text.encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise Uncanonical(
            "The arguments are not a JSON object that can be read in one way."
        ) from error
    return text


def digest(
    *,
    conversation_id: str,
    turn_id: str,
    call_id: str,
    tool: str,
    agent_id: str | None,
    canonical_args: str,
) -> str:
    """Return SHA-256 in hex over everything a decision is about.

    The fields are encoded as a JSON list, so that no field can reach into its neighbour.
    """
    fields = [_SCHEME, conversation_id, turn_id, call_id, tool, agent_id, canonical_args]
    return hashlib.sha256(json.dumps(fields, ensure_ascii=True).encode()).hexdigest()


def verdict(
    *,
    tool: str,
    args: object,
    toolbox: Mapping[str, Tool],
    denied: Collection[tuple[str, str]] = (),
) -> Verdict:
    """Judge one call. `denied` holds (tool, canonical args) of the calls refused so far in the same turn.

    Only a tool that says it is read-only runs at once; everything else waits for a person.
    """
    known = toolbox.get(tool)
    if known is None:
        return Verdict(
            kind="unknown_tool", why="There is no tool of that name here. The call was not run."
        )
    wrong = arguments.faults(args, schema=known.input_schema)
    text = ""
    try:
        text = canonical(args) if isinstance(args, Mapping) else ""
    except Uncanonical as error:
        wrong = [str(error)]
    if wrong:
        return Verdict(kind="bad_arguments", why=" ".join([*wrong, "The call was not run."]))
    if (tool, text) in denied:
        return Verdict(kind="repeated", args=text)
    return Verdict(kind="run" if known.tier is Tier.READ_ONLY else "hold", args=text)


def _only_an_object(value: object) -> None:
    if type(value) is not dict:
        raise TypeError("no object")
    _only_json(value)


def _only_json(value: object) -> None:
    """Refuse what `json.dumps` would quietly turn into something else: other keys than strings, tuples, enums."""
    if type(value) is dict:
        if not all(type(name) is str for name in value):
            raise TypeError("a key is no string")
        for item in value.values():
            _only_json(item)
    elif type(value) is list:
        for item in value:
            _only_json(item)
    elif value is not None and type(value) not in {str, bool, int, float}:
        raise TypeError("a value is no JSON")
