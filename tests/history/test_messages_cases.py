"""Failures of other chat products, as the smallest list that shows them; the numbers are those of the collected cases."""

import copy
import json
from typing import Any

import pytest

from history import outcomes
from history.fence import clean
from history.messages import (
    Message,
    check,
    faults,
    heal,
    is_persons,
    merge_neighbours,
    strip_thinking,
    title_of,
    transcript,
)
from tests.support.notation import IMG, SR, SU, SYS, TH, TR, TU, A, T, U, png

ASKED = U(T("x"))


def unknown(call_id: str) -> dict[str, Any]:
    return TR(call_id, outcomes.UNKNOWN, is_error=True)


class TestACallWithoutAResult:
    def test_is_answered_before_the_words_that_interrupted_it(self) -> None:
        """T1, T57."""
        stored = [U(T("open V1")), A(TU("a1", v=1)), U(T("wait, stop"))]

        healed = heal(stored)

        assert healed.messages == [*stored[:2], U(unknown("a1"), T("wait, stop"))]
        assert not healed.middle
        assert check(healed.messages) == []

    def test_is_answered_where_it_stands_and_not_at_the_end(self) -> None:
        """T3."""
        stored = [ASKED, A(TU("a1"), TU("a2")), U(T("still there?")), A(T("yes")), U(T("go on"))]

        healed = heal(stored)

        assert healed.messages[2] == U(unknown("a1"), unknown("a2"), T("still there?"))
        assert healed.messages[3:] == stored[3:]
        assert healed.middle

    def test_at_the_end_gets_a_message_of_its_own(self) -> None:
        """T8: what a crash between two writes leaves."""
        stored = [ASKED, A(T("I will."), TU("a1"))]

        assert heal(stored).messages == [*stored, U(unknown("a1"))]

    @pytest.mark.parametrize(
        "sentence", [outcomes.NOT_RUN, outcomes.DENIED, outcomes.STOPPED, outcomes.EXPIRED]
    )
    def test_is_answered_with_what_is_known(self, sentence: str) -> None:
        """T7: three situations, three texts."""
        stored = [ASKED, A(TU("a1"), TU("a2"))]

        answers = heal(stored, reasons={"a2": sentence}).messages[-1]

        assert answers == U(unknown("a1"), TR("a2", sentence, is_error=True))

    def test_never_claims_to_have_had_no_effect_unless_told(self) -> None:
        """T7."""
        answer = heal([ASKED, A(TU("a1"))], reasons={"a1": " "}).messages[-1]["content"][0][
            "content"
        ]

        assert "may have run" in answer

    def test_is_answered_rather_than_dropped(self) -> None:
        """T10: the model keeps the knowledge that it tried."""
        stored = [ASKED, A(T("I'll open it"), TU("a1")), U(T("hi"))]

        assert heal(stored).messages[1] == stored[1]

    def test_beside_answered_ones_leaves_their_results_alone(self) -> None:
        """T66, T72."""
        stored = [ASKED, A(TU("a1"), TU("a2"), TU("a3")), U(TR("a1", "7 bar"), TR("a3", "8 bar"))]

        assert heal(stored).messages[-1] == U(TR("a1", "7 bar"), unknown("a2"), TR("a3", "8 bar"))

    def test_echoes_the_toolset_of_its_call(self) -> None:
        stored = [ASKED, A({**TU("a1"), "toolset_name": "browser"})]

        assert heal(stored).messages[-1]["content"][0]["toolset_name"] == "browser"


class TestAnOrphanResult:
    def test_at_the_beginning_goes_with_the_reply_to_it(self) -> None:
        """T15."""
        assert heal([U(TR("a1")), A(T("done")), U(T("next"))]).messages == [U(T("next"))]

    def test_of_an_answered_call_goes_and_the_words_stay(self) -> None:
        """T16, T101."""
        stored = [ASKED, A(TU("a1")), U(TR("a1")), A(T("ok")), U(TR("a1"), T("hello"))]

        healed = heal(stored)

        assert healed.messages == [*stored[:4], U(T("hello"))]
        assert not healed.middle

    def test_of_a_server_tool_goes_alone(self) -> None:
        """T19."""
        stored = [ASKED, A(SR("srvtoolu_1"), T("so")), U(T("y"))]

        assert heal(stored).messages == [ASKED, A(T("so")), U(T("y"))]

    def test_takes_what_cited_it_along(self) -> None:
        """T19: a citation of a result that is gone has nothing to point at."""
        stored = [
            ASKED,
            A(SR("srvtoolu_1"), {**T("so"), "citations": [{"type": "web_search_result_location"}]}),
            U(T("y")),
        ]

        assert heal(stored).messages[1] == A(T("so"))

    def test_of_a_server_tool_goes_as_a_call_too(self) -> None:
        """T19, T96: unless nothing follows, for then the provider paused the turn."""
        paused = [ASKED, A(SU("srvtoolu_1"))]

        assert heal(paused).messages is paused
        assert heal([*paused, U(T("y"))]).messages == [ASKED, U(T("y"))]


class TestResultsInTheWrongPlace:
    def test_come_first(self) -> None:
        """T17."""
        stored = [ASKED, A(TU("a1")), U(T("note: agent switched"), TR("a1"))]

        assert heal(stored).messages[-1] == U(TR("a1"), T("note: agent switched"))

    def test_come_together(self) -> None:
        """B1.4: results in two messages teach the model to call one tool at a time."""
        stored = [ASKED, A(TU("a1"), TU("a2")), U(TR("a1")), U(TR("a2"), T("next"))]

        assert heal(stored).messages[2:] == [U(TR("a1"), TR("a2")), U(T("next"))]

    def test_in_two_halves_become_one(self) -> None:
        """T20: text and screenshot of one call, sent as two results."""
        picture = IMG(png())
        stored = [ASKED, A(TU("a1")), U(TR("a1", "see"), TR("a1", [picture]))]

        assert heal(stored).messages[-1] == U(TR("a1", [T("see"), picture]))

    def test_are_not_parted_from_their_call_by_a_system_note(self) -> None:
        """T22."""
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
    def test_says_that_there_was_no_output(self, content: object) -> None:
        """T21."""
        stored = [ASKED, A(TU("a1")), U(TR("a1", content))]

        assert heal(stored).messages[-1] == U(TR("a1", outcomes.NO_OUTPUT))

    def test_of_a_failure_loses_its_pictures_and_nothing_else(self) -> None:
        """B1.14."""
        stored = [ASKED, A(TU("a1")), U(TR("a1", [T("no"), IMG(png())], is_error=True))]

        assert heal(stored).messages[-1] == U(TR("a1", [T("no")], is_error=True))


class TestADoubledId:
    def test_of_a_reply_saved_twice_loses_the_later_copy(self) -> None:
        """T25."""
        stored = [ASKED, A(TH("hm"), T("y"), TU("a1")), A(TH("hm"), T("y"), TU("a1")), U(TR("a1"))]

        assert heal(stored).messages == [stored[0], stored[1], stored[3]]

    def test_of_two_results_keeps_the_first(self) -> None:
        """T26."""
        stored = [ASKED, A(TU("a1")), U(TR("a1", "ok"), TR("a1", "timed out", is_error=True))]

        assert heal(stored).messages[-1] == U(TR("a1", "ok"))

    def test_of_two_results_keeps_the_one_a_tool_gave(self) -> None:
        """T26: a sentence of ours makes way for a real result, whichever came first."""
        stored = [ASKED, A(TU("a1")), U(unknown("a1"), TR("a1", "ok"))]

        assert heal(stored).messages[-1] == U(TR("a1", "ok"))

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


class TestAReplyThatWasCutOff:
    def test_keeps_its_words(self) -> None:
        """T30."""
        stored = [ASKED, A(T("Open"), {"type": "tool_use", "id": "a1"})]

        assert heal(stored).messages == [ASKED, A(T("Open"))]

    @pytest.mark.parametrize("reply", [A(TH("hm", "")), A(T("\n")), A(T("")), A()])
    def test_without_words_is_as_if_it_had_not_begun(self, reply: Message) -> None:
        """T32, T39."""
        healed = heal([ASKED, reply])

        assert healed.messages == [ASKED]
        assert not healed.middle

    def test_before_its_thinking_was_signed_loses_thinking_and_calls(self) -> None:
        """T90: unsigned, so not whole, so no call in it was ever run."""
        stored = [ASKED, A(TH("hm", ""), T("I will."), TU("a1")), U(T("y"))]

        assert heal(stored).messages == [ASKED, A(T("I will.")), U(T("y"))]

    def test_keeps_an_unsigned_call_that_has_an_answer(self) -> None:
        """T90: a call with a result, or with a reason, was made; only its thinking is lost."""
        stored = [ASKED, A(TH("hm", ""), TU("a1"), TU("a2")), U(TR("a1"))]

        healed = heal(stored, reasons={"a2": outcomes.DENIED}).messages

        assert healed == [
            ASKED,
            A(TU("a1"), TU("a2")),
            U(TR("a1"), TR("a2", outcomes.DENIED, is_error=True)),
        ]


class TestEmptyText:
    def test_beside_a_call_goes(self) -> None:
        """T39, T40: the provider returns it and refuses it."""
        stored = [ASKED, A(T(""), TU("a1")), U(TR("a1"))]

        assert heal(stored).messages == [ASKED, A(TU("a1")), U(TR("a1"))]

    def test_is_not_added_by_storing(self) -> None:
        """T41."""
        stored = [ASKED, A(TU("a1")), U(TR("a1"))]

        loaded = json.loads(json.dumps(stored))

        assert json.dumps(heal(loaded).messages) == json.dumps(stored)

    @pytest.mark.parametrize("messages", [[U(T("   "))], [{"role": "user", "content": ""}], [U()]])
    def test_as_the_only_message_leaves_nothing(self, messages: list[Message]) -> None:
        """T42."""
        assert faults(messages) != []
        assert heal(messages).messages == []
        assert title_of(messages) == ""


class TestThinking:
    def test_without_text_keeps_its_empty_field(self) -> None:
        """T44."""
        block = {"type": "thinking", "thinking": "", "signature": "abc"}
        stored = [ASKED, A(block, TU("a1")), U(TR("a1"))]

        assert heal(stored).messages is stored

    def test_gets_back_the_field_that_a_serialiser_dropped(self) -> None:
        """T44."""
        stored = [ASKED, A({"type": "thinking", "signature": "abc"}, TU("a1")), U(TR("a1"))]

        assert heal(stored).messages[1]["content"][0] == {
            "type": "thinking",
            "thinking": "",
            "signature": "abc",
        }

    def test_is_left_out_whole_and_never_blanked(self) -> None:
        """T91."""
        stored = [ASKED, A(TH("long text", "sig"), TU("a1")), U(TR("a1")), A(TH("more"), T("y"))]

        stripped = strip_thinking(stored, upto=len(stored))

        assert stripped == [ASKED, A(TU("a1")), U(TR("a1")), A(T("y"))]

    def test_is_kept_as_it_came(self) -> None:
        """T92."""
        stored = [ASKED, A(TH("hm \u2028", "EqQB"), T("")), U(T("y"))]

        assert heal(stored).messages[1]["content"] == [TH("hm \u2028", "EqQB")]

    def test_is_void_after_a_change_in_the_middle(self) -> None:
        """T93."""
        stored = [ASKED, A(TH("a"), TU("a1")), U(T("y")), A(TH("b"), T("z")), U(T("w"))]

        healed = heal(stored)
        request = strip_thinking(healed.messages, upto=len(healed.messages) if healed.middle else 0)

        assert healed.middle
        assert all(
            block["type"] != "thinking" for message in request for block in message["content"]
        )
        assert check(merge_neighbours(request)) == []

    def test_is_void_when_something_before_it_in_its_own_reply_changed(self) -> None:
        """T93, B4."""
        stored = [ASKED, A(T(""), TH("a"), T("z"))]

        assert heal(stored).middle


class TestOddText:
    def test_with_half_a_character_is_mended(self) -> None:
        """T83."""
        stored = [ASKED, A({**TU("a1"), "input": {"v": "\ud83d", "k\udc00": [1]}}), U(TR("a1"))]

        healed = heal(stored).messages

        assert healed[1]["content"][0]["input"] == {"v": "\ufffd", "k\ufffd": [1]}

    def test_with_both_halves_apart_is_put_together(self) -> None:
        """T83: one character, cut between two deltas."""
        assert heal([U(T("\ud83d\ude00"))]).messages == [U(T("\N{GRINNING FACE}"))]

    def test_with_nul_is_cleaned_in_output_and_kept_in_words(self) -> None:
        """T84: the contract gives back U+0000 in messages; only tool output loses it."""
        stored = [U(T("ab\x00cd"))]

        assert clean("ab\x00cd") == "ab\u2400cd"
        assert heal(stored).messages is stored

    def test_from_a_file_name_in_another_encoding_can_be_sent(self) -> None:
        """T85."""
        output = b"caf\xe9".decode("utf-8", "surrogateescape")
        stored = [ASKED, A(TU("a1")), U(TR("a1", output))]

        assert heal(stored).messages[-1] == U(TR("a1", "caf\ufffd"))
        assert clean(output) == "caf\ufffd"

    @pytest.mark.parametrize(
        ("arguments", "kept"),
        [("{v:", "{v:"), ([1, 2], "[1, 2]"), (None, "null"), ({"v": float("nan")}, "{'v': nan}")],
    )
    def test_that_is_no_arguments_is_kept_as_text(self, arguments: object, kept: str) -> None:
        """B1.12: no value in it may change."""
        stored = [ASKED, A({**TU("a1"), "input": arguments}), U(TR("a1"))]

        assert heal(stored).messages[1]["content"][0]["input"] == {"INVALID_JSON": kept}


class TestAnImage:
    def test_that_is_none_becomes_a_sentence(self) -> None:
        """T77."""
        stored = [U(T("look"), IMG("AAAA"))]

        kinds = [block["type"] for block in heal(stored).messages[0]["content"]]

        assert kinds == ["text", "text"]

    def test_of_another_type_than_it_says_is_named_right(self) -> None:
        stored = [U(T("look"), IMG(png(), "image/jpeg"))]

        assert heal(stored).messages == [U(T("look"), IMG(png()))]


class TestReading:
    @pytest.mark.parametrize(
        "stored",
        [
            [{"role": "user", "content": [{"type": "newer_than_us"}]}],
            [
                {
                    "role": "assistant",
                    "content": [{"type": "text"}, {"type": "tool_use"}, {"type": "thinking"}],
                }
            ],
            [{"role": "user", "content": [{"type": "tool_result"}, {"type": "image"}]}],
            [{"role": "user"}],
            [{}],
        ],
    )
    def test_never_raises(self, stored: list[Message]) -> None:
        """T73."""
        before = copy.deepcopy(stored)

        transcript(stored, image_url=lambda _: None)
        healed = heal(stored)

        assert faults(healed.messages) == []
        assert stored == before

    @pytest.mark.parametrize(
        "stored", [["words"], [None, 7], [["x"]], [{"role": 1, "content": {"type": "text"}}]]
    )
    def test_heals_even_what_is_no_list_of_messages(self, stored: list[Any]) -> None:
        """T73."""
        assert faults(heal(stored).messages) == []


class TestACut:
    def test_before_a_persons_message_never_parts_a_call_from_its_result(self) -> None:
        """T5."""
        stored = [
            ASKED,
            A(TU("a1")),
            U(TR("a1")),
            A(T("done")),
            U(T("y")),
            A(TU("a2")),
            U(TR("a2")),
            U(T("z")),
        ]

        cuts = [n for n, message in enumerate(stored) if is_persons(message)]

        assert cuts == [0, 4, 7]
        assert all(faults(stored[:cut]) == [] for cut in cuts)
