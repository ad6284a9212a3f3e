"""A list that the API would refuse, made acceptable without a lie and with as little change as that takes.

The order matters: blocks first, so that pairing sees only sound ones; calls and results next; then server tools, whose
place depends on what follows; system notes and cache markers last. A person's words are never dropped, a result is
never invented: what nobody answered is answered with an error that says what is known.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from history.blocks import (
    ROLES,
    THINKING,
    Block,
    Message,
    blocks_of,
    kind,
    markers,
    without_markers,
)
from history.checking import MAX_MARKERS, faults, may_precede_system
from history.exchanges import Exchanges
from history.mending import mended
from history.pairing import Part, lone_server_halves, parts_of, runs_of

_NO_REASONS: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class Healed:
    """What came of a list. `changes` holds one sentence for a log each, without content.

    `middle` says that something changed before the last reply or the thinking in it: thinking is signed over all that
    stands before it, so requests must leave out the thinking of everything up to the end of this list.
    """

    messages: list[Message]
    changes: list[str]
    middle: bool


def heal(messages: list[Message], *, reasons: Mapping[str, str] = _NO_REASONS) -> Healed:
    """Return a list without faults (`history.checking.faults`); one that has none comes back as the same object.

    `reasons` maps the id of a tool_use that has no result to the text it is answered with (see `history.outcomes`);
    without one the outcome is called unknown. Never raises, whatever was stored.

    A stored list may end in what only stands at an end: a turn the provider paused, a system note. Whoever adds a
    message heals the longer list; it costs one look when there is nothing to do.
    """
    if not faults(messages):
        return Healed(messages=messages, changes=[], middle=False)
    changes: list[str] = []
    parts = _sound_parts(messages, changes)
    notes = [part for part in parts if part.role == "system"]
    parts = Exchanges(reasons=reasons, changes=changes).paired(
        [part for part in parts if part.role != "system"]
    )
    parts = _without_lone_halves(parts, changes)
    parts = _with_notes(parts, notes, changes)
    healed = _without_excess_markers([_message(part) for part in parts], changes)
    if not changes:
        changes.append("tidied what no message holds")
    return Healed(
        messages=healed, changes=changes, middle=_changed_before_the_tail(messages, healed)
    )


def _sound_parts(messages: Sequence[Any], changes: list[str]) -> list[Part]:
    parts = []
    for part in parts_of(_as_messages(messages)):
        role = part.role if part.role in ROLES else "user"
        blocks = [(block, mended(block, role=role)) for block in part.blocks]
        kept = [new for _, new in blocks if new is not None]
        changes.extend(
            f"message {part.at}: {'left out' if new is None else 'mended'} {kind(old) or 'a block without a type'}"
            for old, new in blocks
            if new is not old
        )
        unsigned = any(new is None and kind(old) == "thinking" for old, new in blocks)
        cut = (
            {str(block["id"]) for block in kept if kind(block) == "tool_use"} if unsigned else set()
        )
        if kept:
            parts.append(replace(part, role=role, blocks=kept, cut=cut))
        elif not blocks:
            changes.append(f"message {part.at}: left out, it was empty")
    return parts


def _as_messages(messages: Sequence[Any]) -> list[Message]:
    """Turn bare strings, in a list or in its content, into what they must have meant: words."""
    result = []
    for message in messages:
        content = message.get("content") if isinstance(message, dict) else message
        if isinstance(content, list) and any(isinstance(item, str) for item in content):
            content = [
                {"type": "text", "text": item} if isinstance(item, str) else item
                for item in content
            ]
            message = {**message, "content": content} if isinstance(message, dict) else message  # noqa: PLW2901
        result.append({"role": "user", "content": message} if isinstance(message, str) else message)
    return result


def _without_lone_halves(parts: list[Part], changes: list[str]) -> list[Part]:
    lone: dict[int, set[int]] = {}
    for _, part, position in lone_server_halves(runs_of(parts)):
        lone.setdefault(id(part), set()).add(position)
    result = []
    for part in parts:
        gone = lone.get(id(part), set())
        if gone:
            changes.append(f"message {part.at}: left out half of a server tool's call")
        # What is said after it may cite what is gone.
        kept = [
            _uncited(block) if gone and n > min(gone) else block
            for n, block in enumerate(part.blocks)
            if n not in gone
        ]
        if kept:
            result.append(replace(part, blocks=kept) if gone else part)
    return result


def _uncited(block: Block) -> Block:
    if kind(block) != "text":
        return block
    return {key: value for key, value in block.items() if key != "citations"}


def _with_notes(parts: list[Part], notes: list[Part], changes: list[str]) -> list[Part]:
    """Put system notes back: where they stood if one may stand there, else after the next thing a person says."""
    places: dict[int, list[Part]] = {}
    for note in notes:
        before = sum(part.at < note.at for part in parts)
        place = next((n for n in range(before, len(parts) + 1) if _may_stand(parts, n)), None)
        if place is None:
            changes.append(f"message {note.at}: left out a system note without a place")
            continue
        if place != before or place in places:
            changes.append(f"message {note.at}: moved a system note")
        places.setdefault(place, []).append(note)
    result = []
    for n in range(len(parts) + 1):
        together = places.get(n, [])
        if len(together) > 1:
            result.append(
                replace(together[0], blocks=[block for note in together for block in note.blocks])
            )
        else:
            result.extend(together)
        result.extend(parts[n : n + 1])
    return result


def _may_stand(parts: list[Part], n: int) -> bool:
    return (
        n > 0
        and may_precede_system(parts[n - 1])
        and (n == len(parts) or parts[n].role == "assistant")
    )


def _message(part: Part) -> Message:
    origin = part.origin
    if origin is not None and origin.keys() == {"role", "content"} and origin["role"] == part.role:
        was = blocks_of(origin)
        clean = isinstance(origin["content"], str) or len(was) == len(origin["content"])
        if clean and was == part.blocks:
            return origin
    return {"role": part.role, "content": part.blocks}


def _without_excess_markers(messages: list[Message], changes: list[str]) -> list[Message]:
    if sum(markers(block) for message in messages for block in blocks_of(message)) <= MAX_MARKERS:
        return messages
    changes.append("removed all cache markers")
    return [unmarked(message) for message in messages]


def unmarked(message: Message) -> Message:
    """Return a message without cache markers; the same object when it has none."""
    blocks = blocks_of(message)
    plain = [without_markers(block) for block in blocks]
    same = all(a is b for a, b in zip(plain, blocks, strict=True))
    return message if same else {"role": message["role"], "content": plain}


def _changed_before_the_tail(old: Sequence[Any], new: Sequence[Message]) -> bool:
    """Say whether a change stands before thinking or a reply. Markers and the spelling of text are no change to the API."""
    first = next(
        (n for n, (a, b) in enumerate(zip(old, new, strict=False)) if _meaning(a) != _meaning(b)),
        None,
    )
    if first is None:
        first = min(len(old), len(new))
    if any(message["role"] == "assistant" for message in new[first + 1 :]):
        return True
    if first >= len(new) or new[first]["role"] != "assistant":
        return False
    was, now = _meaning(old[first]) if first < len(old) else None, _meaning(new[first])
    if was is None or was[0] != "assistant":
        return True
    kept = next(
        (n for n, (a, b) in enumerate(zip(was[1], now[1], strict=False)) if a != b), len(was[1])
    )
    return any(kind(block) in THINKING for block in now[1][kept:])


def _meaning(message: Any) -> tuple[str, list[Block]]:
    if not isinstance(message, dict):
        return "", []
    return str(message.get("role")), [without_markers(block) for block in blocks_of(message)]
