"""What a client sent, once it has been read: the values of a write and the conditions on it."""

from dataclasses import dataclass, field
from typing import Any

from history.errors import Conflict
from history.facts import Facts
from history.models import Conversation
from history.prepared import Prepared


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """The values of a PUT, POST or PATCH. What was left out stands nowhere here; times of 0 count as left out.

    `columns` are those of `Conversation` (title, agent_id, settings, pinned, archived), checked already; `facts` come
    with an import alone.
    """

    columns: dict[str, Any] = field(default_factory=dict)
    created_at: int = 0
    updated_at: int = 0
    ready: Prepared | None = None
    facts: Facts = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Conditions:
    """`If-Match` as a list of entity tags (`*` among them for any), None without it; `If-None-Match: *` as `create`."""

    match: tuple[str, ...] | None = None
    create: bool = False

    def check(self, row: Conversation | None) -> None:
        """Raise Conflict unless the conditions hold; the comparison is the strong one, so a weak tag never matches."""
        if self.create and row is not None:
            raise _conflict(row)
        if self.match is not None and (row is None or not {"*", row.etag} & set(self.match)):
            raise _conflict(row)


ALWAYS = Conditions()
"""No condition: the last writer wins."""


def _conflict(row: Conversation | None) -> Conflict:
    return Conflict(version=row.version if row else None, etag=row.etag if row else None)
