"""A render tree as HTML, for the admin and for exports. Trusts no tree: what is not in the closed sets is left out."""

from collections.abc import Sequence
from html import escape

from history.markdown.code import Node
from history.markdown.tree import ATTRIBUTES, SCHEMES, TAGS

_VOID = frozenset({"br", "hr"})


def to_html(nodes: Sequence[Node]) -> str:
    """Return HTML in which every text and attribute is escaped; of an unknown element only what it holds is kept."""
    return "".join(_html(node) for node in nodes)


def _html(node: Node) -> str:
    if isinstance(node, str):
        return escape(node, quote=False)
    tag, attributes, *children = node
    inside = to_html(children)
    if not isinstance(tag, str) or tag not in TAGS:
        return inside
    start = f"<{tag}{_attributes(tag, attributes)}>"
    return start if tag in _VOID else f"{start}{inside}</{tag}>"


def _attributes(tag: str, attributes: object) -> str:
    if not isinstance(attributes, dict):
        return ""
    known = ATTRIBUTES.get(tag, frozenset())
    kept = [(name, str(value)) for name, value in attributes.items() if name in known]
    return "".join(
        f' {name}="{escape(value)}"' for name, value in kept if name != "href" or _leads_out(value)
    )


def _leads_out(href: str) -> bool:
    return href.lower().startswith(SCHEMES)
