import json
import re
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from history.markdown import code, tree
from history.markdown.code import Node
from history.markdown.html import to_html
from tests.support.documents import PIECES, documents
from tests.support.notation import EXAMPLES

REL = "noopener noreferrer nofollow"


def elements(nodes: list[Node]) -> list[list[Any]]:
    """Return every element of a tree."""
    found: list[list[Any]] = []
    for node in nodes:
        if isinstance(node, list):
            found += [node, *elements(node[2:])]
    return found


class TestRender:
    def test_makes_trees_of_what_models_write(self) -> None:
        source = "# Valves\n\nOpen **V1** and *V2*, ~~V3~~ `v4`.  \nNow.\n\n1. one\n2. two\n\n> said\n\n---\n"

        assert tree.render(source) == [
            ["h2", None, "Valves"],
            ["p", None, "Open ", ["strong", None, "V1"], " and ", ["em", None, "V2"], ", ", ["s", None, "V3"], " ",
             ["code", None, "v4"], ".", ["br", None], "Now."],
            ["ol", None, ["li", None, "one"], ["li", None, "two"]],
            ["blockquote", None, ["p", None, "said"]],
            ["hr", None],
        ]  # fmt: skip

    def test_aligns_the_cells_of_a_table(self) -> None:
        table = tree.render("| a | b | c | d |\n|:--|:-:|--:|---|\n| 1 | 2 | 3 | 4 |\n")[0]

        cells = [node[1] for node in elements([table]) if node[0] == "td"]

        assert cells == [{"class": "to-left"}, {"class": "to-center"}, {"class": "to-right"}, None]

    def test_counts_a_list_from_where_it_begins(self) -> None:
        assert tree.render("7. x") == [["ol", {"start": "7"}, ["li", None, "x"]]]

    def test_leaves_the_first_heading_to_the_page(self) -> None:
        levels = [
            node[0]
            for node in elements(tree.render("\n\n".join("#" * n + " x" for n in range(1, 7))))
        ]

        assert levels == ["h2", "h3", "h4", "h5", "h6", "h6"]

    def test_colours_code_it_knows(self) -> None:
        assert tree.render("```Python title=x\nif x:\n```") == [
            [
                "pre",
                {"data-lang": "python"},
                ["code", None, ["span", {"class": "t-k"}, "if"], " x:\n"],
            ]
        ]

    @pytest.mark.parametrize(
        ("info", "attributes"),
        [("", None), ("brainfuck", {"data-lang": "brainfuck"}), ('py"onload', None), ("<b>", None)],
    )
    def test_leaves_other_code_alone(self, info: str, attributes: dict[str, str] | None) -> None:
        assert tree.render(f"```{info}\nif x:\n```") == [
            ["pre", attributes, ["code", None, "if x:\n"]]
        ]

    def test_leaves_long_code_without_colours(self) -> None:
        source = "x = 1\n" * (code.LONGEST // 6 + 1)

        assert tree.render(f"```python\n{source}```") == [
            ["pre", {"data-lang": "python"}, ["code", None, source]]
        ]

    @pytest.mark.parametrize("language", sorted(code.LANGUAGES))
    def test_knows_every_language_it_names(self, language: str) -> None:
        node = code.block("x = 1\n", language=language)

        assert "".join(_texts([node])) == "x = 1\n"


class TestLinks:
    @pytest.mark.parametrize(
        ("source", "href"),
        [
            ("[x](https://e.com/a?b=c)", "https://e.com/a?b=c"),
            ("[x](HTTP://e.com)", "HTTP://e.com"),
            ("[x](mailto:a@e.com)", "mailto:a@e.com"),
            ("<https://e.com>", "https://e.com"),
            ("see https://e.com/a_b.", "https://e.com/a_b"),
            ('[x](http://e.com/"onload=)', "http://e.com/%22onload="),
        ],
    )
    def test_lead_to_the_web_or_a_mailbox(self, source: str, href: str) -> None:
        links = [node for node in elements(tree.render(source)) if node[0] == "a"]

        assert [link[1] for link in links] == [{"href": href, "rel": REL}]

    @pytest.mark.parametrize(
        "source",
        [
            "[x](javascript:alert(1))", "[x](JaVaScRiPt:alert(1))", "[x](data:text/html,x)", "[x](file:///etc/passwd)",
            "[x](/admin/)", "[x](//e.com)", "[x](a.html)", "[x](#top)", "[x](vbscript:x)", "[x](ftp://e.com)", "[x]()",
            "[x](&#106;avascript:alert(1))", "[x](java\tscript:alert(1))", "<javascript:alert(1)>", "[x](blob:https://e.com/1)",
            "![x](data:image/png;base64,AAAA)", "![x](a.png)", "setup.py and README.md", "e.com", "a@e.com", "javascript:alert(1)",
            "[x][r]\n\n[r]: javascript:alert(1)", "[x](http:e.com)",
        ],
    )  # fmt: skip
    def test_that_lead_elsewhere_are_plain_text(self, source: str) -> None:
        nodes = tree.render(source)

        assert {node[0] for node in elements(nodes)} <= {"p"}
        assert all(isinstance(child, str) for child in nodes[0][2:])

    def test_stand_in_for_images(self) -> None:
        assert tree.render("![a *map*](https://e.com/m.png) ![](https://e.com/n.png)") == [
            [
                "p",
                None,
                ["a", {"href": "https://e.com/m.png", "rel": REL}, "a map"],
                " ",
                ["a", {"href": "https://e.com/n.png", "rel": REL}, "image"],
            ]
        ]

    def test_hold_no_links(self) -> None:
        assert tree.render("[![alt](https://e.com/a.png)](https://e.com)") == [
            ["p", None, ["a", {"href": "https://e.com", "rel": REL}, "alt"]]
        ]


class TestTheClosedSets:
    @settings(max_examples=EXAMPLES, deadline=None)
    @given(documents | st.text(st.characters(), max_size=60))
    def test_hold_everything_that_is_rendered(self, source: str) -> None:
        for node in elements(tree.render(source)):
            assert node[0] in tree.TAGS
            assert set(node[1] or {}) <= tree.ATTRIBUTES.get(node[0], frozenset())
            assert all(isinstance(value, str) for value in (node[1] or {}).values())

    @pytest.mark.parametrize(
        "source",
        ["<script>alert(1)</script>", "<b onclick=x>y</b>", "<!-- x -->", "a <br> b", "<a href=x>"],
    )
    def test_hold_no_html(self, source: str) -> None:
        assert tree.render(source) == [["p", None, source]]

    @settings(max_examples=EXAMPLES, deadline=None)
    @given(documents)
    def test_can_be_sent_as_json(self, source: str) -> None:
        nodes = tree.render(source)

        assert json.loads(json.dumps(nodes)) == nodes


class TestAgainstTheReference:
    @settings(max_examples=EXAMPLES, deadline=None)
    @given(
        st.lists(
            st.sampled_from(
                [piece for piece in PIECES if piece not in {"](/a)", "https://e.com/a"}]
            ),
            max_size=25,
        )
    )
    def test_is_what_the_parser_itself_would_write(self, pieces: list[str]) -> None:
        source = "".join(pieces)
        assume("\\[" not in source)  # a formula here, an escaped bracket there
        reference = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])

        ours = _plain_html(tree.build(tree.parser(linkify=False).parse(source)))

        assert ours == _normal(reference.render(source))


def _texts(nodes: list[Node]) -> list[str]:
    return [
        text for node in nodes for text in ([node] if isinstance(node, str) else _texts(node[2:]))
    ]


def _plain_html(nodes: list[Node]) -> str:
    return _normal(to_html(_uncoloured(nodes)))


def _uncoloured(nodes: list[Node]) -> list[Node]:
    result: list[Node] = []
    for node in nodes:
        if isinstance(node, str):
            result.append(node)
        elif node[0] == "span":
            result.extend(node[2:])
        else:
            result.append([*node[:2], *_uncoloured(node[2:])])
    return result


def _normal(html: str) -> str:
    """Forget what the two may differ in: line ends, how quotes are written, our attributes, levels of headings."""
    for level in (6, 5, 4, 3, 2):
        html = html.replace(f"<h{level}>", "<h>").replace(f"</h{level}>", "</h>")
    html = (
        html.replace("<h1>", "<h>")
        .replace("</h1>", "</h>")
        .replace("&quot;", '"')
        .replace(" />", ">")
    )
    for name in ("left", "center", "right"):
        html = html.replace(f' style="text-align:{name}"', f' class="to-{name}"')
    html = html.replace(f' rel="{REL}"', "")
    html = re.sub(r' (data-lang|class)="(?!to-)[^>]*"', "", html)
    return "".join(html.split())
