"""docs/gate.md and docs/security.md name tests: each of them must be there."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def names() -> set[str]:
    found = set()
    for path in (ROOT / "tests").rglob("test_*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                found.add(node.name)
    return found


@pytest.mark.parametrize("page", ["gate.md", "security.md"])
class TestPages:
    def test_name_only_tests_that_are_there(self, page: str) -> None:
        named = set(re.findall(r"`(test_\w+)`", (ROOT / "docs" / page).read_text()))

        assert named - names() == set()
        assert named


class TestTheGatesPage:
    def test_gives_every_row_a_test(self) -> None:
        rows = [
            row
            for row in (ROOT / "docs" / "gate.md").read_text().splitlines()
            if row.startswith("| ") and "---" not in row and not row.endswith("| tests |")
        ]

        assert len(rows) == 26
        assert [row for row in rows if "`test_" not in row] == []
