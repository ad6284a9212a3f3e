"""Calls and results: failures of other chat products, as the smallest list that shows them; the numbers are those of the collected cases."""

from typing import Any

import pytest

from history import outcomes
from history.messages import (
    check,
    heal,
)
from tests.support.notation import IMG, SR, SU, SYS, TR, TU, A, T, U, png

ASKED = U(T("x"))


def unknown(call_id: str) -> dict[str, Any]:
    return TR(call_id, outcomes.UNKNOWN, is_error=True)


class TestACallWithoutAResult:
    def test_is_answered_before_the_words_that_interrupted_it_t1_t57(self) -> None:
        stored = [U(T("open V1")), A(TU("a1", v=1)), U(T("wait, stop"))]

        healed = heal(stored)

        assert healed.messages == [*stored[:2], U(unknown("a1"), T("wait, stop"))]
        assert not healed.middle
        assert check(healed.messages) == []

    def test_is_answered_where_it_stands_and_not_at_the_end_t3(self) -> None:
        stored = [ASKED, A(TU("a1"), TU("a2")), U(T("still there?")), A(T("yes")), U(T("go on"))]

        healed = heal(stored)

        assert healed.messages[2] == U(unknown("a1"), unknown("a2"), T("still there?"))
        assert healed.messages[3:] == stored[3:]
        assert healed.middle

    def test_at_the_end_gets_a_message_of_its_own_t8(self) -> None:
        """What a crash between two writes leaves."""
        stored = [ASKED, A(T("I will."), TU("a1"))]

        assert heal(stored).messages == [*stored, U(unknown("a1"))]

    @pytest.mark.parametrize(
        "sentence", [outcomes.NOT_RUN, outcomes.DENIED, outcomes.STOPPED, outcomes.EXPIRED]
    )
    def test_is_answered_with_what_is_known_t7(self, sentence: str) -> None:
        """Three situations, three texts."""
        stored = [ASKED, A(TU("a1"), TU("a2"))]

        answers = heal(stored, reasons={"a2": sentence}).messages[-1]

        assert answers == U(unknown("a1"), TR("a2", sentence, is_error=True))

    def test_never_claims_to_have_had_no_effect_unless_told_t7(self) -> None:
        answer = heal([ASKED, A(TU("a1"))], reasons={"a1": " "}).messages[-1]["content"][0][
            "content"
        ]

        assert "may have run" in answer

    def test_is_answered_rather_than_dropped_t10(self) -> None:
        """The model keeps the knowledge that it tried."""
        stored = [ASKED, A(T("I'll open it"), TU("a1")), U(T("hi"))]

        assert heal(stored).messages[1] == stored[1]

    def test_beside_answered_ones_leaves_their_results_alone_t66_t72(self) -> None:
        stored = [ASKED, A(TU("a1"), TU("a2"), TU("a3")), U(TR("a1", "7 bar"), TR("a3", "8 bar"))]

        assert heal(stored).messages[-1] == U(TR("a1", "7 bar"), unknown("a2"), TR("a3", "8 bar"))

    def test_echoes_the_toolset_of_its_call(self) -> None:
        stored = [ASKED, A({**TU("a1"), "toolset_name": "browser"})]

        assert heal(stored).messages[-1]["content"][0]["toolset_name"] == "browser"

    def test_echoes_no_other_toolset(self) -> None:
        """Another fault beside it, so that the pair is rebuilt."""
        wrong = {**TR("a1"), "toolset_name": "browser"}
        stored = [ASKED, A(TU("a1"), TU("a2")), U(wrong)]

        assert heal(stored).messages[-1] == U(TR("a1"), unknown("a2"))

    def test_without_a_name_gets_one(self) -> None:
        stored = [ASKED, A(TU("")), U(TR(""))]

        assert heal(stored).messages == [ASKED, A(TU("call")), U(TR("call"))]


class TestAnOrphanResult:
    def test_at_the_beginning_goes_with_the_reply_to_it_t15(self) -> None:
        assert heal([U(TR("a1")), A(T("done")), U(T("next"))]).messages == [U(T("next"))]

    def test_of_an_answered_call_goes_and_the_words_stay_t16_t101(self) -> None:
        stored = [ASKED, A(TU("a1")), U(TR("a1")), A(T("ok")), U(TR("a1"), T("hello"))]

        healed = heal(stored)

        assert healed.messages == [*stored[:4], U(T("hello"))]
        assert not healed.middle

    def test_of_a_server_tool_goes_alone_t19(self) -> None:
        stored = [ASKED, A(SR("srvtoolu_1"), T("so")), U(T("y"))]

        assert heal(stored).messages == [ASKED, A(T("so")), U(T("y"))]

    def test_takes_what_cited_it_along_t19(self) -> None:
        """A citation of a result that is gone has nothing to point at."""
        stored = [
            ASKED,
            A(SR("srvtoolu_1"), {**T("so"), "citations": [{"type": "web_search_result_location"}]}),
            U(T("y")),
        ]

        assert heal(stored).messages[1] == A(T("so"))

    def test_of_a_server_tool_goes_as_a_call_too_t19_t96(self) -> None:
        """Unless nothing follows, for then the provider paused the turn."""
        paused = [ASKED, A(SU("srvtoolu_1"))]

        assert heal(paused).messages is paused
        assert heal([*paused, U(T("y"))]).messages == [ASKED, U(T("y"))]

    @pytest.mark.parametrize(
        "blocks",
        [(SU("call 1"), SR("call 1")), (SU("s1"),), (SR("s1"),), (SU("s1"), SU("s1"), SR("s2"))],
    )
    def test_of_a_server_tool_never_stays_without_its_other_half(
        self, blocks: tuple[Any, ...]
    ) -> None:
        stored = [ASKED, A(*blocks, T("so")), U(T("y"))]

        assert heal(stored).messages == [ASKED, A(T("so")), U(T("y"))]

    def test_of_a_server_tool_called_twice_under_one_id_keeps_one_pair(self) -> None:
        stored = [ASKED, A(SU("s1"), SU("s1"), SR("s1"), T("so")), U(T("y"))]

        assert heal(stored).messages[1] == A(SU("s1"), SR("s1"), T("so"))


class TestResultsInTheWrongPlace:
    def test_come_first_t17(self) -> None:
        stored = [ASKED, A(TU("a1")), U(T("note: agent switched"), TR("a1"))]

        assert heal(stored).messages[-1] == U(TR("a1"), T("note: agent switched"))

    def test_come_together(self) -> None:
        """B1.4: results in two messages teach the model to call one tool at a time."""
        stored = [ASKED, A(TU("a1"), TU("a2")), U(TR("a1")), U(TR("a2"), T("next"))]

        assert heal(stored).messages[2:] == [U(TR("a1"), TR("a2")), U(T("next"))]

    def test_in_two_halves_become_one_t20(self) -> None:
        """Text and screenshot of one call, sent as two results."""
        picture = IMG(png())
        stored = [ASKED, A(TU("a1")), U(TR("a1", "see"), TR("a1", [picture]))]

        assert heal(stored).messages[-1] == U(TR("a1", [T("see"), picture]))

    @pytest.mark.parametrize(
        ("first", "second"),
        [
            (TR("a1", "no", is_error=True), TR("a1", [IMG(png())])),
            (TR("a1", "see"), TR("a1", [IMG(png()), T("and more")])),
            (TR("a1", "see"), TR("a1", "late")),
        ],
    )
    def test_that_are_no_halves_stay_one_t26(
        self, first: dict[str, Any], second: dict[str, Any]
    ) -> None:
        assert heal([ASKED, A(TU("a1")), U(first, second)]).messages[-1] == U(first)

    def test_are_not_parted_from_their_call_by_a_system_note_t22(self) -> None:
        denied = TR("a1", outcomes.DENIED, is_error=True)
        stored = [ASKED, A(TU("a1")), SYS("agent switched"), U(denied)]

        assert heal(stored).messages == [ASKED, A(TU("a1")), U(denied), SYS("agent switched")]

    def test_are_taken_to_the_call_that_something_was_said_after(self) -> None:
        """B1.25: what a retry appended to an aborted reply looks like."""
        stored = [
            ASKED,
            A(TU("a1"), T("again"), TU("a2")),
            U(TR("a1", "one"), TR("a2", "two"), T("thanks")),
        ]

        assert heal(stored).messages == [
            ASKED,
            A(TU("a1")),
            U(TR("a1", "one")),
            A(T("again"), TU("a2")),
            U(TR("a2", "two"), T("thanks")),
        ]


class TestASystemNote:
    def test_at_the_beginning_moves_behind_the_first_question(self) -> None:
        assert heal([SYS("be brief"), ASKED, A(T("y"))]).messages == [
            ASKED,
            SYS("be brief"),
            A(T("y")),
        ]

    def test_before_a_second_question_moves_behind_it(self) -> None:
        assert heal([ASKED, SYS("be brief"), U(T("y"))]).messages == [
            ASKED,
            U(T("y")),
            SYS("be brief"),
        ]

    def test_that_follows_another_joins_it(self) -> None:
        healed = heal([ASKED, SYS("be brief"), SYS("be kind"), A(T("y"))]).messages

        assert healed == [
            ASKED,
            {"role": "system", "content": [T("be brief"), T("be kind")]},
            A(T("y")),
        ]

    def test_without_a_place_goes(self) -> None:
        assert heal([ASKED, A(T("y")), SYS("be brief")]).messages == [ASKED, A(T("y"))]


class TestAnEmptyResult:
    @pytest.mark.parametrize("content", ["", [], " \n", None, [T("")]])
    def test_says_that_there_was_no_output_t21(self, content: object) -> None:
        stored = [ASKED, A(TU("a1")), U(TR("a1", content))]

        assert heal(stored).messages[-1] == U(TR("a1", outcomes.NO_OUTPUT))

    def test_of_a_failure_loses_its_pictures_and_nothing_else(self) -> None:
        """B1.14."""
        stored = [ASKED, A(TU("a1")), U(TR("a1", [T("no"), IMG(png())], is_error=True))]

        assert heal(stored).messages[-1] == U(TR("a1", [T("no")], is_error=True))
