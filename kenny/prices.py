"""What a million tokens cost, in US dollars: the list prices of known models, and what KENNY_PRICES says instead.

A model that stands in no row is billed like the dearest one, so that a budget in money is never passed by unseen.
"""

import json
from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from typing import Any

from django.core.exceptions import ImproperlyConfigured

from kenny import environment

Row = Mapping[str, Decimal]
KINDS = ("input", "output", "cacheWrite", "cacheRead")
"""Cache writes are those that last five minutes, the only ones kenny asks for."""

_LIST = {
    # name: input, output, a cache read; writing the cache costs a quarter more than input
    "claude-fable-5-1": ("10", "50", "0.25"),
    "claude-fable-5-2": ("10", "50", "0.25"),
    "claude-fable-5": ("10", "50", "1"),
    "claude-mythos-5-1": ("10", "50", "0.25"),
    "claude-mythos-5-2": ("10", "50", "0.25"),
    "claude-mythos-5": ("10", "50", "1"),
    "claude-opus-5-5": ("4", "20", "0.20"),
    "claude-opus-5": ("5", "25", "0.50"),
    "claude-opus-4": ("5", "25", "0.50"),
    "claude-sonnet-5-5": ("2", "10", "0.10"),
    "claude-sonnet-5": ("2", "10", "0.20"),
    "claude-sonnet-4": ("3", "15", "0.30"),
    "claude-haiku-5-5": ("0.10", "0.50", "0.01"),
    "claude-haiku-4": ("1", "5", "0.10"),
    "demo": ("0", "0", "0"),
}


def table(name: str) -> dict[str, Row]:
    """Return the rows by model (or the beginning of its name), the environment's over the list's.

    The variable is a JSON object like {"claude-x": {"input": 2, "output": 10}}; a row without the cache's prices gets
    1.25 and 0.1 times its input. Raises ImproperlyConfigured.
    """
    rows = {
        model: _row(input=Decimal(i), output=Decimal(o), cacheRead=Decimal(r))
        for model, (i, o, r) in _LIST.items()
    }
    return rows | {model: _given(name, row) for model, row in _read(name).items()}


def _row(**given: Decimal) -> Row:
    cached = {
        "cacheWrite": given["input"] * Decimal("1.25"),
        "cacheRead": given["input"] / Decimal(10),
    }
    return cached | given


def _read(name: str) -> dict[str, Any]:
    text = environment.text(name)
    if not text:
        return {}
    try:
        read = json.loads(text, parse_float=Decimal, parse_int=Decimal)
    except (ValueError, InvalidOperation, RecursionError):
        read = None
    if not isinstance(read, dict):
        raise _wrong(name)
    return read


def _given(name: str, row: object) -> Row:
    if not isinstance(row, dict) or not {"input", "output"} <= set(row) <= set(KINDS):
        raise _wrong(name)
    if not all(isinstance(price, Decimal) and 0 <= price < 1_000_000 for price in row.values()):
        raise _wrong(name)
    return _row(**row)


def _wrong(name: str) -> ImproperlyConfigured:
    return ImproperlyConfigured(
        f'{name} must be a JSON object such as {{"claude-x": {{"input": 2, "output": 10}}}}, '
        "dollars per million tokens; cacheWrite and cacheRead may stand beside them."
    )
