"""Reading a tool's arguments from the text the model wrote, and nothing that could be read in two ways."""

import json
import math
from typing import Any, NoReturn

MAX_DEPTH = 48
"""Levels of nesting; a stored conversation may have 64 in all, and a call stands four levels down in it."""


class Unreadable(ValueError):
    """The text is not one JSON object; the message says why and holds none of it."""


def arguments(raw: str) -> dict[str, Any]:
    """Return the object in `raw`. Raises Unreadable for anything that could not be stored and sent again unchanged.

    Refused are other values than an object, a key that comes twice, NaN and infinity, numbers too large to be held,
    half surrogate pairs and nesting deeper than MAX_DEPTH.
    """
    try:
        value = json.loads(
            raw, object_pairs_hook=_unique, parse_constant=_no_constant, parse_float=_finite
        )
    except Unreadable:
        raise
    except RecursionError:
        raise Unreadable("nested too deeply") from None
    except ValueError:
        raise Unreadable("not valid JSON") from None
    if not isinstance(value, dict):
        raise Unreadable("not a JSON object")
    _check(value, depth=1)
    return value


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise Unreadable("a key comes twice")
    return found


def _no_constant(_name: str) -> NoReturn:
    raise Unreadable("a number that is not finite")


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise Unreadable("a number that is not finite")
    return number


def _check(value: object, *, depth: int) -> None:
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError:
            raise Unreadable("half of a surrogate pair") from None
        return
    if not isinstance(value, (dict, list)):
        return
    if depth > MAX_DEPTH:
        raise Unreadable("nested too deeply")
    for item in value:
        _check(item, depth=depth + 1)
        if isinstance(value, dict):
            _check(value[item], depth=depth + 1)
