"""What hides in a text is shown, each time in the same way and never so that two texts look alike."""

import json
import re
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from chat.gate import visible, visible_line
from chat.visible import is_hidden

GOLDEN = json.loads(
    (Path(__file__).parent.parent / "contracts" / "visible.json").read_text(encoding="utf-8")
)

ESCAPE = re.compile(r"\\u\{([0-9a-f]+)(?:\*(\d+))?\}")


def undone(shown: str) -> str:
    return ESCAPE.sub(lambda found: chr(int(found[1], 16)) * int(found[2] or 1), shown)


class TestVisible:
    @pytest.mark.parametrize("at", range(len(GOLDEN["cases"])))
    def test_shows_the_golden_cases_as_the_page_does(self, at: int) -> None:
        case = GOLDEN["cases"][at]

        assert visible(case["text"]) == case["visible"]
        assert visible_line(case["text"]) == case["line"]

    def test_hides_nothing_of_any_hiding_category(self) -> None:
        hiding = {"Cc", "Cf", "Zl", "Zp", "Co", "Cs", "Cn"}
        raw = [
            code
            for code in range(0x110000)
            if unicodedata.category(chr(code)) in hiding and not is_hidden(chr(code))
        ]

        assert raw == [0x09, 0x0A]

    def test_names_each_hidden_character_of_the_golden_ranges(self) -> None:
        for first, last in GOLDEN["hidden"]:
            assert all(is_hidden(chr(code)) for code in range(first, last + 1)), hex(first)

    def test_leaves_letters_of_all_scripts_as_they_are(self) -> None:
        text = "Grüße, 日本語, العربية, हिन्दी, 🙂, 1 €\n\tx"

        assert visible(text) == text

    @given(text=st.text(st.sampled_from("\\u{}5cab \n\t\u200b\u202e20*") | st.characters(), max_size=30), run=st.integers(0, 120), pad=st.sampled_from(" \n\t"))  # fmt: skip
    @hypothesis_settings(max_examples=200)
    def test_never_shows_two_texts_alike(self, text: str, run: int, pad: str) -> None:
        padded = text + pad * run + text

        assert undone(visible(padded)) == padded
        assert undone(visible_line(padded)) == padded
        assert not set(visible_line(padded)) & set("\n\t\r\u2028\u2029\x85")
