"""The open sockets and streams of this process: who stands in each, and how to shut it."""

import itertools
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial

from history.hooks import Standing

SIGN_IN_AGAIN = 4001
RESTARTING = 4012
OVERLOADED = 4013

_numbers = itertools.count()


@dataclass(frozen=True, slots=True, kw_only=True)
class Door:
    """One open socket or stream. `close(code)` may be called on the loop's thread, any number of times.

    `session_key` is set for a browser, `token_key` (knox's stored prefix) for a REST client.
    """

    user_id: int
    session_key: str | None
    token_key: str | None
    close: Callable[[int], None]
    number: int = field(default_factory=lambda: next(_numbers))


_open: dict[int, Door] = {}
_per_user: Counter[int] = Counter()


def enter(door: Door) -> None:
    _open[door.number] = door
    _per_user[door.user_id] += 1


def leave(door: Door) -> None:
    """Idempotent, as a socket may be told of its end twice."""
    if _open.pop(door.number, None) is not None:
        _per_user[door.user_id] -= 1
        if not _per_user[door.user_id]:
            del _per_user[door.user_id]


def stand(standing: Standing) -> Callable[[], None]:
    """History's hook: a long answer is a door too; return what leaves it."""
    door = Door(
        user_id=standing.user_id,
        session_key=standing.session_key,
        token_key=standing.token_key,
        close=lambda _code: standing.end(),
    )
    enter(door)
    return partial(leave, door)


def all_doors() -> Iterator[Door]:
    """Yield over a copy: closing one changes the registry."""
    yield from list(_open.values())


def count(user_id: int) -> int:
    return _per_user.get(user_id, 0)


def close_all(code: int) -> None:
    for door in all_doors():
        door.close(code)
