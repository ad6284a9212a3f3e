"""Runs of one role, and which calls and results in them belong together.

The API merges same-role neighbours before it judges a list, so calls and results are paired between runs of messages
and not between messages: a stored list may hold the results of a turn and the next question as two user messages.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from history.blocks import SERVER_USES, THINKING, Block, Message, blocks_of, is_server_result, kind
from history.rules import Rule


@dataclass(slots=True, kw_only=True)
class Part:
    """One message under the lens: its blocks, where it stands and what it was made from."""

    role: str
    blocks: list[Block]
    at: int
    origin: Message | None = None
    cut: set[str] = field(default_factory=set)
    """Ids of calls in a reply whose thinking was never signed, so that it cannot have been received whole."""


Run = Sequence[Part]


def parts_of(messages: Sequence[Any]) -> list[Part]:
    """Return one part for each message."""
    return [
        Part(role=str(message.get("role")), blocks=blocks_of(message), at=at, origin=message)
        for at, message in enumerate(messages)
        if isinstance(message, dict)
    ]


def runs_of(parts: Sequence[Part]) -> list[list[Part]]:
    """Group neighbours of one role."""
    return [list(group) for _, group in groupby(parts, key=lambda part: part.role)]


def of_type(run: Run, wanted: str) -> list[Block]:
    """Return the blocks of one type in a run, in order."""
    return [block for part in run for block in part.blocks if kind(block) == wanted]


def exchange_faults(run: Run, following: Run) -> Iterator[tuple[Rule, int, str]]:
    """Yield what is wrong between an assistant run and the user run after it (empty when there is none)."""
    uses = {str(use.get("id")): use for use in of_type(run, "tool_use")}
    results = of_type(following, "tool_result")
    answered = [str(result.get("tool_use_id")) for result in results]
    for part in run:
        ids = [str(block.get("id")) for block in part.blocks if kind(block) == "tool_use"]
        if not set(ids).issubset(answered):
            yield Rule.ANSWERED, part.at, "tool_use without a result in the next user message"
    if _speaks_after_use(run):
        yield Rule.USES_LAST, run[-1].at, "text or thinking after a tool_use"
    if following:
        yield from _result_faults(following, results=results, uses=uses)


def orphan_faults(run: Run) -> Iterator[tuple[Rule, int, str]]:
    """Yield what is wrong with a user run that follows no reply."""
    yield from _result_faults(run, results=of_type(run, "tool_result"), uses={})


def _result_faults(
    run: Run, *, results: list[Block], uses: dict[str, Block]
) -> Iterator[tuple[Rule, int, str]]:
    at = run[0].at
    ids = [str(result.get("tool_use_id")) for result in results]
    if not uses.keys() >= set(ids):
        yield Rule.MATCHED, at, "tool_result without its tool_use in the message before"
    if len(set(ids)) < len(ids):
        yield Rule.ONCE, at, "two results for one tool_use"
    kinds = [kind(block) == "tool_result" for part in run for block in part.blocks]
    if kinds != sorted(kinds, reverse=True):
        yield Rule.RESULTS_FIRST, at, "something stands before a tool_result"
    if sum(any(kind(block) == "tool_result" for block in part.blocks) for part in run) > 1:
        yield Rule.TOGETHER, at, "results of one message in two"
    for result in results:
        use = uses.get(str(result.get("tool_use_id")))
        if use and use.get("toolset_name") != result.get("toolset_name"):
            yield Rule.TOOLSET, at, "result of another toolset than its call"


def _speaks_after_use(run: Run) -> bool:
    seen = False
    for part in run:
        for block in part.blocks:
            if seen and speaks(block):
                return True
            seen = seen or kind(block) == "tool_use"
    return False


def speaks(block: Block) -> bool:
    """Say whether a block is something said or thought, which may not follow a tool_use."""
    return kind(block) == "text" or kind(block) in THINKING


def is_paused(run: Run) -> bool:
    """Say whether a final run is a turn the provider paused, which is sent back as it is."""
    last = run[-1].blocks[-1:] if run else []
    return any(kind(block) in SERVER_USES or is_server_result(block) for block in last)


_Half = tuple[Part, int]


def lone_server_halves(runs: Sequence[Run]) -> Iterator[tuple[Rule, Part, int]]:
    """Yield where server tool blocks lack their other half (part and position) and the API wants both.

    A use may stay open only in the last reply, when nothing but results follows it, or when the next reply closes it
    after nothing but results.
    """
    replies = [number for number, run in enumerate(runs) if run[0].role == "assistant"]
    carried: dict[str, _Half] = {}
    for number in replies:
        opened: dict[str, _Half] = {}
        for part, position, block in _server_blocks(runs[number]):
            key = str(block.get("tool_use_id") if is_server_result(block) else block.get("id"))
            if not is_server_result(block) and key not in opened:
                opened[key] = (part, position)
            elif is_server_result(block) and (key in opened or key in carried):
                opened.pop(key, None) or carried.pop(key)
            else:
                yield Rule.SERVER_PAIRS, part, position
        yield from ((Rule.SERVER_PAIRS, *lone) for lone in carried.values())
        after = [
            block for run in runs[number + 1 : number + 2] for part in run for block in part.blocks
        ]
        carried = {}
        if all(kind(block) == "tool_result" for block in after):
            carried = opened
        else:
            mixed = number == replies[-1] and bool(of_type(runs[number], "tool_use"))
            rule = Rule.ONLY_RESULTS if mixed else Rule.SERVER_PAIRS
            yield from ((rule, *lone) for lone in opened.values())


def _server_blocks(run: Run) -> Iterator[tuple[Part, int, Block]]:
    for part in run:
        for position, block in enumerate(part.blocks):
            if kind(block) in SERVER_USES or is_server_result(block):
                yield part, position, block
