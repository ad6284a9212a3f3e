"""LaTeX in Markdown: formulas become MathML of closed sets, money stays money, what cannot be read stays as written."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from history.markdown import maths, tree
from history.markdown.code import Node
from history.markdown.html import to_html
from history.markdown.plain import text_of
from tests.support.notation import EXAMPLES

ROOT = Path(__file__).parents[2]


def formulas(nodes: list[Node]) -> list[dict[str, str]]:
    """Return the attributes of the formulas in a tree."""
    found: list[Any] = []
    for node in nodes:
        if isinstance(node, list):
            found += [node[1]] if node[0] == "math" else formulas(node[2:])
    return found


def sources(markdown: str) -> list[str]:
    return [f["alttext"] for f in formulas(tree.render(markdown))]


class TestAFormula:
    def test_becomes_mathml(self) -> None:
        assert tree.render("So $x^2$.") == [
            [
                "p",
                None,
                "So ",
                [
                    "math",
                    {"display": "inline", "alttext": "x^2"},
                    ["mrow", None, ["msup", None, ["mi", None, "x"], ["mn", None, "2"]]],
                ],
                ".",
            ]
        ]

    @pytest.mark.parametrize(
        ("markdown", "display"),
        [
            ("$x$", "inline"),
            ("a \\(x\\) b", "inline"),
            ("a \\[x\\] b", "block"),
            ("a $$x$$ b", "block"),
            ("$$x$$", "block"),
            ("$$\nx\n$$", "block"),
            ("\\[\nx\n\\]", "block"),
            ("Text:\n$$\nx\n$$\nmore", "block"),
            ("- $$\n  x\n  $$", "block"),
            ("> \\[ x \\]", "block"),
            ("**$x$**", "inline"),
            ("| a |\n|---|\n| $x$ |", "inline"),
        ],
    )
    def test_stands_in_a_line_or_on_its_own(self, markdown: str, display: str) -> None:
        assert formulas(tree.render(markdown)) == [{"display": display, "alttext": "x"}]

    @pytest.mark.parametrize(
        "latex",
        [
            r"\frac{-b \pm \sqrt{b^2-4ac}}{2a}",
            r"\begin{aligned} a &= b \\ c &= d \end{aligned}",
            r"\begin{pmatrix} 1 & 2 \\ 3 & 4 \end{pmatrix}",
            r"\sum_{i=0}^{n} \int_0^\infty e^{-x}\,dx",
            r"\mathbb{R} \to \mathcal{L}, f'(x) \in \{0, 1\}",
            r"2 \text{ apples}",
            r"10x + 5y",
        ],
    )
    def test_of_the_usual_kinds_is_read(self, latex: str) -> None:
        assert sources(f"${latex}$") == [latex]
        assert sources(f"$$\n{latex}\n$$") == [latex]

    def test_keeps_lines_that_look_like_markdown(self) -> None:
        (attributes,) = formulas(tree.render("$$\na\n- b\n= c\n# d\n$$"))

        assert attributes["alttext"] == "a\n- b\n= c\n# d"

    def test_is_read_out_and_copied_as_latex(self) -> None:
        assert text_of(tree.render("So $x^2$.")) == "So $x^2$."


class TestWhatIsNoFormula:
    @pytest.mark.parametrize(
        "markdown",
        [
            "$5 and $10",
            "It costs $5-$10, or $1,000 and more ($2,000).",
            "I have $5 and you have 10$.",
            "US$5 and CA$6",
            "$HOME and $PATH",
            "$HOME/bin:$PATH",
            "a $ b $ c",
            "`$x$`",
            "$$ is the id of a shell\n- x",
            "$a$$b$",
            "$",
            "$$",
            "\\(",
        ],
    )
    def test_stays_text(self, markdown: str) -> None:
        assert formulas(tree.render(markdown)) == []

    def test_an_escaped_dollar_is_a_dollar(self) -> None:
        assert tree.render(r"\$5 or \$6") == [["p", None, "$5 or $6"]]

    @pytest.mark.parametrize(
        "latex",
        [
            "\\unknown{x}",
            "x_1_2",
            "\\frac{1",
            "\\newcommand{\\a}{\\a\\a}\\a",
            "\\def\\a{b}\\a",
            "a" * (maths.LONGEST + 1),
            "\\sqrt{" * 70 + "}" * 70,
        ],
    )
    def test_what_cannot_be_read_is_shown_as_it_was_written(self, latex: str) -> None:
        assert tree.render(f"${latex}$") == [["p", None, f"${latex}$"]]
        assert tree.render(f"$$\n{latex}\n$$") == [["p", {"class": "plain"}, f"$$\n{latex}\n$$"]]

    def test_a_block_that_an_empty_line_cuts_is_none(self) -> None:
        assert formulas(tree.render("$$\na\n\nb\n$$")) == []

    def test_beyond_the_cap_of_all_formulas_is_shown_as_written(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(tree.Budget.__init__, "__defaults__", (3,))

        assert sources("$ab$ $c$\n\n$d$ $e$") == ["ab", "c"]


class TestSafety:
    @pytest.mark.parametrize(
        "latex",
        [
            "\\href{javascript:alert(1)}{x}",
            "\\style{background:url(//e.com)}{x}",
            "\\class{evil}{x}",
            "\\color{expression(1)}{x}",
            "\\text{<script>alert(1)</script>}",
            '\\rule{1em}{"onclick=x}',
        ],
    )
    def test_nothing_leads_out_or_runs(self, latex: str) -> None:
        html = to_html(tree.render(f"${latex}$"))

        assert "<script" not in html
        for forbidden in ("href", "style", "class", "onclick"):
            assert not re.search(rf"<[^>]*\s{forbidden}=", html)

    @settings(max_examples=EXAMPLES, deadline=None)
    @given(
        st.lists(
            st.sampled_from(
                [
                    "\\frac",
                    "{",
                    "}",
                    "^",
                    "_",
                    "x",
                    "12",
                    "\\left(",
                    "\\right)",
                    "&",
                    "\\\\",
                    "\\text{",
                    "\\href",
                    "\\style",
                    "\\color",
                    "\\begin{matrix}",
                    "\\end{matrix}",
                    "\\begin{aligned}",
                    "\\end{aligned}",
                    "\\sqrt",
                    "[",
                    "]",
                    "<",
                    "&#60;",
                    " ",
                    "'",
                    "\\limits",
                    "#1",
                ]
            ),
            max_size=20,
        ).map("".join)
    )
    def test_any_latex_is_of_the_closed_sets_or_none(self, latex: str) -> None:
        node: Any = maths.node_of(latex, block=False)

        for tag, attributes, children in _elements(node) if node else []:
            assert tag in maths.TAGS
            assert set(attributes or {}) <= maths.ATTRIBUTES
            assert all(isinstance(value, str) for value in (attributes or {}).values())
            assert not any(isinstance(c, str) and c.startswith("\\") for c in children)
        assert json.loads(json.dumps(node)) == node


def _elements(node: Any) -> list[tuple[str, dict[str, str] | None, list[Any]]]:
    tag, attributes, *children = node
    inner = [found for c in children if isinstance(c, list) for found in _elements(c)]
    return [(tag, attributes, children), *inner]


def test_the_page_knows_the_same_sets() -> None:
    source = (ROOT / "chat/static/chat/ui/maths.js").read_text()
    tags, attributes = re.findall(r"new Set\(\((.*?)\)\.split", source, re.DOTALL)

    assert set(" ".join(re.findall(r'"([^"]*)"', tags)).split()) == maths.TAGS
    assert set(" ".join(re.findall(r'"([^"]*)"', attributes)).split()) == maths.ATTRIBUTES
