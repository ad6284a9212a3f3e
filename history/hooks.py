"""What other floors may ask to be told: history calls down a list and imports nobody.

`wipe` runs inside the transaction that buries conversations, so that what other apps hold of them goes with it.
`changed` runs after the commit, in the process that wrote. `erase` runs while an account is erased, outside any
transaction: what is kept of the user outside the database goes then; it may be called again. `belongings` are what
else an account takes along in its export: under each name how it is taken out, and how it is put back. `standing` is
told on the loop of an answer that is being sent for long, so that it ends when the right to it does.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.db import transaction


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A conversation moved. `cursor` is the feed's position after it; nothing of the content is told."""

    owner_id: int
    cid: str
    version: int
    cursor: str
    deleted: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """Who is being answered for long, by what right, and how to end it (on the loop's thread, any number of times)."""

    user_id: int
    session_key: str | None
    token_key: str | None
    end: Callable[[], None]


wipe: list[Callable[[list[int]], None]] = []
changed: list[Callable[[Change], None]] = []
erase: list[Callable[[int], None]] = []
belongings: dict[str, tuple[Callable[[int], Any], Callable[[int, Any], None]]] = {}
standing: list[Callable[[Standing], Callable[[], None]]] = []
"""Each returns what is to be called once the answer is over."""


def before_burial(pks: list[int]) -> None:
    """Let every app empty its own rows of these conversations (primary keys)."""
    for call in wipe:
        call(pks)


def announce(change: Change) -> None:
    """Tell every listener once the running transaction has committed; a listener that fails stops nobody."""
    for call in changed:
        transaction.on_commit(_later(call, change), robust=True)


def _later(call: Callable[[Change], None], change: Change) -> Callable[[], None]:
    # A function of its own: Django names the callback when it fails, and a partial has no name.
    def tell() -> None:
        call(change)

    return tell
