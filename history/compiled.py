"""Queries of one shape, compiled once: the ORM writes the same SQL anew at every call, which takes most of its time.

Measured at a save of one message: half of its 8,700 Python calls went into the text of five queries that never change.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Generic, TypeVar

from django.db import connection, models

Row = tuple[Any, ...]
M = TypeVar("M", bound=models.Model)


class Compiled(Generic[M]):
    """A query of which nothing moves but some values.

    `make` returns it for the values in `like`, which must be unlike each other and unlike anything else in the query;
    wherever one of them stands, the value of a call stands later. Values are sent as they are.
    """

    def __init__(
        self, make: Callable[..., "models.QuerySet[M, Any]"], *, like: Sequence[Any]
    ) -> None:
        self._make, self._like = make, tuple(like)
        self._texts: dict[str, _Text] = {}

    def rows(self, *values: Any) -> list[Row]:
        """Return all rows, each value as the ORM would return it."""
        return self._text().rows(values)

    def first(self, *values: Any) -> M | None:
        """Return the first row as an object; columns that the query leaves out are loaded when they are asked for."""
        text = self._text()
        found = text.rows(values)
        return text.model.from_db(connection.alias, text.names, found[0]) if found else None

    def _text(self) -> "_Text":
        text = self._texts.get(connection.vendor)
        if text is None:
            made = self._make(*self._like)
            text = self._texts[connection.vendor] = _Text(made, self._like)
        return text


class _Text:
    """SQL as one database takes it, and what makes Python's values of its answers."""

    def __init__(self, made: "models.QuerySet[Any, Any]", like: Row) -> None:
        compiler = made.query.get_compiler(connection=connection)
        self.model: Any = made.model
        self.sql, params = compiler.as_sql()
        self.names = [column[0].target.attname for column in compiler.select]
        # For each parameter: which value of a call stands here, or -1 and what always does.
        self._params = [(like.index(it), None) if it in like else (-1, it) for it in params]
        columns = [column[0] for column in compiler.select]
        found = compiler.get_converters(columns)
        self._converters = [(at, converters, column) for at, (converters, column) in found.items()]

    def rows(self, values: Row) -> list[Row]:
        params = [fixed if at < 0 else values[at] for at, fixed in self._params]
        with connection.cursor() as cursor:
            cursor.execute(self.sql, params)
            found = cursor.fetchall()
        return list(map(self._converted, found)) if self._converters else found

    def _converted(self, row: Iterable[Any]) -> Row:
        values = list(row)
        for at, converters, column in self._converters:
            for convert in converters:
                values[at] = convert(values[at], column, connection)
        return tuple(values)
