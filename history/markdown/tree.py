"""Markdown as a render tree: nested lists that a browser makes nodes of, so that no HTML stands on the way to it.

Tags and attributes come from the closed sets below, on this side and on the browser's. Raw HTML is text, an image is a
link to it, a link leads to the web or to a mailbox or is no link, and LaTeX is MathML. The first heading level is `h2`: the page itself
has the `h1`.
"""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

from history.markdown import code, dollars, maths
from history.markdown.code import Node

TEXT_TAGS = frozenset(
    """
    p h2 h3 h4 h5 h6 blockquote ul ol li pre code hr br em strong s a table thead tbody tr th td span
    """.split()  # noqa: SIM905  reads as what it is
)
TAGS = TEXT_TAGS | maths.TAGS
ATTRIBUTES: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "a": frozenset({"href", "rel"}),
        "ol": frozenset({"start"}),
        "p": frozenset({"class"}),
        "pre": frozenset({"data-lang"}),
        "span": frozenset({"class"}),
        "td": frozenset({"class"}),
        "th": frozenset({"class"}),
        **dict.fromkeys(maths.TAGS, maths.ATTRIBUTES),
    }
)
"""Classes are `t-…` for code colours, `to-left`, `to-center`, `to-right` for cells, `plain` for unformatted text and
`math` for a formula on lines of its own."""
SCHEMES = ("http://", "https://", "mailto:")

CAP = 200_000
"""Characters that are read as Markdown; what comes after them is shown as it was written."""
DEPTH = 40
"""Elements inside one another within a block; what is nested deeper becomes text of the last."""
FORMULAS = 30_000
"""Characters of a text's formulas in all; those that come after are shown as they were written."""

_REL = "noopener noreferrer nofollow"
_HEADINGS = MappingProxyType({"h1": "h2", "h2": "h3", "h3": "h4", "h4": "h5", "h5": "h6"})


def parser(*, linkify: bool) -> MarkdownIt:
    """Return a CommonMark parser with tables and strikethrough; with `linkify` full URLs in the text are links.

    Bare names are not: `setup.py` and `README.md` are files and happen to be domains as well.
    """
    markdown = MarkdownIt("commonmark", {"html": False, "linkify": linkify}).enable(
        ["table", "strikethrough"]
    )
    dollars.use(markdown)
    if linkify and markdown.linkify is not None:
        markdown.enable("linkify")
        markdown.linkify.set({"fuzzy_link": False, "fuzzy_email": False})
    return markdown


CLOSED = parser(linkify=True)


def render(source: str) -> list[Node]:
    """Return the nodes of a whole text. Linear in its length, whatever it holds."""
    head, tail = split(normalised(source))
    nodes = build(CLOSED.parse(head))
    return [*nodes, plain(tail)] if tail else nodes


def normalised(source: str) -> str:
    """Return the text as the parser would read it: one kind of line end, no NUL."""
    return source.replace("\r\n", "\n").replace("\r", "\n").replace("\x00", "\ufffd")


def split(source: str) -> tuple[str, str]:
    """Cut a normalised text after the last line that ends within the cap; the second half is "" for nearly all."""
    if len(source) <= CAP:
        return source, ""
    end = source.rfind("\n", 0, CAP) + 1 or CAP
    return source[:end], source[end:]


def plain(text: str) -> Node:
    """Return a text as one paragraph that is shown as it was written."""
    return ["p", {"class": "plain"}, text]


class Budget:
    """How many characters of formulas may still be converted."""

    def __init__(self, left: int = FORMULAS) -> None:
        self.left = left

    def formula(self, token: Token, *, block: bool) -> Node | None:
        """Return a token's formula, None when it can or may not be one."""
        self.left -= len(token.content)
        return (
            maths.node_of(token.content, block=block) if token.content and self.left >= 0 else None
        )


def build(
    tokens: Sequence[Token], *, code_limit: int = code.LONGEST, budget: Budget | None = None
) -> list[Node]:
    """Return the nodes of a token stream; code blocks longer than `code_limit` characters have no colours."""
    budget = budget or Budget()
    root: list[Node] = []
    stack = [root]
    for token in tokens:
        if token.nesting == 1:
            stack.append(_opened(token, stack))
        elif token.nesting == -1:
            stack.pop()
        elif token.type == "inline":
            _inline(token.children or [], stack[-1], budget)
        elif token.type in {"fence", "code_block"}:
            stack[-1].append(
                code.block(token.content, language=code.language_of(token.info), limit=code_limit)
            )
        elif token.type == dollars.BLOCK:
            formula = budget.formula(token, block=True)
            stack[-1].append(["p", {"class": "math"}, formula] if formula else plain(token.info))
        elif token.type == "hr":
            stack[-1].append(["hr", None])
        else:
            _add_text(stack[-1], token.content)
    return root


def _inline(tokens: Sequence[Token], into: list[Any], budget: Budget) -> None:
    stack = [into]
    links = 0
    for token in tokens:
        top = stack[-1]
        if token.type == "link_open":
            stack.append(_link(token.attrs.get("href"), top))
            links += 1
        elif token.nesting == 1:
            stack.append(_opened(token, stack))
        elif token.nesting == -1:
            stack.pop()
            links -= token.type == "link_close"
        elif token.type == dollars.INLINE:
            formula = budget.formula(token, block=token.markup in {"$$", "\\["})
            top.append(formula) if formula else _add_text(top, token.info)
        elif token.type == "image":
            _image(token, top, inside_link=links > 0)
        else:
            _LEAVES.get(token.type, _as_text)(token, top)


def _opened(token: Token, stack: list[list[Any]]) -> list[Any]:
    """Append the element a token opens and return where its children go."""
    tag = _HEADINGS.get(token.tag, token.tag)
    # The paragraph of a tight list adds no element, and neither does what the browser would not know.
    if token.hidden or tag not in TAGS or len(stack) > DEPTH:
        return stack[-1]
    node: list[Any] = [tag, _attributes(token)]
    stack[-1].append(node)
    return node


def _attributes(token: Token) -> dict[str, str] | None:
    start, style = token.attrs.get("start", 1), str(token.attrs.get("style", ""))
    if token.tag == "ol" and start != 1:
        return {"start": str(start)}
    if token.tag in {"td", "th"} and style:
        return {"class": "to-" + style.removeprefix("text-align:")}
    return None


def _link(href: object, parent: list[Any]) -> list[Any]:
    """Append a link and return it, or return its parent when it leads to where no link may lead."""
    if not isinstance(href, str) or not href.lower().startswith(SCHEMES):
        return parent
    node: list[Any] = ["a", {"href": href, "rel": _REL}]
    parent.append(node)
    return node


def _image(token: Token, into: list[Any], *, inside_link: bool) -> None:
    place = into if inside_link else _link(token.attrs.get("src"), into)
    _add_text(place, _words(token.children or []) or "image")


def _words(tokens: Sequence[Token]) -> str:
    return "".join(_words(token.children) if token.children else token.content for token in tokens)


def _as_text(token: Token, into: list[Any]) -> None:
    _add_text(into, token.content)


def _softbreak(_token: Token, into: list[Any]) -> None:
    _add_text(into, "\n")


def _hardbreak(_token: Token, into: list[Any]) -> None:
    into.append(["br", None])


def _code(token: Token, into: list[Any]) -> None:
    into.append(["code", None, token.content])


_LEAVES: Mapping[str, Callable[[Token, list[Any]], None]] = MappingProxyType(
    {"softbreak": _softbreak, "hardbreak": _hardbreak, "code_inline": _code}
)


def _add_text(into: list[Any], text: str) -> None:
    """Append text, joined with text before it, so that a browser gets one text node for it."""
    if not text:
        return
    # An element is never only its tag here, so a string at the end is text.
    if into and isinstance(into[-1], str):
        into[-1] += text
    else:
        into.append(text)
