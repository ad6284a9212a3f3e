"""Where formulas stand in Markdown: `$…$` and `\\(…\\)` in a line, `$$…$$` and `\\[…\\]` in a line or on lines of their own.

A block of lines ends at its closing mark or at an empty line, whichever comes first, and is one block either way: so
text that grows never turns what was shown as a formula's beginning into something else.
"""

import re

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline

INLINE, BLOCK = "math_inline", "math_block"

_LATEX = re.compile(r"[\\^_={]")
_CLOSING = {"$$": "$$", "\\[": "\\]", "\\(": "\\)"}
# "$5 and you have 10$" is about money: it begins with a digit and has words in it.
_MONEY = re.compile(r"\d")
_GROUP = re.compile(r"\\[A-Za-z]+|\{[^{}]*\}")
_WORD = re.compile(r"\s[A-Za-z]{2,}(?=[\s,.;:!?]|$)")


def use(markdown: MarkdownIt) -> None:
    """Let a parser know formulas."""
    markdown.block.ruler.before(
        "fence", BLOCK, _block, {"alt": ["paragraph", "reference", "blockquote", "list"]}
    )
    markdown.inline.ruler.before("escape", INLINE, _inline)


def _block(state: StateBlock, start: int, end: int, silent: bool) -> bool:  # noqa: FBT001  the parser's signature
    if state.is_code_block(start):
        return False
    first = _line(state, start)
    mark = first[:2]
    if mark not in {"$$", "\\["}:
        return False
    closing = _CLOSING[mark]
    rest = first[2:].strip()
    if not _begins(rest, closing):
        return False
    if silent:
        return True
    last, closed = start, rest.endswith(closing)
    while not closed and last + 1 < end and not _ends_before(state, last + 1):
        last += 1
        closed = _line(state, last).endswith(closing)
    token = state.push(BLOCK, "math", 0)
    token.map = [start, last + 1]
    source = state.getLines(start, last + 1, state.blkIndent, keepLastLF=False).strip()
    token.info = source
    token.content = source[2:-2].strip() if closed else ""
    state.line = last + 1
    return True


def _begins(rest: str, closing: str) -> bool:
    """Say whether a line that goes on so after its mark begins a block; most others are for the rules of a line."""
    if not rest or rest.endswith(closing):
        return rest != closing and closing not in rest[:-2]
    return closing not in rest and _LATEX.search(rest) is not None


def _ends_before(state: StateBlock, line: int) -> bool:
    return state.isEmpty(line) or state.sCount[line] < state.blkIndent


def _line(state: StateBlock, line: int) -> str:
    return state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]].rstrip()


def _inline(state: StateInline, silent: bool) -> bool:  # noqa: FBT001  as above
    found = _found(state.src, state.pos, state.posMax)
    if found is None:
        return False
    content, mark, after = found
    if not silent:
        token = state.push(INLINE, "math", 0)
        token.content, token.markup = content, mark
        token.info = state.src[state.pos : after]
    state.pos = after
    return True


def _found(source: str, at: int, limit: int) -> tuple[str, str, int] | None:
    """Return a formula that begins at `at`: its content, its mark, where it ends."""
    mark = source[at : at + 2]
    if mark in _CLOSING:
        end = source.find(_CLOSING[mark], at + 2, limit)
        content = source[at + 2 : end].strip() if end > 0 else ""
        return (content, mark, end + 2) if content else None
    if mark[:1] != "$" or (at and (source[at - 1].isalnum() or source[at - 1] in "$\\")):
        return None
    end = _dollar(source, at + 1, limit)
    content = source[at + 1 : end] if end else ""
    return (content, "$", end + 1) if content and not _is_money(content) else None


def _dollar(source: str, start: int, limit: int) -> int:
    """Return where a closing dollar stands, 0 when there is none: blanks stand on neither side within the two."""
    if start >= limit or source[start].isspace():
        return 0
    at = start
    while (at := source.find("$", at, limit)) > 0:
        before, after = source[at - 1], source[at + 1 : at + 2]
        if before == "\\":
            at += 1
            continue
        whole = not before.isspace() and not after.isalnum() and after != "$"
        return at if whole else 0
    return 0


def _is_money(content: str) -> bool:
    return bool(_MONEY.match(content) and _WORD.search(_GROUP.sub("", content)))
