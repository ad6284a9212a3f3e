"""What the loop does when the model fails or a person has had enough: part C of tool-loop.md, its lower rows."""

from typing import Any

import pytest

from chat import loop
from chat.llm.base import FailureKind
from chat.steps import Cut, Halted, Keep, Limits, Wait
from tests.chat.looping import HELLO, STOPPED, WAITED, failure, play, reply
from tests.support.notation import TH, TR, TU, A, T, U


class TestAFailureThatPasses:
    @pytest.mark.parametrize("kind", ["transient", "unreachable", "rate_limited"])
    def test_is_tried_again_after_a_reset_t45_t50(self, kind: FailureKind) -> None:
        """Part C, row 7; nothing of the attempt is kept."""
        heard = play(failure(kind), WAITED, reply(T("Done.")), [])

        assert heard.kinds == ["Ask", "Void", "Wait", "Ask", "Keep"]
        assert heard.asked[0].messages == heard.asked[1].messages

    def test_ends_the_turn_at_the_third_time_t47(self) -> None:
        """One visible answer, two retries a turn."""
        failed = failure("transient")

        heard = play(failed, WAITED, failed, WAITED, failed)

        assert heard.kinds == ["Ask", "Void", "Wait", "Ask", "Void", "Wait", "Ask", "Void"]
        assert [step.seconds for step in heard.steps if isinstance(step, Wait)] == [1.0, 4.0]
        assert (heard.reason, heard.code) == ("failed", "code_transient")
        assert heard.end is not None
        assert heard.end.problem is not None
        assert heard.end.problem.retryable

    def test_counts_over_the_whole_segment_t47(self) -> None:
        failed = failure("transient")
        between = [reply(TU("a1")), [TR("a1")]]

        heard = play(failed, WAITED, *between, failed, WAITED, reply(TU("a2")), [TR("a2")], failed)

        assert heard.reason == "failed"

    def test_costs_the_turn_no_round(self) -> None:
        """And gives none back either: two rounds are two, however often the first was tried."""
        two = Limits(rounds=2, max_tokens=1000)
        again = [failure("transient"), WAITED]
        rounds = [reply(TU("a1")), [TR("a1")], reply(TU("a2")), [TR("a2")]]

        heard = play(*again, *again, *rounds, limits=two)

        assert heard.reason == "too_many_rounds"
        assert len(heard.asked) == 4

    @pytest.mark.parametrize(("asked", "waited"), [(0.5, 1.0), (20.0, 20.0)])
    def test_waits_as_long_as_it_was_told(self, asked: float, waited: float) -> None:
        heard = play(failure("rate_limited", retry_after=asked), WAITED, reply(T("Done.")), [])

        assert heard.of(Wait).seconds == waited

    def test_is_not_waited_for_longer_than_a_person_would(self) -> None:
        """A0.7: the header has no limit, our patience has."""
        heard = play(failure("rate_limited", retry_after=loop.LONGEST_WAIT + 1))

        assert (heard.kinds, heard.reason) == (["Ask", "Void"], "failed")

    def test_is_not_tried_again_once_the_person_has_stopped(self) -> None:
        heard = play(failure("transient"), STOPPED)

        assert (heard.reason, heard.code) == ("stopped", None)


class TestAFailureThatStays:
    @pytest.mark.parametrize("kind", ["invalid", "too_long", "refused_key", "no_credit", "binding"])
    def test_is_never_sent_again_unchanged_t9_t49_t86(self, kind: FailureKind) -> None:
        """Part C, rows 8 and 9; no loop on a prompt that is too long."""
        heard = play(failure(kind))

        assert heard.kinds == ["Ask", "Void"]
        assert (heard.reason, heard.code) == ("failed", f"code_{kind}")
        assert heard.end is not None
        assert heard.end.problem is not None
        assert not heard.end.problem.retryable

    @pytest.mark.parametrize("kind", ["invalid", "binding"])
    def test_is_tried_once_without_thinking_and_then_no_more_t93(self, kind: FailureKind) -> None:
        """A loop guard of one."""
        stored = [U(T("x")), A(TH("old"), T("a")), U(T("y"))]

        heard = play(failure(kind), failure(kind), messages=stored)

        assert heard.kinds == ["Ask", "Void", "Unbind", "Ask", "Void"]
        assert heard.reason == "failed"

    def test_leaves_no_words_of_its_own_in_the_list_t48(self) -> None:
        """An error is never what the assistant said."""
        heard = play(failure("refused_key"))

        assert not any(isinstance(step, Keep) for step in heard.steps)

    def test_finds_thinking_in_a_message_of_plain_text_too(self) -> None:
        stored = [{"role": "user", "content": "x"}]

        heard = play(failure("binding"), messages=stored)

        assert heard.kinds == ["Ask", "Void"]


class TestStop:
    def test_keeps_what_was_whole_and_the_open_text_t30_t33(self) -> None:
        """Part C, last row."""
        heard = play(Cut(content=[TH("hm"), T("Open")]), [])

        assert heard.of(Keep).content == [TH("hm"), T("Open")]
        assert heard.reason == "stopped"

    @pytest.mark.parametrize("content", [[], [TH("hm")], [T("\n")], [TH("hm", "")]])
    def test_keeps_nothing_where_nothing_was_said_t32(self, content: list[dict[str, Any]]) -> None:
        heard = play(Cut(content=content))

        assert (heard.kinds, heard.reason) == (["Ask"], "stopped")

    def test_has_calls_answered_that_were_whole(self) -> None:
        """Part C: open calls are answered, and have names of their own."""
        before = [*HELLO, A(TU("a1")), U(TR("a1"))]

        heard = play(Cut(content=[T("Then"), TU("a1")]), Halted(), messages=before)

        assert heard.of(Keep).content == [T("Then"), TU("call_3_1")]
        assert heard.reason == "stopped"

    def test_drops_calls_that_follow_an_unsigned_thought_t90(self) -> None:
        """They could never be sent again."""
        heard = play(Cut(content=[TH("hm", ""), T("Then"), TU("a1")]), [])

        assert heard.of(Keep).content == [T("Then")]
