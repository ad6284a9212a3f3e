"""The loop's decisions, row by row of tool-loop.md part C: what is stored, what is run, what comes next."""

from typing import Any

import pytest

from chat.loop import MAX_PAUSES, keepable
from chat.steps import Ask, GaveUp, Halted, Held, Keep, Limits, Unbind
from tests.chat.looping import HELLO, WAITED, failure, play, reply
from tests.support.notation import SU, TH, TR, TU, A, T, U


class TestAnAnswer:
    @pytest.mark.parametrize("stop", ["end_turn", "stop_sequence"])
    def test_is_stored_and_ends_the_turn(self, stop: str) -> None:
        """Part C, row 2."""
        heard = play(reply(T("Done."), stop=stop), [])

        assert heard.of(Keep).content == [T("Done.")]
        assert (heard.reason, heard.code) == ("end_turn", None)

    @pytest.mark.parametrize("blocks", [[], [T("")], [T(" \n")], [TH("hm")], [TH("hm", ""), T("")]])
    def test_of_nothing_that_can_be_shown_is_not_stored_t32_t39(
        self, blocks: list[dict[str, Any]]
    ) -> None:
        """What the API gives and does not take back."""
        heard = play(reply(*blocks))

        assert heard.kinds == ["Ask"]
        assert (heard.reason, heard.code) == ("end_turn", None)

    def test_loses_its_empty_texts_t39_t40(self) -> None:
        heard = play(reply(T(""), TU("a1")), Held())

        assert heard.of(Keep).content == [TU("a1")]

    def test_runs_no_call_that_came_with_another_reason_t53(self) -> None:
        """By the stop_reason, not by the schema."""
        heard = play(reply(T("I will."), TU("a1"), stop="end_turn"), [])

        assert heard.of(Keep).content == [T("I will.")]
        assert heard.of(Keep).calls == []

    def test_of_calls_that_came_with_another_reason_is_not_stored_t53(self) -> None:
        heard = play(reply(TU("a1"), stop="end_turn"))

        assert heard.kinds == ["Ask"]

    def test_that_promises_calls_and_has_none_ends_the_turn(self) -> None:
        heard = play(reply(T("I will."), stop="tool_use"), [])

        assert heard.reason == "end_turn"


class TestCalls:
    def test_are_stored_before_they_are_answered_and_the_model_is_asked_again(self) -> None:
        """Part C, row 1."""
        asked = reply(TH("hm"), T("I will."), TU("a1", v=1))

        heard = play(asked, [TR("a1")], reply(T("Done.")), [])

        assert heard.kinds == ["Ask", "Keep", "Ask", "Keep"]
        assert heard.asked[1].messages == [*HELLO, A(*asked.content), U(TR("a1"))]
        assert heard.reason == "end_turn"

    @pytest.mark.parametrize(
        ("outcome", "reason", "code"),
        [(Held(), "held", None), (Halted(), "stopped", None), (GaveUp(), "denied", "denied")],
    )
    def test_end_the_segment_when_they_halt_t62_t69(
        self, outcome: object, reason: str, code: str | None
    ) -> None:
        """A hold persists and returns, it waits for nobody."""
        heard = play(reply(TU("a1")), outcome)

        assert (heard.reason, heard.code) == (reason, code)

    def test_that_could_not_be_read_keep_their_reason_t83(self) -> None:
        """A message may hold good and bad calls."""
        heard = play(reply(TU("a1"), TU("a2"), a2="No JSON."), Held())

        assert heard.of(Keep).unreadable == {"a2": "No JSON."}

    @pytest.mark.parametrize("name", ["call 1", "", "x" * 101, "toolu/1"])
    def test_get_a_name_where_they_have_none(self, name: str) -> None:
        """Rule B1.23; the reason for which one cannot be read goes along."""
        heard = play(reply(T("x"), TU(name), **{name: "No JSON."}), Held())

        assert [call["id"] for call in heard.of(Keep).calls] == ["call_1_1"]
        assert heard.of(Keep).unreadable == {"call_1_1": "No JSON."}

    def test_get_names_of_their_own_t25(self) -> None:
        """Rule B1.5: in one message, and against all that were there before."""
        before = [U(T("x")), A(TU("a1"), TU("call_4_1")), U(TR("a1"), TR("call_4_1")), U(T("y"))]

        heard = play(reply(TU("a2"), TU("a1"), TU("a2")), Held(), messages=before)

        assert [call["id"] for call in heard.of(Keep).calls] == ["a2", "call_4_1_", "call_4_2"]


class TestAReplyThatWasCutOff:
    def test_by_its_length_is_tried_once_with_twice_the_room_t52(self) -> None:
        """Part C, row 4."""
        cut = reply(T("half"), TU("a1"), stop="max_tokens")

        heard = play(cut, reply(T("Done.")), [])

        assert heard.kinds == ["Ask", "Void", "Ask", "Keep"]
        assert [ask.max_tokens for ask in heard.asked] == [1000, 2000]
        assert heard.asked[1].messages == HELLO

    def test_twice_ends_the_turn_without_any_of_its_calls_t52_t53_t55(self) -> None:
        """Complete calls of the same reply are not run either, and the person is told the cause."""
        cut = reply(T("half"), TU("a1"), TU("a2"), stop="max_tokens")

        heard = play(cut, cut, [])

        assert heard.of(Keep).content == [T("half")]
        assert (heard.reason, heard.code) == ("max_tokens", "max_tokens")
        assert heard.end is not None
        assert heard.end.problem is not None
        assert "cut off" in heard.end.problem.message

    def test_after_calls_were_answered_may_be_tried_again(self) -> None:
        cut = reply(T("half"), stop="max_tokens")

        heard = play(cut, reply(TU("a1")), [TR("a1")], cut, reply(T("Done.")), [])

        assert [ask.max_tokens for ask in heard.asked] == [1000, 2000, 1000, 2000]

    def test_because_the_window_is_full_is_not_tried_again(self) -> None:
        heard = play(reply(T("half"), stop="model_context_window_exceeded"), [])

        assert heard.of(Keep).content == [T("half")]
        assert (heard.reason, heard.code) == ("model_context_window_exceeded", "context_full")

    def test_before_it_said_anything_leaves_nothing(self) -> None:
        heard = play(reply(TU("a1"), stop="model_context_window_exceeded"))

        assert heard.kinds == ["Ask"]

    def test_for_an_unknown_reason_keeps_its_text(self) -> None:
        """Part C, row 6."""
        heard = play(reply(T("half"), TU("a1"), stop="newer_than_us"), [])

        assert heard.of(Keep).content == [T("half")]
        assert (heard.reason, heard.code) == ("newer_than_us", "unknown_stop")

    def test_by_a_refusal_leaves_nothing_and_voids_what_was_shown(self) -> None:
        """Part C, row 5."""
        heard = play(reply(T("I should"), stop="refusal"))

        assert heard.kinds == ["Ask", "Void"]
        assert (heard.reason, heard.code) == ("refusal", "refusal")


class TestAPause:
    def test_is_stored_as_it_is_and_goes_on_t96(self) -> None:
        """Part C, row 3: the call of the provider's own tool comes back as it was."""
        paused = reply(TH("hm"), SU("srvtoolu_1"), stop="pause_turn")

        heard = play(paused, [], reply(T("Found.")), [])

        assert heard.asked[1].messages == [*HELLO, A(*paused.content)]
        assert heard.reason == "end_turn"

    def test_ends_the_turn_when_it_never_ends_itself_t96(self) -> None:
        paused = reply(SU("srvtoolu_1"), stop="pause_turn")
        outcomes: list[Any] = []
        for n in range(MAX_PAUSES):
            outcomes += [reply(SU(f"srvtoolu_{n}"), stop="pause_turn"), []]

        heard = play(*outcomes, paused)

        assert len(heard.asked) == MAX_PAUSES + 1
        assert (heard.reason, heard.code) == ("pause_turn", "pause_turn")

    @pytest.mark.parametrize("blocks", [[], [TU("a1")]])
    def test_with_nothing_to_go_on_from_ends_the_turn(self, blocks: list[dict[str, Any]]) -> None:
        heard = play(reply(*blocks, stop="pause_turn"))

        assert (heard.kinds, heard.reason) == (["Ask"], "pause_turn")


class TestRounds:
    def test_are_limited(self) -> None:
        """Contract 7, rule 7: all calls are answered, then it is said."""
        limits = Limits(rounds=2, max_tokens=1)
        call = [reply(TU("a1")), [TR("a1")]], [reply(TU("a2")), [TR("a2")]]

        heard = play(*call[0], *call[1], limits=limits)

        assert heard.kinds == ["Ask", "Keep", "Ask", "Keep"]
        assert (heard.reason, heard.code) == ("too_many_rounds", "too_many_rounds")

    def test_of_earlier_segments_count(self) -> None:
        heard = play(limits=Limits(rounds=2, max_tokens=1), rounds=2)

        assert (heard.kinds, heard.reason) == ([], "too_many_rounds")

    def test_do_not_count_tries_that_failed(self) -> None:
        limits = Limits(rounds=1, max_tokens=1)

        heard = play(failure("transient"), WAITED, reply(T("Done.")), [], limits=limits)

        assert heard.reason == "end_turn"


class TestWhatMayBeKept:
    @pytest.mark.parametrize(
        ("content", "kept"),
        [
            ([TH("hm"), T("a")], [TH("hm"), T("a")]),
            ([TH("", "sig"), T("a")], [TH("", "sig"), T("a")]),
            ([TH("hm", ""), T("a")], [T("a")]),
            ([{"type": "redacted_thinking", "data": "x"}], []),
            ([TU("a1")], [TU("a1")]),
        ],
    )
    def test_is_what_the_api_takes_back_t32_t44_t90(
        self, content: list[dict[str, Any]], kept: list[dict[str, Any]]
    ) -> None:
        """Unsigned thinking never, thinking alone never, an empty thought with its signature always."""
        assert keepable(content) == kept


class TestARequest:
    def test_is_healed_and_merged_t2_t3(self) -> None:
        """Every request goes through the same healing."""
        stored = [U(T("x")), A(TU("a1")), U(T("go on")), U(T("now"))]

        heard = play(reply(T("Done.")), [], messages=stored)

        sent = heard.of(Ask).messages
        assert [message["role"] for message in sent] == ["user", "assistant", "user"]
        assert [block["type"] for block in sent[2]["content"]] == ["tool_result", "text", "text"]

    def test_leaves_out_thinking_that_is_bound_to_another_list(self) -> None:
        """Rule 19: only requests leave it out, and only what stands before the rewrite."""
        stored = [U(T("x")), A(TH("old"), T("a")), U(T("y")), A(TH("new"), T("b")), U(T("z"))]

        heard = play(reply(T("Done.")), [], messages=stored, thinking_from=2)

        assert heard.of(Ask).messages == [stored[0], A(T("a")), *stored[2:]]

    def test_that_is_refused_for_its_thinking_is_sent_once_more_without_t9_t93(self) -> None:
        """Once, and it is remembered."""
        stored = [U(T("x")), A(TH("old"), T("a")), U(T("y"))]

        heard = play(failure("binding"), reply(T("Done.")), [], messages=stored)

        assert heard.kinds == ["Ask", "Void", "Unbind", "Ask", "Keep"]
        assert heard.of(Unbind).upto == 3
        assert heard.asked[1].messages == [stored[0], A(T("a")), stored[2]]

    def test_counts_what_was_redacted_as_thinking(self) -> None:
        hidden = {"type": "redacted_thinking", "data": "c2ln"}
        stored = [U(T("x")), A(hidden, T("a")), U(T("y"))]

        heard = play(failure("binding"), reply(T("Done.")), [], messages=stored)

        assert heard.asked[1].messages == [stored[0], A(T("a")), stored[2]]
