"""Calls and results put together again: each call answered once, directly after the message that made it."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from history.blocks import ID, Block, kind, nested, result_text
from history.outcomes import UNKNOWN, is_ours
from history.pairing import Part, exchange_faults, of_type, runs_of, speaks


@dataclass(slots=True, kw_only=True)
class Exchanges:
    """One walk over a list of sound user and assistant parts."""

    reasons: Mapping[str, str]
    changes: list[str]
    _ids: set[str] = field(default_factory=set)
    _taken: set[str] = field(default_factory=set)

    def paired(self, parts: list[Part]) -> list[Part]:
        """Return parts that begin with a person and in which calls and results match."""
        self._taken = {str(use["id"]) for use in of_type(parts, "tool_use")}
        runs = runs_of(parts)
        result: list[Part] = []
        at = 0
        while at < len(runs):
            run, after = runs[at], runs[at + 1] if at + 1 < len(runs) else []
            at += 1
            if run[0].role == "user":
                result.extend(self._without_results(run))
            elif result:
                result.extend(self._exchange(run, after))
                at += 1
            else:
                self._note(run[0], "left out a reply to nothing")
        return result

    def _exchange(self, run: list[Part], after: list[Part]) -> list[Part]:
        ids = [str(use["id"]) for use in of_type(run, "tool_use")]
        fresh = (
            len(set(ids)) == len(ids) and self._ids.isdisjoint(ids) and all(map(ID.fullmatch, ids))
        )
        if fresh and next(exchange_faults(run, after), None) is None:
            self._ids.update(ids)
            return [*run, *after]
        return self._rebuilt(self._distinct(run), after)

    def _rebuilt(self, run: list[Part], after: list[Part]) -> list[Part]:
        before = len(self.changes)
        answers = _Answers(results=of_type(after, "tool_result"))
        segments = [self._answered(segment, answers) for segment in _segments(run)]
        segments = [(said, results) for said, results in segments if said]
        rest = self._without_results(after, counted=answers)
        rebuilt: list[Part] = []
        for number, (said, results) in enumerate(segments, start=1):
            rebuilt.extend(said)
            if results and number == len(segments) and after:
                # In the message of the person's next words, which come after the results.
                words = rest[0].blocks if rest and rest[0].at == after[0].at else []
                rest = rest[1:] if words else rest
                rebuilt.append(replace(after[0], blocks=[*results, *words]))
            elif results:
                rebuilt.append(Part(role="user", blocks=results, at=said[-1].at))
        if len(self.changes) == before:
            self._note(run[0], "put calls and results in order")
        return [*rebuilt, *rest]

    def _answered(self, segment: list[Part], answers: "_Answers") -> tuple[list[Part], list[Block]]:
        said: list[Part] = []
        results: list[Block] = []
        for part in segment:
            blocks: list[Block] = []
            for block in part.blocks:
                if kind(block) != "tool_use":
                    blocks.append(block)
                    continue
                found = answers.take(str(block["id"]))
                if found is None and block["id"] in part.cut and block["id"] not in self.reasons:
                    self._note(part, "left out a call of a reply that was cut off")
                    continue
                use = self._with_own_id(block, part)
                blocks.append(use)
                results.append(self._result(use, found, part=part, call_id=str(block["id"])))
            if blocks:
                said.append(replace(part, blocks=blocks))
        return said, results

    def _result(self, use: Block, found: Block | None, *, part: Part, call_id: str) -> Block:
        if found is None:
            self._note(part, "answered a call that had no result")
            reason = self.reasons.get(call_id, "")
            found = {
                "type": "tool_result",
                "tool_use_id": call_id,
                "content": reason if reason.strip() else UNKNOWN,
                "is_error": True,
            }
        result = {**found, "tool_use_id": use["id"]}
        result.pop("toolset_name", None)
        if use.get("toolset_name") is not None:
            result["toolset_name"] = use["toolset_name"]
        return found if result == found else result

    def _with_own_id(self, use: Block, part: Part) -> Block:
        """Return the use with an id that is its own, so that two calls of one id stay two calls."""
        old = str(use["id"])
        new = old
        if old in self._ids or not ID.fullmatch(old):
            stem = "".join(letter if ID.fullmatch(letter) else "_" for letter in old) or "call"
            new, number = stem, 1
            while new in self._ids or new in self._taken:
                number += 1
                new = f"{stem}_{number}"
            self._note(part, "renamed a call and its result")
        self._ids.add(new)
        return use if new == old else {**use, "id": new}

    def _distinct(self, run: list[Part]) -> list[Part]:
        """Leave out the later copy of a reply, and of a call in it, that was saved twice."""
        result: list[Part] = []
        seen: list[tuple[Any, Any, Any]] = []
        for part in run:
            uses = of_type([part], "tool_use")
            if uses and any(part.blocks == other.blocks for other in result):
                self._note(part, "left out the second copy of a reply")
                continue
            blocks = []
            for block in part.blocks:
                call = (block.get("id"), block.get("name"), block.get("input"))
                if kind(block) == "tool_use" and call in seen:
                    self._note(part, "left out the second copy of a call")
                    continue
                if kind(block) == "tool_use":
                    seen.append(call)
                blocks.append(block)
            if blocks:
                result.append(replace(part, blocks=blocks))
        return result

    def _without_results(self, run: list[Part], *, counted: "_Answers | None" = None) -> list[Part]:
        result = []
        for part in run:
            kept = [block for block in part.blocks if kind(block) != "tool_result"]
            if len(kept) < len(part.blocks) and (counted is None or counted.left):
                self._note(part, "left out a result without its call, or a second one")
            if kept:
                result.append(replace(part, blocks=kept))
        return result

    def _note(self, part: Part, what: str) -> None:
        self.changes.append(f"message {part.at}: {what}")


@dataclass(slots=True, kw_only=True)
class _Answers:
    """The results of one user run, given out to the calls before it."""

    results: list[Block]

    @property
    def left(self) -> bool:
        return bool(self.results)

    def take(self, call_id: str) -> Block | None:
        """Return the first result that a tool gave for a call, else the first at all, with what was split off it."""
        mine = [result for result in self.results if result["tool_use_id"] == call_id]
        if not mine:
            return None
        first = next((result for result in mine if not _is_ours(result)), mine[0])
        more = [result for result in mine if result is not first and _continues(first, result)]
        gone = [first, *more, *(result for result in mine if _is_ours(result))]
        self.results = [
            result for result in self.results if all(result is not other for other in gone)
        ]
        if not more:
            return first
        return {
            **first,
            "content": [block for result in (first, *more) for block in nested(result)],
        }


def _is_ours(result: Block) -> bool:
    return bool(result.get("is_error")) and is_ours(result_text(result))


def _continues(first: Block, later: Block) -> bool:
    """Say whether a second result of one call only carries the pictures of the first."""
    no_words = all(kind(block) != "text" for block in nested(later))
    return not first.get("is_error") and not later.get("is_error") and no_words


def _segments(run: list[Part]) -> list[list[Part]]:
    """Cut a run wherever something is said after a call, so that each call ends its message."""
    segments: list[list[Part]] = [[]]
    called = False
    for part in run:
        begun = 0
        for number, block in enumerate(part.blocks):
            if called and speaks(block):
                if number > begun:
                    segments[-1].append(replace(part, blocks=part.blocks[begun:number]))
                segments.append([])
                begun, called = number, False
            called = called or kind(block) == "tool_use"
        segments[-1].append(replace(part, blocks=part.blocks[begun:]))
    return segments
