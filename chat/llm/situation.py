"""Where a conversation stands, as the demo model sees it: what was typed last and what tools have answered since."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from history import outcomes
from history.blocks import blocks_of, shown, texts
from history.fence import unfence


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """A call and what came back. `refused` is one of the codes of history.outcomes."""

    tool: str
    arguments: Mapping[str, Any]
    text: str
    failed: bool
    refused: str | None
    images: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """`typed` is the person's last text, `pictures` how many images came with it; `rounds` the answers since."""

    typed: str
    pictures: int
    rounds: Sequence[Sequence[Answered]]
    tools: frozenset[str]

    @property
    def last(self) -> Sequence[Answered]:
        """The answers of the newest round."""
        return self.rounds[-1] if self.rounds else ()


def situation_of(body: Mapping[str, Any]) -> Situation:
    """Read the body of a Messages request that has been checked."""
    messages = body["messages"]
    said = [
        place
        for place, message in enumerate(messages)
        if message["role"] == "user" and shown(blocks_of(message))
    ]
    place = said[-1] if said else 0
    own = shown(blocks_of(messages[place]))
    rounds = [
        _answers(messages[at], messages[at + 1])
        for at in range(place + 1, len(messages) - 1)
        if messages[at]["role"] == "assistant"
    ]
    return Situation(
        typed="\n".join(texts(own)).strip(),
        pictures=sum(block["type"] == "image" for block in own),
        rounds=[answers for answers in rounds if answers],
        tools=frozenset(tool["name"] for tool in body.get("tools", [])),
    )


def _answers(asked: dict[str, Any], answered: dict[str, Any]) -> list[Answered]:
    results = {block.get("tool_use_id"): block for block in blocks_of(answered)}
    return [
        _answer(block, results[block["id"]])
        for block in blocks_of(asked)
        if block["type"] == "tool_use" and block["id"] in results
    ]


def _answer(call: dict[str, Any], result: dict[str, Any]) -> Answered:
    inside = blocks_of(result)
    text = "\n".join(texts(inside))
    failed = bool(result.get("is_error"))
    return Answered(
        tool=call["name"],
        arguments=call["input"],
        text=unfence(text).strip(),
        failed=failed,
        refused=outcomes.code_of(text) if failed else None,
        images=sum(block["type"] == "image" for block in inside),
    )
