"""Taking named values out of a JSON object, strictly."""

import re
from typing import Any

from history.errors import BadRequest, InvalidId, UnknownField

ID = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,127}")
MAX_COUNT = 2**53


class Reader:
    """Takes named values out of a JSON object and refuses what is left over; errors name fields, never values."""

    def __init__(self, body: object) -> None:
        if not isinstance(body, dict):
            raise BadRequest("The body must be a JSON object.")
        self._body: dict[str, Any] = body
        self._taken: set[str] = set()

    def take(self, name: str, kind: type, *, required: bool = False) -> Any:
        """Return the value, or None when it is absent or null. bool is no int here."""
        self._taken.add(name)
        value = self._body.get(name)
        if value is None:
            if required:
                raise BadRequest(f"{name} is required.")
            return None
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            raise BadRequest(f"{name} is of the wrong type.")
        return value

    def take_id(self, name: str, *, required: bool = False) -> str | None:
        value: str | None = self.take(name, str, required=required)
        if value is not None and not ID.fullmatch(value):
            raise InvalidId(
                f"{name} may hold letters, digits, dot, dash and underscore, 128 at most."
            )
        return value

    def take_count(self, name: str) -> int | None:
        value: int | None = self.take(name, int)
        if value is not None and not 0 <= value < MAX_COUNT:
            raise BadRequest(f"{name} is out of range.")
        return value

    def finish(self) -> None:
        extra = sorted(set(self._body) - self._taken)
        if extra:
            raise UnknownField(
                "Unknown fields: " + ", ".join(name[:40] for name in extra[:10]),
                fields=[name[:40] for name in extra[:10]],
            )
