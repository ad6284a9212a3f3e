"""What a person types into the search box, as terms; and where these stand in a text. Pure.

Each term is a word or a "quoted phrase"; all must occur somewhere in the conversation. The last word may be
unfinished, since results are shown while one types.
"""

import re
from dataclasses import dataclass

from history.words import fold, is_wide, words

LENGTH = 200
TERMS = 12
WIDTH = 160
"""Characters of a snippet, about."""

_CHUNK = re.compile(r'"([^"]*)"|([^\s"]+)')
_IN_WORD = r"[^\W_]"

Snippet = list[tuple[str, bool]]


@dataclass(frozen=True, slots=True)
class Term:
    """Words that must stand side by side; of an `open` term the last one may go on."""

    words: tuple[str, ...]
    open: bool


def terms_of(query: str) -> list[Term]:
    """Return the terms of a query; none when it holds no word."""
    query = query[:LENGTH]
    chunks = [
        (found[1] is None, words(found[1] or found[2] or "")) for found in _CHUNK.finditer(query)
    ]
    read = [(free, tuple(said)) for free, said in chunks if said][:TERMS]
    unfinished = not query.endswith(('"', " "))
    return [
        Term(said, unfinished and free and place == len(read))
        for place, (free, said) in enumerate(read, start=1)
    ]


def snippet(text: str, terms: list[Term]) -> Snippet:
    """Return the surroundings of the first hit on one line, cut into pieces: (text, whether it is a hit)."""
    line = " ".join(text.split())
    folded = fold(line)
    # Folding may change a text's length; then only case is ignored, so that positions still fit.
    where = folded if len(folded) == len(line) else line
    pattern = re.compile("|".join(_pattern(term) for term in terms), re.IGNORECASE)
    first = pattern.search(where)
    begin = _word_start(line, max(0, first.start() - WIDTH // 3)) if first else 0
    end = min(len(line), begin + WIDTH)
    found: Snippet = [("…", False)] if begin else []
    at = begin
    for hit in pattern.finditer(where, begin, end):
        found += [(line[at : hit.start()], False), (line[hit.start() : hit.end()], True)]
        at = hit.end()
    found.append((line[at:end] + ("…" if end < len(line) else ""), False))
    return [piece for piece in found if piece[0]]


def _word_start(line: str, at: int) -> int:
    return 0 if at == 0 else line.rfind(" ", 0, at) + 1 or at


def _pattern(term: Term) -> str:
    said = [re.escape(fold(word)) for word in term.words]
    before = "" if is_wide(term.words[0][0]) else f"(?<!{_IN_WORD})"
    after = f"{_IN_WORD}*" if term.open else f"(?!{_IN_WORD})"
    return before + r"[\W_]*".join(said) + ("" if is_wide(term.words[-1][-1]) else after)
