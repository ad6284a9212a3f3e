"""LaTeX as MathML nodes. The one file that knows latex2mathml.

Its trees are taken apart and put together again from the closed sets below, so what it makes of `\\href` or `\\style`
never arrives. A formula that it does not understand whole is none: then its source is shown.
"""

import re
from functools import lru_cache
from html import unescape
from types import MappingProxyType
from xml.etree.ElementTree import Element

from latex2mathml.converter import convert_to_element

from history.markdown.code import Node

TAGS = frozenset(
    """
    math mrow mi mn mo mtext mspace ms mfrac msqrt mroot mstyle msub msup msubsup munder mover munderover mtable mtr
    mtd mpadded mphantom menclose mmultiscripts mprescripts none
    """.split()  # noqa: SIM905  reads as what it is
)
ATTRIBUTES = frozenset(
    """
    display alttext mathvariant mathcolor mathbackground mathsize displaystyle scriptlevel stretchy fence form separator
    lspace rspace minsize maxsize movablelimits accent linethickness width height depth voffset columnalign columnlines
    rowlines columnspacing rowspacing notation
    """.split()  # noqa: SIM905  as above
)
LONGEST = 2_000
"""Characters of a formula; the converter is slower than linear."""
DEPTH = 60

_CHILDREN = MappingProxyType(
    {
        **dict.fromkeys(("mfrac", "mroot", "msub", "msup", "munder", "mover"), 2),
        **dict.fromkeys(("msubsup", "munderover"), 3),
    }
)
_VALUE = re.compile(r"[\w .%#+-]{1,80}")
_RENAMED = MappingProxyType({"aligned": "align*", "alignedat": "align*", "gathered": "align*"})
_ENVIRONMENT = re.compile(r"\\(begin|end)\{(aligned|alignedat|gathered)\}")
# A macro may grow without end, and would have to be remembered from one formula to the next.
_MACRO = re.compile(r"\\(?:re|provide)?newcommand|\\[gex]?def(?![a-z])|\\let(?![a-z])|\\Declare")


@lru_cache(maxsize=512)
def node_of(latex: str, *, block: bool) -> Node | None:
    """Return a formula as a node, or None when it cannot be shown as one."""
    if len(latex) > LONGEST or _MACRO.search(latex):
        return None
    display = "block" if block else "inline"
    known = _ENVIRONMENT.sub(lambda m: f"\\{m[1]}{{{_RENAMED[m[2]]}}}", latex)
    try:
        made = _node(convert_to_element(known, display=display), depth=0)
    except Exception:  # noqa: BLE001  any fault of the converter means the same: this is no formula it can read
        return None
    made[1] = {"display": display, "alttext": latex.strip()}
    return made


class _Unknown(ValueError):
    """Something in the tree that is not to be shown."""


def _node(element: Element, *, depth: int) -> list[Node | dict[str, str] | None]:
    if element.tag not in TAGS or depth > DEPTH:
        raise _Unknown
    attributes = {
        name: value
        for name, value in element.attrib.items()
        if name in ATTRIBUTES and _VALUE.fullmatch(value)
    }
    text = unescape(element.text or "")
    if text.startswith("\\"):
        raise _Unknown  # a command that the converter does not know comes back as it was written
    children = [_node(child, depth=depth + 1) for child in element]
    if len(children) != _CHILDREN.get(element.tag, len(children)):
        raise _Unknown  # half a fraction: its source was cut short
    return [element.tag, attributes or None, *([text] if text else []), *children]
