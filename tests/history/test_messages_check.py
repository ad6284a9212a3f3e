"""One minimal list for each rule, and the lists that look wrong and are not."""

from typing import Any, get_args, get_type_hints

import pytest
from anthropic.types import ContentBlockParam

from history import blocks
from history.errors import BadRequest
from history.messages import Message, Rule, check, check_shape, faults
from tests.support.notation import IMG, SR, SU, SYS, TH, TR, TU, A, T, U, png

ASKED = U(T("open V1"))
MARK = {"cache_control": {"type": "ephemeral"}}

BROKEN: list[tuple[Rule, list[Message]]] = [
    (Rule.SHAPE, [U({"type": "text", "text": "x"}, {"text": "no type"})]),
    (Rule.SHAPE, [U(T("x"), {"type": "text"})]),
    (Rule.SHAPE, [U(T("x"), TU("a1"))]),
    (Rule.SHAPE, [U(T("x"), TH("hm"))]),
    (Rule.SHAPE, [ASKED, A(T("x"), IMG(png())), U(T("y"))]),
    (Rule.SHAPE, [ASKED, A(TU("a1")), U(TR("a1", [TU("a2")]))]),
    (Rule.SHAPE, [ASKED, A(TU("a1")), U(TR("a1", {"v": 1}))]),
    (Rule.SHAPE, [ASKED, A(TU("a1")), U(TR("a1", is_error="no"))]),
    (Rule.SHAPE, [ASKED, {"role": "tool", "content": "x"}, U(T("y"))]),
    (Rule.SHAPE, [ASKED, {"role": "assistant", "content": None}, U(T("y"))]),
    (Rule.ANSWERED, [ASKED, A(TU("a1"), TU("a2")), U(TR("a1"))]),
    (Rule.ANSWERED, [ASKED, A(TU("a1")), U(T("wait, stop"))]),
    (Rule.ANSWERED, [ASKED, A(TU("a1"))]),
    (Rule.MATCHED, [U(TR("a1"), T("x"))]),
    (Rule.MATCHED, [ASKED, A(TU("a1")), U(TR("a1")), A(T("ok")), U(TR("a1"), T("hello"))]),
    (Rule.MATCHED, [ASKED, A(T("x"), TR("a1")), U(T("y"))]),
    (Rule.RESULTS_FIRST, [ASKED, A(TU("a1")), U(T("note"), TR("a1"))]),
    (Rule.RESULTS_FIRST, [ASKED, A(TU("a1")), U(T("note")), U(TR("a1"))]),
    (Rule.TOGETHER, [ASKED, A(TU("a1"), TU("a2")), U(TR("a1")), U(TR("a2"))]),
    (Rule.ONCE, [ASKED, A(TU("a1")), U(TR("a1"), TR("a1", "late"))]),
    (Rule.ONCE, [ASKED, A(TU("a1")), U(TR("a1")), A(TU("a1")), U(TR("a1"))]),
    (Rule.TEXT, [U(T(""), T("x"))]),
    (Rule.TEXT, [U(T(" \n\t\u2003"), T("x"))]),
    (Rule.TEXT, [{"role": "user", "content": "   "}]),
    (Rule.TEXT, [ASKED, A(TU("a1")), U(TR("a1", [T(" ")]))]),
    (Rule.CONTENT, [U()]),
    (Rule.CONTENT, [{"role": "user", "content": ""}]),
    (Rule.CONTENT, [ASKED, A(), U(T("x"))]),
    (Rule.PERSON_LAST, [ASKED, A(T("done"))]),
    (Rule.TRAILING_SPACE, [ASKED, A(T("done "))]),
    (Rule.ORDER, []),
    (Rule.ORDER, [A(T("hello")), U(T("hi"))]),
    (Rule.ORDER, [SYS("be brief"), U(T("hi"))]),
    (Rule.ORDER, [ASKED, A(T("done")), SYS("be brief")]),
    (Rule.ORDER, [ASKED, SYS("be brief"), U(T("hi"))]),
    (Rule.ORDER, [ASKED, SYS("be brief"), SYS("be kind")]),
    (Rule.ORDER, [ASKED, A(TU("a1")), SYS("be brief"), U(TR("a1"))]),
    (Rule.INPUT, [ASKED, A({**TU("a1"), "input": [1, 2]}), U(TR("a1"))]),
    (Rule.INPUT, [ASKED, A({"type": "tool_use", "id": "a1", "name": "n"}), U(TR("a1"))]),
    (Rule.INPUT, [ASKED, A(TU("a1", v=float("nan"))), U(TR("a1"))]),
    (Rule.INPUT, [ASKED, A(TU("a1", v="\ud83d")), U(TR("a1"))]),
    (Rule.INPUT, [U(T("caf\udce9"))]),
    (Rule.KEYS, [U({**T("x"), "ts": 1})]),
    (Rule.KEYS, [{**ASKED, "id": "msg_1"}]),
    (Rule.KEYS, [ASKED, A({**TU("a1"), "caller": None}), U(TR("a1"))]),
    (Rule.KEYS, [ASKED, A({**TH("hm"), **MARK}, T("x")), U(T("y"))]),
    (Rule.KEYS, [ASKED, A(TU("a1")), U(TR("a1", [{**T("x"), "ts": 1}]))]),
    (Rule.ERROR_TEXT, [ASKED, A(TU("a1")), U(TR("a1", "", is_error=True))]),
    (Rule.ERROR_TEXT, [ASKED, A(TU("a1")), U(TR("a1", [T("x"), IMG(png())], is_error=True))]),
    (Rule.TOOLSET, [ASKED, A({**TU("a1"), "toolset_name": "browser"}), U(TR("a1"))]),
    (Rule.SERVER_PAIRS, [ASKED, A(SU("s1"), T("so")), U(T("y"))]),
    (Rule.SERVER_PAIRS, [ASKED, A(SR("s1"), T("so")), U(T("y"))]),
    (Rule.SERVER_PAIRS, [ASKED, A(SU("s1"), SR("s1"), SR("s1"), T("so")), U(T("y"))]),
    (Rule.ONLY_RESULTS, [ASKED, A(SU("s1"), TU("a1")), U(TR("a1"), T("and?"))]),
    (Rule.TOOL_NAME, [ASKED, A(TU("a1", "set valve")), U(TR("a1"))]),
    (Rule.TOOL_NAME, [ASKED, A(TU("a1", "x" * 65)), U(TR("a1"))]),
    (Rule.MARKERS, [U(*[{**T("x"), **MARK}] * 5)]),
    (Rule.MARKERS, [ASKED, A(TU("a1")), U({**TR("a1", [{**T("x"), **MARK}] * 4), **MARK})]),
    (Rule.RETIRED, [ASKED, A({"type": "document", "source": {}}, T("x")), U(T("y"))]),
    (Rule.RETIRED, [U({**T("x"), "citations": []})]),
    (Rule.ID, [ASKED, A(TU("call 1")), U(TR("call 1"))]),
    (Rule.ID, [ASKED, A(TU("")), U(TR(""))]),
    (Rule.OUTPUT, [ASKED, A(TU("a1")), U(TR("a1", ""))]),
    (Rule.OUTPUT, [ASKED, A(TU("a1")), U(TR("a1", []))]),
    (Rule.OUTPUT, [ASKED, A(TU("a1")), U({"type": "tool_result", "tool_use_id": "a1"})]),
    (Rule.USES_LAST, [ASKED, A(TU("a1"), T("and")), U(TR("a1"))]),
    (Rule.USES_LAST, [ASKED, A(TU("a1")), A(TH("hm"), T("and")), U(TR("a1"))]),
    (Rule.THINKING, [ASKED, A({"type": "thinking", "signature": "c2ln"}, T("x")), U(T("y"))]),
    (Rule.THINKING, [ASKED, A(TH("hm", ""), T("x")), U(T("y"))]),
    (Rule.THINKING, [ASKED, A({"type": "redacted_thinking", "data": ""}, T("x")), U(T("y"))]),
    (Rule.IMAGE, [U(T("x"), IMG("AAAA"))]),
    (Rule.IMAGE, [U(T("x"), IMG("no base64!"))]),
    (Rule.IMAGE, [U(T("x"), IMG(png(0, 0)))]),
    (Rule.IMAGE, [U(T("x"), IMG(png(), "image/jpeg"))]),
    (Rule.IMAGE, [U(T("x"), IMG(png(), "image/jpg"))]),
    (Rule.IMAGE, [U(T("x"), {"type": "image", "source": {"type": "path", "path": "/a.png"}})]),
    (Rule.IMAGE, [ASKED, A(TU("a1")), U(TR("a1", [IMG("AAAA")]))]),
    (Rule.SIZE, [U(T("x"), IMG(png(1, 8_001)))]),
    (Rule.SIZE, [U(T("x"), *[IMG(png())] * 20, IMG(png(2_001, 1)))]),
    (Rule.SIZE, [U(T("x"), *[IMG(png())] * 101)]),
    (Rule.SIZE, [U(T("x"), IMG(png(padding=7_600_000)))]),
    (Rule.SIZE, [U(T("x" * 32_000_000))]),
    (Rule.COUNT, [U(T("x"))] * 100_001),
]  # fmt: skip

SENDABLE: list[list[Message]] = [
    [ASKED],
    [{"role": "user", "content": "open V1"}],
    [ASKED, A(T("done")), U(T("thanks"))],
    [ASKED, A(TH(""), TU("a1")), U(TR("a1"))],
    [ASKED, A({"type": "redacted_thinking", "data": "x"}, T("x")), U(T("y"))],
    [ASKED, A(TU("a1"), TU("a2")), U(TR("a2"), TR("a1"))],
    [ASKED, A(TU("a1")), U(TR("a1")), U(T("next"))],
    [ASKED, U(T("and V2"))],
    [ASKED, A(T("a")), A(TU("a1")), U(TR("a1"))],
    [ASKED, A(TU("a1")), U(TR("a1", "no", is_error=True), T("why?"))],
    [ASKED, A(TU("a1")), U(TR("a1", [T("see"), IMG(png(8_000, 1))]))],
    [U(T("x"), *[IMG(png(2_000, 2))] * 21)],
    [U(T("x"), {"type": "image", "source": {"type": "url", "url": "https://e.com/a.png"}})],
    [ASKED, SYS("be brief")],
    [ASKED, SYS("be brief"), A(T("x")), U(T("y"))],
    [ASKED, A(SU("s1"), SR("s1")), SYS("be brief")],
    [ASKED, A(SU("s1"), SR("s1"), T("so")), U(T("y"))],
    [ASKED, A(SU("s1"))],
    [ASKED, A(SU("s1"), TU("a1")), U(TR("a1"))],
    [ASKED, A(SU("s1"), TU("a1")), U(TR("a1")), A(SR("s1"), T("so")), U(T("y"))],
    [U(*[{**T("x"), **MARK}] * 4)],
    [U({"type": "newer_than_us", "anything": None})],
    [ASKED, A(T("x") | {"citations": None}), U(T("y"))],
    [ASKED, A({**TU("a1"), "caller": {"type": "direct"}, "toolset_name": "b"}), U(TR("a1", toolset_name="b"))],
    [U(T("NUL \x00 is a character"))],
]  # fmt: skip


class TestCheck:
    @pytest.mark.parametrize(
        ("rule", "messages"),
        BROKEN,
        ids=[f"{rule.name.lower()}-{n}" for n, (rule, _) in enumerate(BROKEN)],
    )
    def test_names_the_rule_that_is_broken(self, rule: Rule, messages: list[Message]) -> None:
        found = {violation.rule for violation in check(messages)}

        assert rule in found

    @pytest.mark.parametrize("messages", SENDABLE)
    def test_finds_nothing_in_what_may_be_sent(self, messages: list[Message]) -> None:
        assert check(messages) == []

    def test_wants_tools_declared_when_the_list_uses_them_t24(self) -> None:
        messages = [ASKED, A(TU("a1")), U(TR("a1"))]

        assert [v.rule for v in check(messages, tools_declared=False)] == [Rule.TOOLS]
        assert check([ASKED], tools_declared=False) == []

    def test_says_where(self) -> None:
        messages = [ASKED, A(T("x")), U(T("y")), A(TU("a1")), U(T("z"))]

        assert [(v.rule, v.index) for v in check(messages)] == [(Rule.ANSWERED, 3)]

    def test_names_every_rule_that_is_broken(self) -> None:
        messages = [
            A(T("")),
            U(TR("a1", ""), {**T("x"), "ts": 1}, IMG("AAAA")),
            A(TU("b 1"), T("x ")),
        ]

        found = {violation.rule for violation in check(messages)}

        assert found == {
            Rule.ORDER, Rule.TEXT, Rule.MATCHED, Rule.OUTPUT, Rule.KEYS, Rule.IMAGE, Rule.ID, Rule.ANSWERED,
            Rule.USES_LAST, Rule.PERSON_LAST, Rule.TRAILING_SPACE,
        }  # fmt: skip

    def test_holds_nothing_of_the_content(self) -> None:
        messages = [U(T("x"), TU("hunter-x", "hunter-x", password="hunter-x")), A(T("hunter-x "))]

        assert "hunter-x" not in repr(check(messages))

    def test_tests_every_rule_but_the_one_about_tools(self) -> None:
        assert {rule for rule, _ in BROKEN} == set(Rule) - {Rule.TOOLS}

    @pytest.mark.parametrize("depth", [5_000])
    def test_survives_what_is_nested_too_deeply(self, depth: int) -> None:
        value: Any = 1
        for _ in range(depth):
            value = [value]

        assert Rule.INPUT in {v.rule for v in check([ASKED, A(TU("a1", v=value)), U(TR("a1"))])}


class TestFaults:
    @pytest.mark.parametrize(
        "messages", [[], [ASKED, A(T("done "))], [U(T("x"), IMG(png(9_000, 1)))]]
    )
    def test_are_only_what_no_later_message_can_mend(self, messages: list[Message]) -> None:
        assert faults(messages) == []
        assert check(messages) != []


class TestTheKeysOfABlock:
    def test_are_those_of_the_providers_own_types_t92(self) -> None:
        """A whitelist that forgets `signature` ruins every thinking block."""
        for block in get_args(ContentBlockParam):
            assert blocks.KEYS[_literal(block)] == set(block.__annotations__)

    def test_cover_every_type_the_provider_knows(self) -> None:
        assert {_literal(block) for block in get_args(ContentBlockParam)} == set(blocks.KEYS)


def _literal(block: Any) -> str:
    """Return the value of the `type` key of one of the provider's typed dictionaries."""
    return str(get_args(get_type_hints(block)["type"])[0])


class TestCheckShape:
    @pytest.mark.parametrize(
        "messages",
        [
            [],
            [{"role": "user", "content": ""}],
            [{"role": "assistant", "content": []}],
            [{"role": "system", "content": "x"}],
            [{"role": "user", "content": [{"type": "anything"}], "more": 1}],
            [U(TR("orphan"))],
        ],
    )
    def test_takes_any_list_of_messages(self, messages: list[Message]) -> None:
        check_shape(messages)

    @pytest.mark.parametrize(
        "messages",
        [
            None, {}, "x", 7, ["x"], [None], [{}], [{"role": "user"}], [{"content": "x"}], [{"role": "tool", "content": "x"}],
            [{"role": [], "content": "x"}], [{"role": "user", "content": None}], [{"role": "user", "content": {"type": "text"}}],
            [{"role": "user", "content": ["x"]}], [{"role": "user", "content": [{"text": "x"}]}],
            [{"role": "user", "content": [{"type": 7}]}],
        ],
    )  # fmt: skip
    def test_refuses_what_is_none(self, messages: object) -> None:
        with pytest.raises(BadRequest):
            check_shape(messages)
