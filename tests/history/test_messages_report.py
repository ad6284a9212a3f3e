"""What a heal says of itself: what it changed, whether thinking is void after it, and what it took bare words for."""

from typing import Any

import pytest

from history.messages import Message, check, heal
from tests.support.notation import TH, TR, TU, A, T, U

REDACTED = {"type": "redacted_thinking", "data": "c2ln"}
ASKED = U(T("x"))


class TestChanges:
    """What a log is told: a sentence for each change, with the place of the message and no word of it."""

    @pytest.mark.parametrize(
        ("stored", "changes"),
        [
            (
                [ASKED, A(TU("a1")), U(T("secret"), TR("a1"))],
                ["message 1: put calls and results in order"],
            ),
            (
                [ASKED, A(TH("hm", ""), T("secret"), TU("a1")), U(T("y"))],
                [
                    "message 1: left out thinking",
                    "message 1: left out a call of a reply that was cut off",
                ],
            ),
            (
                [ASKED, A(TU("a:1")), U(TR("a:1"))],
                ["message 1: renamed a call and its result"],
            ),
            ([ASKED, A(TU("a1"))], ["message 1: answered a call that had no result"]),
            ([A(T("secret")), ASKED], ["message 0: left out a reply to nothing"]),
            (
                [ASKED, U(TR("a1", "secret"), T("y"))],
                ["message 1: left out a result without its call, or a second one"],
            ),
            (
                [ASKED, A(TU("a1")), A(TU("a1")), U(TR("a1"))],
                [
                    "message 2: left out the second copy of a reply",
                    "message 1: put calls and results in order",
                ],
            ),
            (
                [ASKED, A(T("secret"), TU("a1")), A(TU("a1")), U(TR("a1"))],
                [
                    "message 2: left out the second copy of a call",
                    "message 1: put calls and results in order",
                ],
            ),
            ([ASKED, U()], ["message 1: left out, it was empty"]),
            ([ASKED, A(T(""), T("y"))], ["message 1: left out text"]),
            ([ASKED, U({"text": "secret"})], ["message 1: left out a block without a type"]),
            ([U({**T("x"), "secret": 1})], ["message 0: mended text"]),
            ([{**ASKED, "id": "secret"}], ["tidied what no message holds"]),
        ],
    )
    def test_are_named_one_by_one(self, stored: list[Message], changes: list[str]) -> None:
        assert heal(stored).changes == changes


class TestTheMiddle:
    """Whether thinking that was signed over what stands before it is void now."""

    @pytest.mark.parametrize(
        ("stored", "middle"),
        [
            ([ASKED, {"role": "tool", "content": ""}, A(TH("a"), T("z"))], True),
            ([ASKED, A(TH("a"), T(""), T("z"))], False),
            ([ASKED, A(TH("a"), T("z"), T(""))], False),
            ([ASKED, A(T(""), TH("a"), T("z"))], True),
            ([ASKED, A(T(""), REDACTED, T("z"))], True),
            ([ASKED, A(T(""), T("z"))], False),
            ([ASKED, A(TU("a1"))], False),
            ([ASKED, A(TU("a1")), U(T("y"))], False),
            ([ASKED, A(TU("a1")), U(T("y")), A(T("z"))], True),
            ([ASKED, A(T("y")), U(T(""))], False),
            ([U(T(""), T("x")), A(T("y"))], True),
            ([{**ASKED, "id": "m1"}, A(TH("a"), T("y"))], False),
        ],
    )
    def test_is_what_stands_before_a_reply_or_its_thinking(
        self, stored: list[Message], *, middle: bool
    ) -> None:
        assert heal(stored).middle is middle


class TestBareWords:
    """Lists that somebody wrote by hand."""

    @pytest.mark.parametrize(
        ("stored", "healed"),
        [
            (["x"], [{"role": "user", "content": "x"}]),
            ([{"role": "user", "content": ["x"]}], [ASKED]),
            ([{"role": "user", "content": ["x", T("y")]}], [U(T("x"), T("y"))]),
            ([ASKED, {"role": "assistant", "content": ["y"]}], [ASKED, A(T("y"))]),
            ([ASKED, None, 7], [ASKED]),
        ],
    )
    def test_are_taken_as_text(self, stored: list[Any], healed: list[Message]) -> None:
        assert heal(stored).messages == healed


class TestRedactedThinking:
    def test_is_kept_with_its_data_and_goes_without(self) -> None:
        empty = {"type": "redacted_thinking", "data": ""}
        stored = [ASKED, A(REDACTED, T("y")), U(T("z")), A(empty, T("w")), U(T("v"))]

        assert [violation.what for violation in check(stored)] == ["redacted thinking without data"]
        assert heal(stored).messages == [*stored[:3], A(T("w")), stored[4]]
