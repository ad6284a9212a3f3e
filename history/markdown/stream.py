"""Markdown while it grows: blocks that can no longer change, and the open rest.

At every tick the closed blocks and the open rest together are what `tree.render` makes of the text so far, but for two
things that wait until a block closes: bare URLs become links, and long code gets its colours.
"""

import re
from collections.abc import Sequence
from typing import Any

from markdown_it.token import Token

from history.markdown import code, tree
from history.markdown.code import Node

# The plain case only; indented fences and other words go the long way: a bar in the line may yet make it a table.
_OPEN_FENCE = re.compile(r"(`{3,}|~{3,})[ \t]*([\w+#.-]*)[ \t]*\n")
_TRAILING_BLANKS = re.compile(r"(?<![^\n])[ \t]+\Z")
_OPEN = tree.parser(linkify=False)

Delta = list[Any]
"""[at, how, *new]: child `at` goes on by `how`, then come new children. `how` is more text, {"in": delta} or None."""


class Growing:
    """A text that arrives in pieces. `feed` and `tick` in any rhythm, then `close` and `end` once."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._taken = 0
        self._after_return = False
        self._length = 0
        self._rest = ""
        self._overlong = ""
        self._references: dict[str, Any] = {}
        self._closed: list[Node] = []
        self._budget = tree.Budget()

    def feed(self, text: str) -> None:
        """Take the next piece."""
        if text:
            # A line end may come in two pieces; its second half adds nothing to the first.
            whole = text[1:] if self._after_return and text.startswith("\n") else text
            self._after_return = text.endswith("\r")
            self._pieces.append(tree.normalised(whole))

    def tick(self) -> tuple[list[Node], list[Node]]:
        """Return the blocks that closed since the last tick and the open rest, which replaces the one before."""
        self._take()
        if self._overlong:
            return self._closed_rest(), [tree.plain(self._overlong)]
        fence = _OPEN_FENCE.match(self._rest)
        if fence and not _closes(fence[1], self._rest[fence.end() :]):
            # To the parser a last line of blanks alone is none, until it ends.
            body = _TRAILING_BLANKS.sub("", self._rest[fence.end() :])
            language = code.language_of(fence[2])
            return [], [code.block(body, language=language, limit=code.LONGEST_OPEN)]
        return self._parsed()

    def close(self) -> list[Node]:
        """Return what is left as closed blocks. Nothing may be fed after it."""
        self._take()
        closed = self._closed_rest()
        if self._overlong:
            last = tree.plain(self._overlong)
            self._closed.append(last)
            closed.append(last)
        return closed

    def end(self) -> list[Node] | None:
        """Return all nodes anew when a link definition that came late changed closed blocks, else None."""
        if not self._references:
            return None
        whole = tree.render("".join(self._pieces))
        return None if whole == self._closed else whole

    def _take(self) -> None:
        piece = "".join(self._pieces[self._taken :])
        self._taken = len(self._pieces)
        if self._overlong:
            self._overlong += piece
            return
        before = self._length - len(self._rest)
        self._rest += piece
        self._length += len(piece)
        if self._length > tree.CAP:
            end = self._rest.rfind("\n", 0, tree.CAP - before) + 1
            if not before and not end:
                end = tree.CAP  # one line alone fills it; later the rest begins after a line end
            self._rest, self._overlong = self._rest[:end], self._rest[end:]

    def _parsed(self) -> tuple[list[Node], list[Node]]:
        tokens = _OPEN.parse(self._rest, {"references": dict(self._references)})
        lines = self._rest.split("\n")
        starts = _starts(tokens, whole_lines=len(lines) - 1)
        if len(starts) < 2:
            return [], self._open(tokens)
        cut = starts[-1]
        line = _line(tokens[cut])
        done, self._rest = "\n".join(lines[:line]) + "\n", "\n".join(lines[line:])
        return self._close(done), self._open(tokens[cut:])

    def _open(self, tokens: Sequence[Token]) -> list[Node]:
        left = tree.Budget(self._budget.left)
        return tree.build(tokens, code_limit=code.LONGEST_OPEN, budget=left)

    def _closed_rest(self) -> list[Node]:
        done, self._rest = self._rest, ""
        return self._close(done) if done else []

    def _close(self, source: str) -> list[Node]:
        env: dict[str, Any] = {"references": self._references}
        closed = tree.build(tree.CLOSED.parse(source, env), budget=self._budget)
        self._references = env["references"]
        self._closed.extend(closed)
        return closed


def _closes(marker: str, body: str) -> bool:
    return (
        re.search(rf"^ {{0,3}}{marker[0]}{{{len(marker)},}}[ \t]*$", body, re.MULTILINE) is not None
    )


def _starts(tokens: Sequence[Token], *, whole_lines: int) -> list[int]:
    """Return where top-level blocks begin, without the last ones whose beginning the next character could still change."""
    starts = [
        n for n, token in enumerate(tokens) if token.level == 0 and token.nesting >= 0 and token.map
    ]
    # A block has begun when its first line is complete; a table when its second is, for that makes it one.
    while (
        len(starts) > 1
        and _line(tokens[starts[-1]]) + (tokens[starts[-1]].type == "table_open") >= whole_lines
    ):
        starts.pop()
    return starts


def _line(token: Token) -> int:
    return token.map[0] if token.map else 0


def delta(old: Sequence[Node], new: Sequence[Node]) -> Delta:
    """Return what turns the children `old` into `new`."""
    at = 0
    while at < min(len(old), len(new)) and old[at] == new[at]:
        at += 1
    if at < min(len(old), len(new)):
        was, now = old[at], new[at]
        if isinstance(was, str) and isinstance(now, str) and now.startswith(was):
            return [at, now[len(was) :], *new[at + 1 :]]
        if isinstance(was, list) and isinstance(now, list) and was[:2] == now[:2]:
            return [at, {"in": delta(was[2:], now[2:])}, *new[at + 1 :]]
    return [at, None, *new[at:]]


def apply(old: Sequence[Node], change: Delta) -> list[Node]:
    """Return the children `old` as `change` leaves them: `apply(old, delta(old, new)) == new`."""
    at, how, *added = change
    kept: list[Node] = list(old[:at])
    if isinstance(how, str):
        kept.append(str(old[at]) + how)
    elif how is not None:
        node = old[at]
        assert isinstance(node, list)
        kept.append([*node[:2], *apply(node[2:], how["in"])])
    return [*kept, *added]
