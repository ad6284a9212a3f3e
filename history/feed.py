"""The list and the delta: what a device pulls, whole or from a cursor on, in one answer or in pages."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from history.compiled import Compiled
from history.cursors import Cursor, Doubt, Place
from history.errors import Deleted
from history.models import Conversation, ConversationQuerySet, SyncState, new_epoch
from history.rows import cursor as cursor_of
from history.serializers import SUMMARY, summary
from history.settling import full_messages

COLUMNS = (*SUMMARY, "pk", "sort_at", "seq", "deleted_at")
WIDTH = len(SUMMARY)
CID, VERSION = SUMMARY.index("cid"), SUMMARY.index("version")
PK, SORT_AT, SEQ, DELETED_AT = range(WIDTH, len(COLUMNS))

Row = tuple[Any, ...]
"""The values of COLUMNS: of ten thousand rows, tuples are read several times faster than objects."""


class Wish(NamedTuple):
    """What a list is asked for: from which cursor, which page, how long, with bodies or without."""

    since: str | None = None
    next: str | None = None
    limit: int | None = None
    bodies: bool = False


def _rows(narrowed: Callable[..., ConversationQuerySet], *, like: tuple[Any, ...]) -> Compiled[Any]:
    return Compiled(lambda *values: narrowed(*values).values_list(*COLUMNS), like=like)


_STATE = Compiled(lambda owner_id: SyncState.objects.filter(pk=owner_id), like=(-11,))
_WHOLE = Compiled(lambda pk: Conversation.objects.filter(pk=pk), like=(-11,))
_LIVE = _rows(lambda owner: Conversation.objects.owned_by(owner).live().newest_first(), like=(-11,))
_DEAD = _rows(
    lambda owner: Conversation.objects.owned_by(owner).buried().in_commit_order(), like=(-11,)
)
_MOVED = _rows(
    lambda owner, after, through: (
        Conversation.objects.owned_by(owner)
        .moved_after(after)
        .moved_up_to(through)
        .in_commit_order()
    ),
    like=(-11, -12, -13),
)
"""What is asked at every poll, in one answer; pages are built as they are asked for."""


def state_of(owner_id: int) -> SyncState:
    """Return the owner's counter without a lock, made on first use: an epoch must not change by itself."""
    return _STATE.first(owner_id) or SyncState.objects.get_or_create(pk=owner_id)[0]


def cursor_for(owner_id: int) -> str:
    """Return the feed's position of now."""
    return cursor_of(state_of(owner_id))


def rotate_epochs() -> int:
    """Give every account a new epoch, so that each cursor in the world is answered with the complete list."""
    pks = list(SyncState.objects.values_list("pk", flat=True))
    for pk in pks:
        SyncState.objects.filter(pk=pk).update(epoch=new_epoch())
    return len(pks)


def pull(state: SyncState, wish: Wish) -> dict[str, Any]:
    """Answer a list. `state` was read before: what moves from then on is in the next delta, never lost.

    A cursor or page that cannot be honoured gets the complete list from its beginning and the reason in `reset`.
    """
    place, doubt = _begin(state, wish)
    page = _delta(state, place, wish) if place.kind == "c" else _complete(state, place, wish)
    return {**page, "reset": doubt} if doubt else page


def _begin(state: SyncState, wish: Wish) -> tuple[Place, Doubt | None]:
    whole = Place(state.epoch, state.last_seq, "l", _TOP, "")
    if wish.next is not None:
        place = Place.parse(wish.next)
        if place is None or place.kind == "q":
            return whole, "cursor_invalid"
        doubt = place.cursor.doubt(state)
        return (whole, doubt) if doubt else (place, None)
    if wish.since is None:
        return whole, None
    since = Cursor.parse(wish.since)
    if since is None:
        return whole, "cursor_invalid"
    doubt = since.doubt(state)
    return (
        (whole, doubt) if doubt else (Place(state.epoch, state.last_seq, "c", since.seq, ""), None)
    )


_TOP = 10**18 - 1
"""A place before the first row of `newest_first`."""


def _delta(state: SyncState, place: Place, wish: Wish) -> dict[str, Any]:
    if wish.limit is None:
        got, more = _MOVED.rows(state.pk, place.at, place.through), False
    else:
        rows = _of(state).moved_after(place.at).moved_up_to(place.through).in_commit_order()
        got, more = _cut(rows, wish.limit)
    rest = place._replace(at=got[-1][SEQ]) if more else None
    live = [row for row in got if row[DELETED_AT] is None]
    dead = [row for row in got if row[DELETED_AT] is not None]
    return _answer(state, place, wish=wish, live=live, dead=dead, rest=rest)


def _complete(state: SyncState, place: Place, wish: Wish) -> dict[str, Any]:
    """Live rows first, newest first, then tombstones: a row that dies in between is listed twice, never not at all."""
    if wish.limit is None and wish.next is None:
        everything = _LIVE.rows(state.pk), _DEAD.rows(state.pk)
        return _answer(state, place, wish=wish, live=everything[0], dead=everything[1], rest=None)
    live: list[Row] = []
    if place.kind == "l":
        rows = _bounded(_of(state).live(), place, wish).newest_first()
        rows = rows if place.at == _TOP else rows.below(place.at, place.cid)
        live, more = _cut(rows, wish.limit)
        if more:
            rest = place._replace(at=live[-1][SORT_AT], cid=live[-1][CID])
            return _answer(state, place, wish=wish, live=live, dead=[], rest=rest)
        place = place._replace(kind="d", at=0, cid="")
    room = None if wish.limit is None else wish.limit - len(live)
    rows = _bounded(_of(state).buried(), place, wish).moved_after(place.at).in_commit_order()
    dead, more = _cut(rows, room)
    after = place._replace(at=dead[-1][SEQ] if dead else place.at)
    return _answer(state, place, wish=wish, live=live, dead=dead, rest=after if more else None)


def _of(state: SyncState) -> ConversationQuerySet:
    return Conversation.objects.owned_by(state.pk)


def _bounded(rows: ConversationQuerySet, place: Place, wish: Wish) -> ConversationQuerySet:
    """Bind pages to the state of the first; a list in one answer shows what is there when it is read."""
    paged = wish.limit is not None or wish.next is not None
    return rows.moved_up_to(place.through) if paged else rows


def _cut(rows: ConversationQuerySet, limit: int | None) -> tuple[list[Row], bool]:
    """Return at most `limit` rows and whether there are more."""
    if limit is None:
        return list(rows.values_list(*COLUMNS)), False
    got = list(rows.values_list(*COLUMNS)[: limit + 1])
    return got[:limit], len(got) > limit


def _answer(
    state: SyncState,
    place: Place,
    *,
    wish: Wish,
    live: list[Row],
    dead: list[Row],
    rest: Place | None,
) -> dict[str, Any]:
    listed = [summary(row[:WIDTH]) for row in live]
    if wish.bodies:
        for item, messages in zip(listed, _bodies(live), strict=True):
            item["messages"] = messages
    return {
        "conversations": listed,
        "deleted": [
            {"id": row[CID], "version": row[VERSION], "deletedAt": row[DELETED_AT]} for row in dead
        ],
        "cursor": f"v1.{state.epoch}.{place.through}",
        "epoch": state.epoch,
        "full": place.kind != "c",
        "next": str(rest) if rest else None,
    }


def _bodies(rows: list[Row]) -> Iterator[list[dict[str, Any]]]:
    """Yield the messages of each row, one conversation's images in memory at a time."""
    for row in rows:
        try:
            whole = _WHOLE.first(row[PK])
            yield full_messages(whole) if whole else []
        except Deleted:
            yield []  # it died while the list was made: the next delta says so
