"""A JSON column that keeps its text verbatim on both databases.

PostgreSQL's jsonb reorders keys, turns 1e16 into an integer and refuses U+0000; a text column does none of it.
"""

import json
from typing import TYPE_CHECKING, Any

from django.db import models
from django.db.backends.base.base import BaseDatabaseWrapper


class JSONText(str):
    """JSON that is serialised already, so that the work can be done before a lock is taken."""

    __slots__ = ()


def dump(value: Any) -> JSONText:
    """Serialise as compactly as JSON allows. Raises ValueError for NaN and infinity.

    A lone surrogate cannot be encoded as UTF-8, so such a text is written in ASCII escapes.
    """
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    try:
        text.encode()
    except UnicodeEncodeError:
        text = json.dumps(value, allow_nan=False, separators=(",", ":"))
    return JSONText(text)


if TYPE_CHECKING:
    _TextOfAny = models.TextField[Any, Any]
else:
    _TextOfAny = models.TextField


class VerbatimJSONField(_TextOfAny):
    """Holds any JSON value and gives it back equal: key order, int or float, and U+0000 included."""

    _pyi_private_set_type: Any
    _pyi_private_get_type: Any

    def from_db_value(
        self, value: str | None, _expression: Any, _connection: BaseDatabaseWrapper
    ) -> Any:
        if value == "{}":
            return {}  # most settings: a list of many conversations is read without a parser
        return None if value is None else json.loads(value)

    def to_python(self, value: Any) -> Any:
        """Values are Python values already; a string is a JSON string, not JSON text."""
        return value

    def get_prep_value(self, value: Any) -> str | None:
        if value is None:
            return None
        return str(value) if isinstance(value, JSONText) else str(dump(value))

    def value_to_string(self, obj: models.Model) -> Any:
        """Give fixtures (dumpdata) the value itself; they are JSON and keep the order of keys."""
        return self.value_from_object(obj)
