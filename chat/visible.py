"""What nobody can see, made visible: the text of approval cards and of log lines.

A person decides on what the card shows, so a character that hides, reorders or pads must show itself as
`\\u{HEX}`. The rendering is injective: two different texts never look the same. The page has its own copy of the
rule; `tests/contracts/visible.json` is the table both are held to.
"""

import re
import unicodedata

# Invisible although their category says letter, mark or symbol: joiners, fillers, variation selectors, blank Braille.
_BLANK = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
_HIDDEN = frozenset({"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp", "Zs"})
_KEPT = frozenset(" \n\t")
# A run this long is padding that pushes the rest of a text out of sight.
_PADDING = re.compile(r" {40,}|\n{40,}|\t{40,}")
_LITERAL = re.compile(r"\\(?=u\{)")


def visible(text: str) -> str:
    """Return `text` with every character a reader cannot see written as `\\u{hex}`; newlines and tabs stay.

    Runs of 40 or more spaces, newlines or tabs become `\\u{20*N}`; a literal backslash before `u{` becomes
    `\\u{5c}`, so that nobody can write what looks like an escape.
    """
    if text.isascii() and text.isprintable() and "\\u{" not in text and " " * 40 not in text:
        return text
    marked = _LITERAL.sub(lambda _: "\\u{5c}", text)
    padded = _PADDING.sub(lambda run: f"\\u{{{ord(run[0][0]):x}*{len(run[0])}}}", marked)
    return "".join(_shown(char) for char in padded)


def visible_line(text: str) -> str:
    """Return `visible(text)` on one line: newlines and tabs are written out too, as a log line needs it."""
    return visible(text).replace("\n", "\\u{a}").replace("\t", "\\u{9}")


def is_hidden(char: str) -> bool:
    """Return whether one character is shown as an escape."""
    if char in _KEPT:
        return False
    return unicodedata.category(char) in _HIDDEN or _BLANK.match(char) is not None


def _shown(char: str) -> str:
    return f"\\u{{{ord(char):x}}}" if is_hidden(char) else char
