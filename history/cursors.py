"""The feed's positions as clients hold them: opaque to them, read leniently, never an error."""

import re
from typing import Literal, NamedTuple, Self

from history.models import SyncState

Doubt = Literal["cursor_expired", "cursor_ahead", "epoch_changed", "cursor_invalid"]
"""Why a position cannot be honoured. Nothing is ever pruned, so `cursor_expired` is not given today."""

_CURSOR = re.compile(r"v1\.([0-9a-z]{1,32})\.([0-9]{1,18})", re.ASCII)
_PLACE = re.compile(
    r"p1\.([0-9a-z]{1,32})\.([0-9]{1,18})\.([ldcq])\.([0-9]{1,18})\.([A-Za-z0-9._-]{0,128})",
    re.ASCII,
)

Kind = Literal["l", "d", "c", "q"]
"""Which list a page goes on with: live rows, tombstones, changes, or hits of a search."""


class Cursor(NamedTuple):
    """Everything up to `seq` of this epoch has been seen."""

    epoch: str
    seq: int

    @classmethod
    def parse(cls, text: str) -> Self | None:
        found = _CURSOR.fullmatch(text)
        return cls(found[1], int(found[2])) if found else None

    def doubt(self, state: SyncState) -> Doubt | None:
        """Say why this position cannot be honoured, None if it can."""
        if self.epoch != state.epoch:
            return "epoch_changed"
        return "cursor_ahead" if self.seq > state.last_seq else None


class Place(NamedTuple):
    """Where the next page of a list begins. `through` is the state of the first page: it bounds all of them."""

    epoch: str
    through: int
    kind: str
    at: int
    cid: str

    @classmethod
    def parse(cls, text: str) -> Self | None:
        found = _PLACE.fullmatch(text)
        return cls(found[1], int(found[2]), found[3], int(found[4]), found[5]) if found else None

    def __str__(self) -> str:
        return ".".join(["p1", self.epoch, str(self.through), self.kind, str(self.at), self.cid])

    @property
    def cursor(self) -> Cursor:
        return Cursor(self.epoch, self.through)
