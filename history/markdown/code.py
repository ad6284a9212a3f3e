"""Source code as coloured nodes. The one file that knows Pygments.

Languages come from a closed list: a model may write anything after a fence, and Pygments would search its plugins for
each new word.
"""

import re
from functools import lru_cache
from typing import Any

from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name
from pygments.token import STANDARD_TYPES, _TokenType

Node = str | list[Any]
"""Text, or [tag, attributes or None, *children]. Lists and not objects, because this is what goes over the wire."""

LONGEST = 20_000
"""Characters of a block that is coloured; lexers are slower than linear on some texts."""
LONGEST_OPEN = 4_000
"""The same while the block grows and is coloured anew at every tick."""

LANGUAGES = frozenset(
    """
    awk bash c clojure cmake console cpp csharp css dart diff docker dockerfile elixir erlang
    fortran fsharp go graphql groovy haskell html http ini java javascript js json jsx julia
    kotlin lua make makefile matlab md markdown nginx nix objective-c ocaml perl php
    powershell proto protobuf py python r rb ruby rust scala scss sh shell sql swift terraform
    toml ts tsx typescript vim xml yaml yml zig zsh
    """.split()  # noqa: SIM905  a list of one word a line would be most of this file
)
_WORD = re.compile(r"[a-z0-9+#.-]{1,32}")
_PLAIN = frozenset({"", "w", "n", "p", "err"})


def language_of(info: str) -> str:
    """Return the language an info string names, "" when it is no plain word."""
    word = info.split(maxsplit=1)[0].lower() if info.strip() else ""
    return word if _WORD.fullmatch(word) else ""


def block(source: str, *, language: str, limit: int = LONGEST) -> Node:
    """Return a code block; one longer than `limit` characters has no colours."""
    coloured = language in LANGUAGES and len(source) <= limit
    children = _highlighted(source, language) if coloured else [source] if source else []
    return ["pre", {"data-lang": language} if language else None, ["code", None, *children]]


@lru_cache(maxsize=128)
def _highlighted(source: str, language: str) -> tuple[Node, ...]:
    pieces: list[tuple[str, str]] = []
    for token, text in _lexer(language).get_tokens(source):
        name = _class_of(token)
        if pieces and pieces[-1][0] == name:
            pieces[-1] = name, pieces[-1][1] + text
        else:
            pieces.append((name, text))
    return tuple(
        ["span", {"class": f"t-{name}"}, text] if name else text for name, text in pieces if text
    )


@lru_cache(maxsize=len(LANGUAGES))
def _lexer(language: str) -> Lexer:
    lexer: Lexer = get_lexer_by_name(language, stripnl=False, ensurenl=False)
    return lexer


@lru_cache(maxsize=512)
def _class_of(token: _TokenType) -> str:
    """Return the short name of a token type or of its nearest known parent, "" for plain text."""
    while token not in STANDARD_TYPES and token.parent is not None:
        token = token.parent
    name = STANDARD_TYPES.get(token, "")
    return "" if name in _PLAIN else name
