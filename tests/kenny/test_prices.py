"""The price table: what is known, what the operator says, what stops the start."""

from decimal import Decimal

import pytest
from django.core.exceptions import ImproperlyConfigured

from chat.pricing import Tokens, cost, row_of, tokens_of
from kenny import environment, prices

NAME = "KENNY_TESTED"


def table(monkeypatch: pytest.MonkeyPatch, text: str = "") -> dict[str, prices.Row]:
    environment._env.ENVIRON.files_cache.clear()
    monkeypatch.setenv(NAME, text)
    return prices.table(NAME)


class TestTable:
    def test_knows_list_prices_of_every_kind(self, monkeypatch: pytest.MonkeyPatch) -> None:
        row = table(monkeypatch)["claude-sonnet-5-5"]

        assert row == {
            "input": Decimal(2),
            "output": Decimal(10),
            "cacheWrite": Decimal("2.5"),
            "cacheRead": Decimal("0.10"),
        }

    def test_takes_the_operators_rows_over_its_own(self, monkeypatch: pytest.MonkeyPatch) -> None:
        given = '{"claude-sonnet-5-5": {"input": 1.5, "output": 6}, "own": {"input": 8, "output": 9, "cacheRead": 0}}'

        rows = table(monkeypatch, given)

        assert rows["claude-sonnet-5-5"]["cacheWrite"] == Decimal("1.875")
        assert rows["own"]["cacheRead"] == 0
        assert rows["own"]["cacheWrite"] == 10
        assert "claude-opus-5-5" in rows

    @pytest.mark.parametrize(
        "text",
        [
            "[]", "{", "7", '{"a": 1}', '{"a": {"input": 1}}', '{"a": {"input": "1", "output": 1}}',
            '{"a": {"input": -1, "output": 1}}', '{"a": {"input": 1, "output": 1, "more": 1}}',
            '{"a": {"input": NaN, "output": 1}}', '{"a": {"input": true, "output": 1}}',
            '{"a": {"input": 1e9, "output": 1}}',
        ],
    )  # fmt: skip
    def test_stops_the_start_with_a_line_that_names_the_variable(
        self, monkeypatch: pytest.MonkeyPatch, text: str
    ) -> None:
        with pytest.raises(ImproperlyConfigured, match=f"^{NAME} must be a JSON object"):
            table(monkeypatch, text)


class TestCost:
    TOKENS = Tokens(input=1_000_000, output=100_000, cache_write=200_000, cache_read=3_000_000)

    def test_counts_every_kind_at_its_own_price(self, monkeypatch: pytest.MonkeyPatch) -> None:
        found = cost(self.TOKENS, model="claude-sonnet-5-5", prices=table(monkeypatch))

        assert found == 2_000_000 + 1_000_000 + 500_000 + 300_000

    def test_is_rounded_up(self, monkeypatch: pytest.MonkeyPatch) -> None:
        found = cost(Tokens(cache_read=1), model="claude-sonnet-5-5", prices=table(monkeypatch))

        assert found == 1

    @pytest.mark.parametrize(
        ("model", "output"),
        [
            ("claude-opus-4-5-20251101", 25),
            ("claude-opus-5-5-20260101", 20),
            ("claude-opus-5", 25),
            ("claude-haiku-5-5", Decimal("0.50")),
            ("something-nobody-knows", 50),
            ("demo", 0),
        ],
    )
    def test_finds_the_closest_row_and_bills_the_unknown_like_the_dearest(
        self, monkeypatch: pytest.MonkeyPatch, model: str, output: Decimal
    ) -> None:
        assert row_of(model, table(monkeypatch))["output"] == output

    def test_counts_what_is_new_only(self) -> None:
        usage = {"input_tokens": 5, "output_tokens": 7, "contextTokens": 12}

        assert tokens_of(usage, before={"input_tokens": 5, "output_tokens": 9}) == Tokens()
        assert tokens_of(usage, before={"input_tokens": 1}).total == 11
