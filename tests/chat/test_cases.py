"""Every collected failure of other products (docs/cases.md) has a test that bears its number."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NUMBER = re.compile(r"_t(\d+)(?=_|$)")


def collected() -> set[int]:
    """Return the numbers that the page lists."""
    rows = (ROOT / "docs" / "cases.md").read_text().splitlines()
    return {int(found[1]) for row in rows if (found := re.match(r"\| T(\d+) \|", row))}


def borne() -> Iterator[int]:
    """Yield the numbers in the names of all tests."""
    for path in (ROOT / "tests").rglob("test_*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield from map(int, NUMBER.findall(node.name))


class TestCases:
    def test_are_all_there(self) -> None:
        assert len(collected()) == 87

    def test_have_a_test_each(self) -> None:
        assert collected() - set(borne()) == set()

    def test_are_borne_by_no_test_that_means_another(self) -> None:
        assert set(borne()) - collected() == set()
