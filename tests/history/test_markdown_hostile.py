"""Texts written to be slow, deep or long."""

import json
import time

import pytest

from history.markdown import tree
from history.markdown.code import Node
from history.markdown.html import to_html

HOSTILE = [
    "[" * 50_000, "*a " * 30_000, "> " * 30_000, "`" * 50_000 + "a", "![" * 30_000, "](" * 30_000, "a**b" * 20_000,
    "_a__b " * 20_000, "<" * 50_000, "&" * 50_000, "- " * 30_000, "|" * 50_000, "~~a" * 20_000, "\\" * 50_000,
    "https://" * 20_000, "http://e.com/" + "(" * 50_000, "```python\n" + "'''" * 30_000, "#" * 50_000,
    "[a](" + "<" * 50_000, "1. " * 50_000, "```html\n" + "<!" * 30_000, "- a\n" * 30_000, "x\n" * 40_000,
    "$" * 50_000, "$a$ " * 40_000, "\\(" * 50_000, "\\[" * 50_000, "$$\n" * 40_000, "".join(f"$a{n}$\n\n" for n in range(20_000)),
    "$" + "\\sqrt{" * 300 + "}" * 300 + "$", "$" + "a" * 90_000 + "$", "$$" + "{" * 1_900 + "$$", "\\def\\a{\\a\\a}$\\a$",
]  # fmt: skip


class TestHostileText:
    @pytest.mark.parametrize("source", HOSTILE, ids=range(len(HOSTILE)))
    def test_takes_seconds_at_most(self, source: str) -> None:
        begun = time.process_time()

        nodes = tree.render(source)

        assert time.process_time() - begun < 10
        to_html(nodes)
        json.dumps(nodes)

    @pytest.mark.parametrize(
        "source",
        [
            "*a **b " * 3_000 + "c** d*" * 3_000,
            "> " * 3_000 + "x",
            "- " * 3_000 + "x",
            "$" + "\\sqrt{" * 200 + "}" * 200 + "$",
        ],
        ids=["emphasis", "quotes", "lists", "roots"],
    )
    def test_is_never_nested_too_deeply_to_be_shown(self, source: str) -> None:
        assert _depth(tree.render(source)) < 120

    def test_beyond_the_cap_is_shown_as_it_was_written(self) -> None:
        source = "*a*\n" * (tree.CAP // 4 + 10)

        nodes = tree.render(source)

        assert nodes[0][:4] == ["p", None, ["em", None, "a"], "\n"]
        assert nodes[1] == ["p", {"class": "plain"}, "*a*\n" * 10]

    def test_in_one_line_beyond_the_cap_is_cut_at_it(self) -> None:
        nodes = tree.render("x" * (tree.CAP + 5))

        assert nodes == [["p", None, "x" * tree.CAP], ["p", {"class": "plain"}, "x" * 5]]


def _depth(nodes: list[Node]) -> int:
    return 1 + max((_depth(node[2:]) for node in nodes if isinstance(node, list)), default=0)
