"""What is known of messages beside their words: when they were said, what their turns used. Pure.

It stands beside the list, since the list must stay what the Messages API accepts. Each fact names its message by place
(`n`) and by a hash (`h`): a list that is healed, cut or sent anew by a client keeps the facts of the messages it keeps.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from history.errors import BadRequest
from history.fields import dump

Facts = dict[str, Any]
"""{"messages": [{"n", "h", ...}] in order, "spent": {"tokens", "cost"}}; {} while nothing is known."""

TIME_LIMIT = 2**53
LONGEST = 16_384
"""Bytes of one fact that an import brings."""


@dataclass(frozen=True, slots=True, kw_only=True)
class News:
    """What a settle adds: facts by the place of their message, and what was used since the last settle."""

    messages: Mapping[int, dict[str, Any]] = field(default_factory=dict)
    spent: Mapping[str, int] = field(default_factory=dict)


NOTHING = News()


def hash_of(message: str) -> str:
    """Return what tells a message, given as its stored JSON, from others."""
    return hashlib.sha256(message.encode()).hexdigest()[:16]


def moved(old: Facts, hashes: Sequence[str], *, news: News = NOTHING) -> Facts:
    """Return the facts of a list that now has messages of these hashes. What was spent stays spent."""
    kept = dict(_kept(old, hashes)) | {
        n: {"h": hashes[n], **fact} for n, fact in news.messages.items() if n < len(hashes)
    }
    facts: Facts = {}
    if kept:
        facts["messages"] = [{**kept[n], "n": n} for n in sorted(kept)]
    spent = added(old.get("spent", {}), news.spent)
    return {**facts, "spent": spent} if any(spent.values()) else facts


def _kept(old: Facts, hashes: Sequence[str]) -> Iterator[tuple[int, dict[str, Any]]]:
    at = 0
    for fact in old.get("messages", ()):
        # Most lists only grow: then every message stands where it stood.
        n, where = fact["n"], fact["h"]
        if not (at <= n < len(hashes) and hashes[n] == where):
            try:
                n = hashes.index(where, at)
            except ValueError:
                continue
        yield n, fact
        at = n + 1


def added(spent: Mapping[str, int], more: Mapping[str, int]) -> dict[str, int]:
    return {name: spent.get(name, 0) + more.get(name, 0) for name in ("tokens", "cost")}


def spent_of(facts: Facts) -> dict[str, int]:
    """Return what all turns of a conversation have used, those of messages that are gone included."""
    return added(facts.get("spent", {}), {})


def by_place(facts: Facts) -> dict[int, dict[str, Any]]:
    """Return what is told of each message; the newest turn that ended tells what all have used as well."""
    told = {
        fact["n"]: {name: value for name, value in fact.items() if name not in {"n", "h"}}
        for fact in facts.get("messages", ())
    }
    last = max((n for n, fact in told.items() if "ended" in fact), default=None)
    if last is not None:
        told[last]["ended"] = {**told[last]["ended"], "spent": spent_of(facts)}
    return told


def spread(events: Sequence[dict[str, Any]]) -> None:
    """Put how long thinking and calls took from the person's message to where they are told, as `ms`."""
    thoughts: Iterator[int] = iter(())
    calls: Mapping[str, int] = {}
    for event, after in pairwise([*events, {"type": ""}]):
        if event["type"] == "user_text":
            thoughts, calls = iter(event.pop("thought", ())), event.pop("calls", {})
        elif event["type"] == "thinking_delta" and after["type"] != "thinking_delta":
            event["ms"] = next(thoughts, None)
        elif event["type"] == "tool_result":
            event["ms"] = calls.get(event["callId"])


def shown(facts: Facts) -> Facts:
    """Return the facts as an export has them: the hashes are made anew from the messages."""
    told = [
        {name: value for name, value in fact.items() if name != "h"}
        for fact in facts.get("messages", ())
    ]
    return {**facts, "messages": told} if told else facts


def read(value: object, hashes: Sequence[str]) -> Facts:
    """Return the facts of an export's line. Raises BadRequest."""
    if not isinstance(value, dict):
        raise _wrong()
    told = value.get("messages", [])
    if not isinstance(told, list) or not all(_is_fact(fact, len(hashes)) for fact in told):
        raise _wrong()
    spent = value.get("spent", {})
    if not isinstance(spent, dict) or not all(
        _is_count(spent.get(n, 0)) for n in ("tokens", "cost")
    ):
        raise _wrong()
    news = News(messages={fact["n"]: fact for fact in told}, spent=spent)
    return moved({}, hashes, news=news)


def _is_fact(fact: object, count: int) -> bool:
    return (
        isinstance(fact, dict)
        and _is_count(fact.get("n"))
        and fact["n"] < count
        and _is_count(fact.get("at"))
        and isinstance(fact.get("ended", {}), dict)
        and _are_spans(fact)
        and len(dump(fact).encode()) <= LONGEST
    )


def _are_spans(fact: Mapping[str, Any]) -> bool:
    thought, calls = fact.get("thought", []), fact.get("calls", {})
    if not isinstance(thought, list) or not isinstance(calls, dict):
        return False
    return all(_is_count(span) for span in (*thought, *calls.values()))


def _is_count(value: object) -> bool:
    return type(value) is int and 0 <= value < TIME_LIMIT


def _wrong() -> BadRequest:
    return BadRequest("facts must be those of an export.")
