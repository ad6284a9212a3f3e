"""A tree as HTML and as words."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from history.markdown import tree
from history.markdown.code import Node
from history.markdown.html import to_html
from history.markdown.plain import spoken_of, text_of
from tests.support.documents import documents
from tests.support.notation import EXAMPLES


class TestToHtml:
    def test_escapes_text_and_attributes(self) -> None:
        nodes: list[Node] = [["a", {"href": 'https://e.com/"><script>', "rel": "x"}, "<b>&"]]

        assert (
            to_html(nodes)
            == '<a href="https://e.com/&quot;&gt;&lt;script&gt;" rel="x">&lt;b&gt;&amp;</a>'
        )

    @pytest.mark.parametrize(
        ("node", "html"),
        [
            (["script", None, "alert(1)"], "alert(1)"),
            (["p", {"onclick": "x", "style": "y"}, "z"], "<p>z</p>"),
            (["a", {"href": "javascript:alert(1)"}, "z"], "<a>z</a>"),
            (["h1", None, "z"], "z"),
            (["br", None, "z"], "<br>"),
            ([7, "x", "z"], "z"),
        ],
    )
    def test_trusts_no_tree(self, node: Node, html: str) -> None:
        assert to_html([node]) == html

    @settings(max_examples=EXAMPLES, deadline=None)
    @given(documents | st.text(st.characters(), max_size=60))
    def test_writes_only_tags_of_the_set(self, source: str) -> None:
        html = to_html(tree.render(source))

        names = {part.split(">")[0].split(" ")[0].strip("/") for part in html.split("<")[1:]}
        assert names <= tree.TAGS


class TestTextOf:
    SOURCE = "# Title\n\n- one\n- *two*\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```python\nx = 1\ny = 2\n```\n\nline  \nbreak\n"

    def test_is_one_line_for_each_block(self) -> None:
        assert (
            text_of(tree.render(self.SOURCE))
            == "Title\none\ntwo\na\tb\n1\t2\nx = 1\ny = 2\nline\nbreak"
        )

    def test_says_what_code_is_instead_of_reading_it(self) -> None:
        spoken = spoken_of(tree.render(self.SOURCE + "\n> ```\n> z\n> ```\n"))

        assert "Code, python, 2 lines" in spoken.split("\n")
        assert "Code, 1 line" in spoken.split("\n")
        assert "x = 1" not in spoken
