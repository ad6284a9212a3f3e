"""The gate: which calls run, which wait, and that a digest stands for one call with one set of arguments."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from chat.gate import Uncanonical, canonical, digest, verdict
from chat.tools.base import Caller, Output, Tier, Tool


def tool(name: str, **more: Any) -> Tool:
    schema = {
        "type": "object",
        "properties": {"v": {"type": "integer"}, "what": {}},
        "required": ["v"],
        "additionalProperties": False,
    }

    def run(args: Mapping[str, Any], caller: Caller) -> Output:
        raise AssertionError("the gate runs nothing")

    return Tool(name=name, description=name, input_schema=schema, run=run, **more)


BOX = {"read_gauge": tool("read_gauge", tier=Tier.READ_ONLY), "set_valve": tool("set_valve")}


def same(one: Any, other: Any) -> bool:
    """Whether JSON keeps two values apart: by type, so that 1, 1.0 and true are three."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[name], other[name]) for name in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    return repr(one) == repr(other) if isinstance(one, float) else bool(one == other)


chars = st.characters(exclude_categories=["Cs"])
scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(-2, 2)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from([0.0, -0.0, 1.0, 1e22, 10**22, 2**53, 2**53 + 1, float(2**53), "1", "true", "null", ""])
    | st.text(chars, max_size=8)
)  # fmt: skip
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(chars, max_size=3), inner, max_size=3),
    max_leaves=8,
)  # fmt: skip
objects = st.dictionaries(st.text(chars, max_size=3), values, max_size=4)


UNCANONICAL: dict[str, Any] = {
    "nan": {"a": float("nan")},
    "infinity": {"a": float("inf")},
    "lone surrogate": {"a": "\ud800"},
    "lone surrogate as key": {"\udfff": 1},
    "integer key": {1: "a"},
    "null key": {"a": {None: 1}},
    "true key": {"a": [{True: 1}]},
    "tuple": {"a": (1, 2)},
    "bytes": {"a": b"1"},
    "enum": {"a": Tier.READ_ONLY},
    "endless integer": {"a": 10**5000},
    "list": [],
    "text": "x",
    "null": None,
}


class TestCanonical:
    @given(args=objects)
    @hypothesis_settings(max_examples=200)
    def test_can_be_read_back_to_exactly_what_runs(self, args: dict[str, Any]) -> None:
        assert same(json.loads(canonical(args)), args)

    @given(one=objects, other=objects, value=scalars, twin=scalars)
    @hypothesis_settings(max_examples=200)
    def test_is_equal_only_for_equal_arguments(
        self, one: dict[str, Any], other: dict[str, Any], value: Any, twin: Any
    ) -> None:
        pairs = [(one, other), ({**one, "k": value}, {**one, "k": twin}), ({"a": [value]}, {"a": [twin]})]  # fmt: skip

        for left, right in pairs:
            assert (canonical(left) == canonical(right)) is same(left, right)

    @given(args=objects, seed=st.randoms(use_true_random=False))
    @hypothesis_settings(max_examples=50)
    def test_does_not_depend_on_the_order_of_keys(self, args: dict[str, Any], seed: Any) -> None:
        items = list(args.items())
        seed.shuffle(items)

        assert canonical(dict(items)) == canonical(args)

    def test_is_the_plain_compact_text(self) -> None:
        args = {"path": "é/日本", "b": [1, 1.0, True, None], "a": {}, "n": 10**40}

        assert (
            canonical(args)
            == '{"a":{},"b":[1,1.0,true,null],"n":1' + "0" * 40 + ',"path":"é/日本"}'
        )

    def test_does_not_normalise(self) -> None:
        composed, decomposed = {"p": "\u00e9"}, {"p": "e\u0301"}

        assert canonical(composed) != canonical(decomposed)

    @pytest.mark.parametrize("what", UNCANONICAL)
    def test_refuses_what_has_no_one_text(self, what: str) -> None:
        with pytest.raises(Uncanonical):
            canonical(UNCANONICAL[what])

    def test_refuses_endless_depth(self) -> None:
        deep: dict[str, Any] = {}
        for _ in range(100_000):
            deep = {"a": deep}

        with pytest.raises(Uncanonical):
            canonical(deep)


PARTS: dict[str, Any] = {
    "conversation_id": "c1",
    "turn_id": "t1",
    "call_id": "toolu_1",
    "tool": "set_valve",
    "agent_id": "workspace",
    "canonical_args": '{"v":1}',
}
fields = st.fixed_dictionaries(
    {name: st.text(st.sampled_from('ab",[]\\ \0é'), max_size=4) for name in PARTS if name != "agent_id"}
    | {"agent_id": st.none() | st.sampled_from(["", "null", "None", "a"])}
)  # fmt: skip


class TestDigest:
    def test_is_a_hex_sha256_of_fixed_bytes(self) -> None:
        wire = '["kenny-gate-1", "c1", "t1", "toolu_1", "set_valve", "workspace", "{\\"v\\":1}"]'

        assert digest(**PARTS) == hashlib.sha256(wire.encode()).hexdigest()

    @pytest.mark.parametrize("name", PARTS)
    def test_depends_on_every_field(self, name: str) -> None:
        assert digest(**{**PARTS, name: "other"}) != digest(**PARTS)

    @given(one=fields, other=fields)
    @hypothesis_settings(max_examples=200)
    def test_is_equal_only_for_equal_fields(
        self, one: dict[str, Any], other: dict[str, Any]
    ) -> None:
        assert (digest(**one) == digest(**other)) is (one == other)

    def test_a_field_cannot_reach_into_its_neighbour(self) -> None:
        moved = {**PARTS, "conversation_id": "c", "turn_id": "1t1"}
        quoted = {**PARTS, "conversation_id": 'c1", "t1', "turn_id": "toolu_1", "call_id": "x"}

        assert len({digest(**PARTS), digest(**moved), digest(**quoted)}) == 3


class TestVerdict:
    def test_runs_a_read_only_call_at_once(self) -> None:
        given = verdict(tool="read_gauge", args={"v": 1}, toolbox=BOX)

        assert (given.kind, given.args) == ("run", '{"v":1}')

    def test_holds_a_tool_that_says_nothing_of_its_tier(self) -> None:
        given = verdict(tool="set_valve", args={"v": 1}, toolbox=BOX)

        assert (given.kind, given.args, given.why) == ("hold", '{"v":1}', "")

    def test_holds_a_tool_of_a_tier_nobody_knows(self) -> None:
        box = {"odd": tool("odd", tier="harmless")}

        assert verdict(tool="odd", args={"v": 1}, toolbox=box).kind == "hold"

    def test_holds_arguments_whose_values_are_nonsense(self) -> None:
        assert verdict(tool="set_valve", args={"v": -(10**30)}, toolbox=BOX).kind == "hold"

    def test_knows_only_the_tools_of_the_box(self) -> None:
        given = verdict(tool="erase_disk", args={"v": 1}, toolbox=BOX)

        assert given.kind == "unknown_tool"
        assert "erase_disk" not in given.why
        assert given.why.endswith("The call was not run.")

    @pytest.mark.parametrize(
        ("args", "why"),
        [
            ({}, "The input needs `v`."),
            ({"v": "hunter-x"}, "`v` must be of type integer."),
            ({"v": 1.0}, "`v` must be of type integer."),
            ({"v": True}, "`v` must be of type integer."),
            ({"v": 1, "hunter-x": 2}, "The input has a field that this tool does not know; it knows `v`, `what`."),
            (["hunter-x"], "The input must be of type object."),
            (None, "The input must be of type object."),
        ],
        ids=ascii,
    )  # fmt: skip
    def test_says_what_is_wrong_with_arguments_without_a_value(self, args: Any, why: str) -> None:
        given = verdict(tool="set_valve", args=args, toolbox=BOX)

        assert (given.kind, given.why) == ("bad_arguments", f"{why} The call was not run.")

    def test_arguments_without_a_canonical_text_are_bad_ones(self) -> None:
        given = verdict(tool="set_valve", args={"v": 1, "what": "\ud800"}, toolbox=BOX)

        assert given.kind == "bad_arguments"

    def test_refuses_a_call_identical_to_a_denied_one_without_asking(self) -> None:
        denied = {("set_valve", canonical({"v": 1, "what": {"b": 1, "a": 2}}))}

        again = verdict(tool="set_valve", args={"what": {"a": 2, "b": 1}, "v": 1}, toolbox=BOX, denied=denied)  # fmt: skip
        other = verdict(tool="set_valve", args={"v": 2}, toolbox=BOX, denied=denied)
        float_ = verdict(tool="set_valve", args={"what": {"a": 2.0, "b": 1}, "v": 1}, toolbox=BOX, denied=denied)  # fmt: skip

        assert [again.kind, other.kind, float_.kind] == ["repeated", "hold", "hold"]

    def test_asks_again_for_the_same_arguments_of_another_tool(self) -> None:
        box = {**BOX, "close_valve": tool("close_valve")}

        given = verdict(
            tool="close_valve", args={"v": 1}, toolbox=box, denied=[("set_valve", '{"v":1}')]
        )

        assert given.kind == "hold"
