"""From the API's own figures to tokens and money. Pure.

A price in dollars per million tokens is the same number as millionths of a dollar per token.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal

Row = Mapping[str, Decimal]
_KINDS = (
    # field here, the API's name in `usage`, the price table's
    ("input", "input_tokens", "input"),
    ("output", "output_tokens", "output"),
    ("cache_write", "cache_creation_input_tokens", "cacheWrite"),
    ("cache_read", "cache_read_input_tokens", "cacheRead"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tokens:
    """Tokens by what they are billed as."""

    input: int = 0
    output: int = 0
    cache_write: int = 0
    cache_read: int = 0

    @property
    def total(self) -> int:
        return self.input + self.output + self.cache_write + self.cache_read

    def columns(self) -> dict[str, int]:
        return {field: getattr(self, field) for field, _, _ in _KINDS}


def tokens_of(usage: Mapping[str, int], *, before: Mapping[str, int]) -> Tokens:
    """Return what a usage counts beyond an earlier one; never less than nothing."""
    return Tokens(
        **{field: max(0, usage.get(name, 0) - before.get(name, 0)) for field, name, _ in _KINDS}
    )


def cost(tokens: Tokens, *, model: str, prices: Mapping[str, Row]) -> int:
    """Return millionths of a dollar, rounded up."""
    row = row_of(model, prices)
    exact = sum(
        (getattr(tokens, field) * row[price] for field, _, price in _KINDS), start=Decimal(0)
    )
    return int(exact.to_integral_value(rounding=ROUND_CEILING))


def row_of(model: str, prices: Mapping[str, Row]) -> Row:
    """Return the row of a model: its own, else the longest name it begins with, else the dearest one."""
    names = [name for name in prices if model == name or model.startswith(f"{name}-")]
    if names:
        return prices[max(names, key=len)]
    return max(prices.values(), key=lambda row: row["output"])
