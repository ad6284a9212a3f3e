"""What is sent of the open rest instead of all of it."""

from typing import Any

from hypothesis import given, settings

from history.markdown import tree
from history.markdown.stream import apply, delta
from tests.support.documents import cuts, documents, grown
from tests.support.notation import EXAMPLES


class TestDelta:
    @settings(max_examples=EXAMPLES, deadline=None)
    @given(documents, documents)
    def test_is_undone_by_nothing_but_applied_by_apply(self, one: str, other: str) -> None:
        old, new = tree.render(one), tree.render(other)

        assert apply(old, delta(old, new)) == new

    @settings(max_examples=EXAMPLES, deadline=None)
    @given(documents, cuts)
    def test_carries_a_reader_through_a_stream(self, source: str, sizes: list[int]) -> None:
        seen: list[Any] = []
        closed_before = 0

        for _, closed, rest in grown(source, sizes):
            base = seen if len(closed) == closed_before else []
            closed_before = len(closed)
            seen = apply(base, delta(base, rest))
            assert seen == rest

    def test_of_growing_words_is_the_new_words(self) -> None:
        old, new = tree.render("- one\n- tw"), tree.render("- one\n- two three")

        change = delta(old, new)

        assert change == [0, {"in": [1, {"in": [0, "o three"]}]}]

    def test_changes_neither_side(self) -> None:
        old, new = tree.render("a *b*"), tree.render("a *b* c")
        before = repr((old, new))

        apply(old, delta(old, new))

        assert repr((old, new)) == before
