"""A tool's arguments are read in one way or not at all."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chat.llm.strictly import MAX_DEPTH, Unreadable, arguments

_scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text()
)
_values = st.recursive(
    _scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)


class TestArguments:
    @settings(deadline=None, max_examples=60)
    @given(st.dictionaries(st.text(), _values, max_size=4))
    def test_reads_every_object_that_can_be_sent_again(self, value: dict[str, object]) -> None:
        found = arguments(json.dumps(value, ensure_ascii=False))

        assert found == value == arguments(json.dumps(value))
        assert json.dumps(found, allow_nan=False).encode()

    @pytest.mark.parametrize(
        ("raw", "reason"),
        [
            ("[1, 2]", "not a JSON object"),
            ('"text"', "not a JSON object"),
            ("null", "not a JSON object"),
            ("", "not valid JSON"),
            ('{"v": 1', "not valid JSON"),
            ('{"v": 1} {"v": 2}', "not valid JSON"),
            ('{"v": 1, "v": 2}', "a key comes twice"),
            ('{"a": [{"v": 1, "v": 1}]}', "a key comes twice"),
            ('{"v": NaN}', "a number that is not finite"),
            ('{"v": -Infinity}', "a number that is not finite"),
            ('{"v": 1e999}', "a number that is not finite"),
            ('{"v": ' + "9" * 5000 + "}", "not valid JSON"),
            ('{"v": "\\ud83d"}', "half of a surrogate pair"),
            ('{"\\ude00": 1}', "half of a surrogate pair"),
            ('{"v": ["a", {"b": "\\ud800x"}]}', "half of a surrogate pair"),
            ('{"v": ' + "[" * 50 + "]" * 50 + "}", "nested too deeply"),
            ('{"v": ' + "[" * 100_000, "nested too deeply"),
        ],
    )
    def test_refuses_what_could_be_read_in_two_ways_or_not_kept(
        self, raw: str, reason: str
    ) -> None:
        with pytest.raises(Unreadable, match=f"^{reason}$"):
            arguments(raw)

    def test_reads_up_to_its_depth(self) -> None:
        inner = MAX_DEPTH - 1

        assert arguments('{"v": ' + "[" * inner + "]" * inner + "}")

    def test_joins_a_pair_that_is_written_as_two_escapes(self) -> None:
        assert arguments('{"v": "\\ud83d\\ude00"}') == {"v": "😀"}
