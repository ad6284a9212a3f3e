"""Text, thinking, images: failures of other chat products, as the smallest list that shows them; the numbers are those of the collected cases."""

import copy
import json
import sys
from typing import Any

import pytest

from history import outcomes
from history.fence import clean
from history.mending import UNREADABLE_IMAGE
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
from tests.support.notation import IMG, TH, TR, TU, A, T, U, png

ASKED = U(T("x"))


class TestAReplyThatWasCutOff:
    def test_keeps_its_words_t30(self) -> None:
        stored = [ASKED, A(T("Open"), {"type": "tool_use", "id": "a1"})]

        assert heal(stored).messages == [ASKED, A(T("Open"))]

    @pytest.mark.parametrize("reply", [A(TH("hm", "")), A(T("\n")), A(T("")), A()])
    def test_without_words_is_as_if_it_had_not_begun_t32_t39(self, reply: Message) -> None:
        healed = heal([ASKED, reply])

        assert healed.messages == [ASKED]
        assert not healed.middle

    def test_before_its_thinking_was_signed_loses_thinking_and_calls_t90(self) -> None:
        """Unsigned, so not whole, so no call in it was ever run."""
        stored = [ASKED, A(TH("hm", ""), T("I will."), TU("a1")), U(T("y"))]

        assert heal(stored).messages == [ASKED, A(T("I will.")), U(T("y"))]

    def test_with_nothing_but_such_a_call_goes_whole_t90(self) -> None:
        """Beside a sound reply that a crash left before it."""
        stored = [ASKED, A(T("Wait.")), A(TH("hm", ""), TU("a1")), U(T("y"))]

        assert heal(stored).messages == [ASKED, A(T("Wait.")), U(T("y"))]

    def test_keeps_an_unsigned_call_that_has_an_answer_t90(self) -> None:
        """A call with a result, or with a reason, was made; only its thinking is lost."""
        stored = [ASKED, A(TH("hm", ""), TU("a1"), TU("a2")), U(TR("a1"))]

        healed = heal(stored, reasons={"a2": outcomes.DENIED}).messages

        assert healed == [
            ASKED,
            A(TU("a1"), TU("a2")),
            U(TR("a1"), TR("a2", outcomes.DENIED, is_error=True)),
        ]


class TestEmptyText:
    def test_beside_a_call_goes_t39_t40(self) -> None:
        """The provider returns it and refuses it."""
        stored = [ASKED, A(T(""), TU("a1")), U(TR("a1"))]

        assert heal(stored).messages == [ASKED, A(TU("a1")), U(TR("a1"))]

    def test_is_not_added_by_storing_t41(self) -> None:
        stored = [ASKED, A(TU("a1")), U(TR("a1"))]

        loaded = json.loads(json.dumps(stored))

        assert json.dumps(heal(loaded).messages) == json.dumps(stored)

    @pytest.mark.parametrize("messages", [[U(T("   "))], [{"role": "user", "content": ""}], [U()]])
    def test_as_the_only_message_leaves_nothing_t42(self, messages: list[Message]) -> None:
        assert faults(messages) != []
        assert heal(messages).messages == []
        assert title_of(messages) == ""


class TestThinking:
    def test_without_text_keeps_its_empty_field_t44(self) -> None:
        block = {"type": "thinking", "thinking": "", "signature": "abc"}
        stored = [ASKED, A(block, TU("a1")), U(TR("a1"))]

        assert heal(stored).messages is stored

    def test_gets_back_the_field_that_a_serialiser_dropped_t44(self) -> None:
        stored = [ASKED, A({"type": "thinking", "signature": "abc"}, TU("a1")), U(TR("a1"))]

        assert heal(stored).messages[1]["content"][0] == {
            "type": "thinking",
            "thinking": "",
            "signature": "abc",
        }

    def test_is_left_out_whole_and_never_blanked_t91(self) -> None:
        stored = [ASKED, A(TH("long text", "sig"), TU("a1")), U(TR("a1")), A(TH("more"), T("y"))]

        stripped = strip_thinking(stored, upto=len(stored))

        assert stripped == [ASKED, A(TU("a1")), U(TR("a1")), A(T("y"))]

    def test_is_kept_as_it_came_t92(self) -> None:
        stored = [ASKED, A(TH("hm \u2028", "EqQB"), T("")), U(T("y"))]

        assert heal(stored).messages[1]["content"] == [TH("hm \u2028", "EqQB")]

    def test_is_void_after_a_change_in_the_middle_t93(self) -> None:
        stored = [ASKED, A(TH("a"), TU("a1")), U(T("y")), A(TH("b"), T("z")), U(T("w"))]

        healed = heal(stored)
        request = strip_thinking(healed.messages, upto=len(healed.messages) if healed.middle else 0)

        assert healed.middle
        assert all(
            block["type"] != "thinking" for message in request for block in message["content"]
        )
        assert check(merge_neighbours(request)) == []

    def test_is_void_when_something_before_it_in_its_own_reply_changed_t93(self) -> None:
        """B4."""
        stored = [ASKED, A(T(""), TH("a"), T("z"))]

        assert heal(stored).middle


class TestOddText:
    def test_with_half_a_character_is_mended_t83(self) -> None:
        stored = [ASKED, A({**TU("a1"), "input": {"v": "\ud83d", "k\udc00": [1]}}), U(TR("a1"))]

        healed = heal(stored).messages

        assert healed[1]["content"][0]["input"] == {"v": "\ufffd", "k\ufffd": [1]}

    def test_with_both_halves_apart_is_put_together_t83(self) -> None:
        """One character, cut between two deltas."""
        assert heal([U(T("\ud83d\ude00"))]).messages == [U(T("\N{GRINNING FACE}"))]

    def test_with_nul_is_cleaned_in_output_and_kept_in_words_t84(self) -> None:
        """The contract gives back U+0000 in messages; only tool output loses it."""
        stored = [U(T("ab\x00cd"))]

        assert clean("ab\x00cd") == "ab\u2400cd"
        assert heal(stored).messages is stored

    def test_from_a_file_name_in_another_encoding_can_be_sent_t85(self) -> None:
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

    def test_nested_too_deeply_is_named(self) -> None:
        deep: dict[str, Any] = {}
        for _ in range(sys.getrecursionlimit()):
            deep = {"v": deep}
        stored = [ASKED, A({**TU("a1"), "input": deep}), U(TR("a1"))]

        assert heal(stored).messages[1]["content"][0]["input"] == {
            "INVALID_JSON": "nested too deeply"
        }


class TestAnImage:
    def test_that_is_none_becomes_a_sentence_t77(self) -> None:
        stored = [U(T("look"), IMG("AAAA"))]

        kinds = [block["type"] for block in heal(stored).messages[0]["content"]]

        assert kinds == ["text", "text"]

    def test_of_another_type_than_it_says_is_named_right(self) -> None:
        stored = [U(T("look"), IMG(png(), "image/jpeg"))]

        assert heal(stored).messages == [U(T("look"), IMG(png()))]

    @pytest.mark.parametrize(
        "source",
        [{"type": "url", "url": "https://x.example/a"}, {"type": "file", "file_id": "file_1"}],
    )
    def test_elsewhere_is_left_where_it_is(self, source: dict[str, str]) -> None:
        elsewhere = {"type": "image", "source": source}

        assert heal([U(T("look"), elsewhere)]).changes == []
        assert heal([U(T("look"), T(""), elsewhere)]).messages == [U(T("look"), elsewhere)]

    @pytest.mark.parametrize("source", [{"type": "url"}, {"type": "file", "url": "x"}, {}])
    def test_nowhere_becomes_a_sentence(self, source: dict[str, str]) -> None:
        stored = [U(T("look"), {"type": "image", "source": source})]

        assert heal(stored).messages == [U(T("look"), T(UNREADABLE_IMAGE))]


class TestFields:
    def test_citations_go_from_a_persons_text_only(self) -> None:
        """B1.21."""
        cited = {**T("as it says"), "citations": [{"type": "char_location"}]}
        stored = [U(cited), A(cited), U(T("y"))]

        assert heal(stored).messages == [U(T("as it says")), A(cited), U(T("y"))]

    @pytest.mark.parametrize(("said", "meant"), [("yes", True), (1, True), ("", False), (0, False)])
    def test_is_error_becomes_a_boolean(self, said: object, meant: bool) -> None:  # noqa: FBT001
        stored = [ASKED, A(TU("a1")), U(TR("a1", is_error=said))]

        assert heal(stored).messages[-1] == U(TR("a1", is_error=meant))

    def test_a_newer_block_in_a_result_is_left_alone(self) -> None:
        stored = [ASKED, A(TU("a1")), U(TR("a1", [{"type": "newer_than_us", "v": 1}]))]

        assert faults(stored) == []
        assert heal(stored).messages is stored

    def test_of_five_cache_markers_none_is_left(self) -> None:
        """B1.20: four are allowed, and which of five were meant nobody knows."""
        marked = {**T("x"), "cache_control": {"type": "ephemeral"}}
        four, five = [U(*[marked] * 4)], [U(*[marked] * 5)]

        assert heal(four).messages is four
        assert heal(five).messages == [U(*[T("x")] * 5)]
        assert heal(five).changes == ["removed all cache markers"]


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
    def test_never_raises_t73(self, stored: list[Message]) -> None:
        before = copy.deepcopy(stored)

        transcript(stored, image_url=lambda _: None)
        healed = heal(stored)

        assert faults(healed.messages) == []
        assert stored == before

    @pytest.mark.parametrize(
        "stored", [["words"], [None, 7], [["x"]], [{"role": 1, "content": {"type": "text"}}]]
    )
    def test_heals_even_what_is_no_list_of_messages_t73(self, stored: list[Any]) -> None:
        assert faults(heal(stored).messages) == []


class TestACut:
    def test_before_a_persons_message_never_parts_a_call_from_its_result_t5(self) -> None:
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
