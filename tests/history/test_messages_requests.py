"""What a request is made of, beyond a list without faults."""

import copy

from hypothesis import given, settings
from hypothesis import strategies as st

from history.messages import Message, check, faults, merge_neighbours, strip_thinking, within_limits
from history.sending import LEFT_OUT_IMAGE
from tests.support.lists import sound_lists
from tests.support.notation import EXAMPLES, IMG, TH, TR, TU, A, T, U, png

MARK = {"cache_control": {"type": "ephemeral"}}
QUESTION = U(T("go on"))


class TestStripThinking:
    def test_leaves_what_comes_after_alone(self) -> None:
        messages = [QUESTION, A(TH("a"), T("y")), QUESTION, A(TH("b"), T("z"))]

        assert strip_thinking(messages, upto=2) == [QUESTION, A(T("y")), *messages[2:]]

    def test_leaves_out_a_message_of_nothing_else(self) -> None:
        messages = [QUESTION, A(TH("a"), {"type": "redacted_thinking", "data": "x"}), QUESTION]

        assert strip_thinking(messages, upto=3) == [QUESTION, QUESTION]

    def test_changes_nothing_that_is_stored(self) -> None:
        messages = [QUESTION, A(TH("a"), T("y"))]
        before = copy.deepcopy(messages)

        strip_thinking(messages, upto=2)

        assert messages == before

    @settings(max_examples=EXAMPLES, deadline=None)
    @given(sound_lists(), st.integers(0, 12))
    def test_leaves_a_list_that_can_be_sent(self, messages: list[Message], upto: int) -> None:
        request = merge_neighbours([*strip_thinking(messages, upto=upto), QUESTION])

        assert check(request) == []


class TestMergeNeighbours:
    def test_puts_results_first(self) -> None:
        messages = [QUESTION, A(TU("a1")), U(TR("a1")), U(T("next"))]

        assert merge_neighbours(messages)[2:] == [U(TR("a1"), T("next"))]

    def test_makes_text_a_block_only_where_it_must(self) -> None:
        messages = [
            {"role": "user", "content": "x"},
            {"role": "user", "content": "y"},
            {"role": "assistant", "content": "z"},
        ]

        assert merge_neighbours(messages) == [
            U(T("x"), T("y")),
            {"role": "assistant", "content": "z"},
        ]

    def test_leaves_a_message_without_neighbours_alone(self) -> None:
        messages = [QUESTION, A(T("y"))]

        merged = merge_neighbours(messages)

        assert all(new is old for new, old in zip(merged, messages, strict=True))

    def test_leaves_out_cache_markers(self) -> None:
        """B1.20: the sender sets its own, and four are all there may be."""
        messages = [
            U({**T("x"), **MARK}),
            A(TU("a1")),
            U({**TR("a1", [{**T("y"), **MARK}]), **MARK}),
        ]

        assert merge_neighbours(messages) == [U(T("x")), A(TU("a1")), U(TR("a1", [T("y")]))]

    @settings(max_examples=EXAMPLES, deadline=None)
    @given(sound_lists())
    def test_extends_what_was_sent_before_t94(self, messages: list[Message]) -> None:
        """Each request's messages begin with those of the one before, up to the last of a person."""
        for end in range(1, len(messages)):
            earlier, later = merge_neighbours(messages[:end]), merge_neighbours(messages)
            assert later[: len(earlier) - 1] == earlier[:-1]


class TestWithinLimits:
    def test_leaves_a_list_that_fits_alone(self) -> None:
        messages = [U(T("look"), IMG(png(800, 600)))]

        assert within_limits(messages)[0] is messages[0]

    def test_leaves_out_an_image_that_is_too_large_t79(self) -> None:
        messages = [U(T("look"), IMG(png(1_200, 9_000)), IMG(png()))]

        assert within_limits(messages) == [U(T("look"), T(LEFT_OUT_IMAGE), IMG(png()))]

    def test_leaves_out_the_oldest_large_ones_when_there_are_many_t74_t75(self) -> None:
        """From the 21st image on the limit is lower, for old ones as well."""
        large, small = IMG(png(2_560, 1)), IMG(png())
        messages = [
            U(
                T("x"),
                copy.deepcopy(large),
                copy.deepcopy(large),
                *(copy.deepcopy(small) for _ in range(19)),
            )
        ]

        fitted = within_limits(messages)

        assert fitted[0]["content"][:3] == [T("x"), T(LEFT_OUT_IMAGE), large]
        assert check(fitted) == []

    def test_leaves_out_the_oldest_when_all_are_too_much_t76(self) -> None:
        pictures = [IMG(png(n, 1, padding=30_000)) for n in (1, 2, 3)]
        messages = [QUESTION, A(TU("a1")), U(TR("a1", pictures[:2])), U(T("and"), pictures[2])]

        fitted = within_limits(messages, budget=90_000)

        assert fitted[2] == U(TR("a1", [T(LEFT_OUT_IMAGE), pictures[1]]))
        assert fitted[3] == messages[3]

    def test_counts_no_more_than_a_hundred(self) -> None:
        messages = [U(T("x"), *(IMG(png()) for _ in range(130)))]

        fitted = within_limits(messages)

        assert check(fitted) == []
        assert [block["type"] for block in fitted[0]["content"]].count("image") == 100

    def test_changes_nothing_that_is_stored(self) -> None:
        messages = [QUESTION, A(TU("a1")), U(TR("a1", [IMG(png(1, 9_000))]))]
        before = copy.deepcopy(messages)

        fitted = within_limits(messages)

        assert messages == before
        assert faults(fitted) == []
