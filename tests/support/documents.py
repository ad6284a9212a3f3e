"""Generated Markdown, made of the pieces that begin and end blocks, and the ways it may arrive."""

from hypothesis import strategies as st

from history.markdown.code import Node
from history.markdown.stream import Growing

PIECES = [
    "# ", "\n", "\n\n", "- ", "1. ", "7) ", "> ", "```", "~~~", "```python\n", "    ", "\t", "|", "---", "--", "===", "*", "**", "_", "~~",
    "`", "[", "](http://e.com)", "](/a)", "<b>", "&amp;", "\\", "  \n", "\r\n", "\r", "word", "x y", " https://e.com/a ", " ", "!", "é", "😀",
    "\x00", "\x0b", "\x85", "\u2028", "|a|b|\n|-|-|\n", "[x]", "* * *\n", "+ ", "def f():\n",
]  # fmt: skip
MATH = [
    "$",
    "$$",
    "$$\n",
    "\\[",
    "\\]",
    "\\(",
    "\\)",
    "x^2",
    "\\frac{1}{2}",
    "$5",
    "\\[\n",
    "$x$",
    "\\unknown",
    "\n$$\n",
]
documents = st.lists(st.sampled_from([*PIECES, *MATH]), max_size=25).map("".join)
cuts = st.lists(st.integers(1, 9), min_size=1, max_size=12)


def grown(source: str, sizes: list[int]) -> list[tuple[str, list[Node], list[Node]]]:
    """Return (prefix, all closed so far, open rest) for each tick."""
    growing, at = Growing(), 0
    closed: list[Node] = []
    ticks = []
    for n in range(len(source)):
        if at >= len(source):
            break
        step = sizes[n % len(sizes)]
        growing.feed(source[at : at + step])
        at += step
        new, rest = growing.tick()
        closed = [*closed, *new]
        ticks.append((source[:at], closed, rest))
    return ticks
