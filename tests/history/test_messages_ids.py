"""Ids of calls: doubled, shared or out of bounds; the numbers are those of the collected cases."""

from typing import Any

from history import outcomes
from history.messages import heal
from tests.support.notation import TH, TR, TU, A, T, U

ASKED = U(T("x"))


def unknown(call_id: str) -> dict[str, Any]:
    return TR(call_id, outcomes.UNKNOWN, is_error=True)


class TestADoubledId:
    def test_of_a_reply_saved_twice_loses_the_later_copy_t25(self) -> None:
        stored = [ASKED, A(TH("hm"), T("y"), TU("a1")), A(TH("hm"), T("y"), TU("a1")), U(TR("a1"))]

        assert heal(stored).messages == [stored[0], stored[1], stored[3]]

    def test_of_two_results_keeps_the_first_t26(self) -> None:
        stored = [ASKED, A(TU("a1")), U(TR("a1", "ok"), TR("a1", "timed out", is_error=True))]

        assert heal(stored).messages[-1] == U(TR("a1", "ok"))

    def test_of_two_results_keeps_the_one_a_tool_gave_t26(self) -> None:
        """A sentence of ours makes way for a real result, whichever came first."""
        stored = [ASKED, A(TU("a1")), U(unknown("a1"), TR("a1", "ok"))]

        assert heal(stored).messages[-1] == U(TR("a1", "ok"))

    def test_of_a_copy_that_is_a_reply_of_its_own_goes_with_it_t25(self) -> None:
        """Saved once with its words and once without."""
        stored = [ASKED, A(T("I will."), TU("a1")), A(TU("a1")), U(TR("a1"))]

        assert heal(stored).messages == [ASKED, A(T("I will."), TU("a1")), U(TR("a1"))]

    def test_of_two_calls_renames_the_second_with_its_result(self) -> None:
        """B1.5: some models count their calls from one in each reply."""
        stored = [ASKED, A(TU("a1", v=1)), U(TR("a1", "one")), A(TU("a1", v=2)), U(TR("a1", "two"))]

        healed = heal(stored).messages

        assert healed == [*stored[:3], A(TU("a1_2", v=2)), U(TR("a1_2", "two"))]

    def test_takes_no_name_that_another_call_has(self) -> None:
        stored = [
            ASKED,
            A(TU("a1")),
            U(TR("a1")),
            A(TU("a1", v=2), TU("a1_2")),
            U(TR("a1"), TR("a1_2")),
        ]

        assert heal(stored).messages[3] == A(TU("a1_3", v=2), TU("a1_2"))

    def test_out_of_bounds_is_spelled_in_bounds_on_both_sides(self) -> None:
        """B1.23."""
        stored = [ASKED, A(TU("call:1", "set valve")), U(TR("call:1"))]

        assert heal(stored).messages == [ASKED, A(TU("call_1", "set_valve")), U(TR("call_1"))]
