"""Markdown while it grows: whatever the moments of rendering and of joining, a watcher ends with what a fresh
rendering shows (rule 7)."""

import json
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chat.rendering import Item, Rendering
from chat.tape import Entry
from history.markdown.stream import apply
from history.markdown.tree import render

WORDS = st.sampled_from(
    ["# Valves\n", "\n\n", "open **V1", "** now", "- one\n", "- two\n", "```py\nx = 1\n", "```\n", "> quoted\n", "[a][late]",
     "\n\n[late]: https://example.org\n", "| a | b |\n|---|---|\n", "| 1 | 2 |\n", "`code", "` ", "1. first\n", "\N{SNOWMAN}", "x"]
)  # fmt: skip
RUNS = st.lists(WORDS, min_size=1, max_size=12)
EVENTS = st.lists(
    RUNS | st.sampled_from(["reset", "tool_call", "thinking_delta"]), min_size=1, max_size=5
)


@dataclass
class Page:
    """What a watcher shows: runs of text by their part, made of nothing but the frames it got."""

    blocks: dict[int, list[Any]] = field(default_factory=dict)
    tails: dict[int, list[Any]] = field(default_factory=dict)
    others: list[int] = field(default_factory=list)

    @classmethod
    def of(cls, items: list[Item]) -> "Page":
        page = cls()
        for item in items:
            page.show(item)
        return page

    def show(self, item: Item) -> None:
        frame = json.loads(item.line)
        part = frame.get("part")
        match item.type:
            case "block":
                assert frame["index"] == len(self.blocks.setdefault(part, []))
                self.blocks[part] += frame["nodes"]
                self.tails[part] = []
            case "tail":
                self.tails[part] = apply(self.tails.get(part, []), frame["delta"])
            case "end":
                self.blocks[part], self.tails[part] = frame["nodes"], []
            case _:
                self.others.append(item.seq)

    def whole(self, part: int) -> list[Any]:
        return [*self.blocks.get(part, []), *self.tails.get(part, [])]


def numbered(events: list[Any]) -> list[Entry]:
    """Return entries: a list of words is a run of deltas, a name another event; `done` is the last."""
    made: list[tuple[str, str]] = []
    for event in events:
        made += (
            [("text_delta", word) for word in event] if isinstance(event, list) else [(event, "")]
        )
    made.append(("done", ""))
    return [
        Entry(seq, kind, json.dumps({"type": kind, "seq": seq, "text": text}))
        for seq, (kind, text) in enumerate(made, 1)
    ]


def advance(rendering: Rendering, entries: list[Entry], ticks: list[bool]) -> None:
    """Take entries, with a tick after some."""
    for entry, tick in zip(entries, ticks, strict=True):
        rendering.take(entry)
        if tick:
            rendering.tick()


def runs_of(entries: list[Entry]) -> dict[int, tuple[int, str]]:
    """Return each run of text by its part: (number of its last event, its words)."""
    runs: dict[int, tuple[int, str]] = {}
    part = 0
    for entry in entries:
        if entry.type != "text_delta":
            part = 0
            continue
        part = part or entry.seq
        before = runs.get(part, (0, ""))[1]
        runs[part] = (entry.seq, before + json.loads(entry.line)["text"])
    return runs


class TestRendering:
    @settings(max_examples=150, deadline=None)
    @given(EVENTS, st.data())
    def test_shows_every_watcher_what_a_fresh_rendering_shows_t100(
        self, events: list[Any], data: st.DataObject
    ) -> None:
        """Rules 5, 7: any ticks, any moment of joining, any position to resume from."""
        entries = numbered(events)
        joining = data.draw(st.integers(0, len(entries)), label="joins after so many events")
        after = data.draw(st.integers(0, joining), label="has seen up to")
        ticks = data.draw(st.lists(st.booleans(), min_size=len(entries), max_size=len(entries)))
        rendering = Rendering("t-1")

        advance(rendering, entries[:joining], ticks[:joining])
        resumed, at = rendering.since(after), len(rendering.items)
        advance(rendering, entries[joining:], ticks[joining:])

        first, late = Page.of(rendering.items), Page.of([*resumed, *rendering.items[at:]])
        for part, (last, text) in runs_of(entries).items():
            assert first.whole(part) == render(text)
            # The event after a run closes it: who has not seen that one has an open rest, so the run comes again.
            assert late.whole(part) == (render(text) if last >= after else [])
        assert first.others == [e.seq for e in entries if e.type != "text_delta"]
        assert late.others == [seq for seq in first.others if seq > after]

    @settings(max_examples=60, deadline=None)
    @given(EVENTS, st.data())
    def test_has_numbers_that_never_go_back(self, events: list[Any], data: st.DataObject) -> None:
        """Rule 7: `seq` is the last event a frame contains, so that it can be resumed from."""
        rendering = Rendering("t-1")
        for entry in numbered(events):
            rendering.take(entry)
            if data.draw(st.booleans()):
                rendering.tick()

        seqs = [item.seq for item in rendering.items]
        assert seqs == sorted(seqs)

    def test_of_nothing_new_adds_nothing(self) -> None:
        rendering = Rendering("t-1")
        rendering.tick()
        rendering.take(numbered([["x"]])[0])
        assert rendering.dirty
        rendering.tick()
        before = len(rendering.items)

        rendering.tick()

        assert (len(rendering.items), rendering.dirty) == (before, False)

    @pytest.mark.parametrize("kind", ["reset", "thinking_delta", "tool_call", "done"])
    def test_closes_its_run_at_any_other_event(self, kind: str) -> None:
        """Rule 7: `reset` voids the open run."""
        rendering = Rendering("t-1")
        for entry in numbered([["one"], kind, ["two"]]):
            rendering.take(entry)

        assert [(item.type, item.part) for item in rendering.items] == [
            ("block", 1),
            (kind, 0),
            ("block", 3),
            ("done", 0),
        ]
