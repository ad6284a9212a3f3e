"""A render tree as words: for copying, for search, and for a screen reader that is told what just came."""

from collections.abc import Sequence

from history.markdown.code import Node

_LINES = frozenset(
    {"p", "h2", "h3", "h4", "h5", "h6", "blockquote", "ul", "ol", "li", "pre", "table", "tr", "hr"}
)
_NAMELESS = "Code"


def text_of(nodes: Sequence[Node]) -> str:
    """Return the text of the nodes, one line for each block in them."""
    pieces: list[str] = []
    for node in nodes:
        _write(node, pieces)
    lines = "".join(pieces).split("\n")
    return "\n".join(line.rstrip() for line in lines if line.strip())


def spoken_of(nodes: Sequence[Node]) -> str:
    """Return the text of the nodes with "Code, python, 12 lines" in place of each code block."""
    return text_of([_said(node) for node in nodes])


def _write(node: Node, pieces: list[str]) -> None:
    if isinstance(node, str):
        pieces.append(node)
        return
    tag = node[0]
    if tag == "math":
        pieces.append(f"${(node[1] or {}).get('alttext', '')}$")
        return
    if tag in _LINES or tag == "br":
        pieces.append("\n")
    for child in node[2:]:
        _write(child, pieces)
    if tag in _LINES:
        pieces.append("\n")
    elif tag in {"td", "th"}:
        pieces.append("\t")


def _said(node: Node) -> Node:
    if isinstance(node, str):
        return node
    tag, attributes, *children = node
    if tag != "pre":
        return [tag, attributes, *(_said(child) for child in children)]
    pieces: list[str] = []
    _write(["span", None, *children], pieces)
    count = len("".join(pieces).rstrip("\n").split("\n"))
    language = (attributes or {}).get("data-lang")
    words = [
        _NAMELESS,
        *([language] if language else []),
        f"{count} line{'s' if count != 1 else ''}",
    ]
    return ["p", None, ", ".join(words)]
