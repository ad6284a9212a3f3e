"""Words, terms and snippets: the pure part of search."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from history.query import Term, snippet, terms_of
from history.words import PART, pieces, shown, words


class TestTerms:
    @pytest.mark.parametrize(
        ("query", "terms"),
        [
            ("", []),
            ("one", [Term(("one",), open=True)]),
            ("one ", [Term(("one",), open=False)]),
            ("One two", [Term(("one",), open=False), Term(("two",), open=True)]),
            ('"one two"', [Term(("one", "two"), open=False)]),
            ("foo-bar_baz", [Term(("foo", "bar", "baz"), open=True)]),
            ("中文", [Term(("中", "文"), open=True)]),
            ('say "', [Term(("say",), open=False)]),
        ],
    )
    def test_are_words_and_phrases(self, query: str, terms: list[Term]) -> None:
        assert terms_of(query) == terms

    def test_are_bounded(self) -> None:
        assert len(terms_of("a b c d e f g h i j k l m n o p")) == 12


class TestSnippet:
    def test_marks_every_hit_around_the_first(self) -> None:
        text = "x " * 200 + "the zeppelin valve of the Zeppelin\nand more " + "y " * 200

        pieces_of = snippet(text, terms_of("zeppelin valve"))

        assert [piece for piece, hit in pieces_of if hit] == ["zeppelin", "valve", "Zeppelin"]
        shown_text = "".join(piece for piece, _ in pieces_of)
        assert shown_text.startswith("…")
        assert shown_text.endswith("…")
        assert len(shown_text) < 200

    def test_finds_accents_and_scripts_without_spaces(self) -> None:
        assert ("Crème", True) in snippet("la Crème", terms_of("creme"))
        assert ("编程", True) in snippet("我喜欢编程语言", terms_of("编程"))
        assert ("İstanbul"[1:], True) in snippet("İstanbul stanbul", terms_of("stanbul"))

    @given(st.text(max_size=300), st.text(max_size=30))
    def test_shows_a_part_of_the_text_and_nothing_else(self, text: str, query: str) -> None:
        shown_text = "".join(
            piece for piece, _ in snippet(text, terms_of(query) or [Term(("x",), open=False)])
        )

        assert shown_text.strip("…") in " ".join(text.split())


class TestPieces:
    @given(
        st.text(alphabet=st.characters(exclude_categories=["Cs"], exclude_characters="\x00\u200b"))
    )
    def test_together_show_the_text(self, text: str) -> None:
        assert "".join(shown(piece) for piece in pieces(text)) == text

    def test_are_cut_between_words(self) -> None:
        cut = list(pieces("word " * 10_000))

        assert all(len(piece) <= PART for piece in cut)
        assert {word for piece in cut for word in words(piece)} == {"word"}
