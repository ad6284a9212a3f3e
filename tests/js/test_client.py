"""Rules of the browser client that its source can tell, and its own tests and types where node is at hand."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CLIENT = ROOT / "chat/static/chat"
MODULES = sorted(CLIENT.rglob("*.js"))
IMPORT = re.compile(r'^import (?:[^"]* from )?"(\.[^"]+)"(;?)$', re.MULTILINE)


def imports(path: Path) -> list[Path]:
    return [(path.parent / name).resolve() for name, _ in IMPORT.findall(path.read_text())]


class TestModules:
    @pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(CLIENT)))
    def test_are_short_and_know_no_markup(self, path: Path) -> None:
        text = path.read_text()

        assert text.count("\n") <= 120
        assert not re.search(
            r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|eval\(|new Function",
            text,
        )
        assert all(semicolon for _, semicolon in IMPORT.findall(text))

    def test_are_reached_within_four_imports(self) -> None:
        level = {CLIENT / "main.js": 0}
        todo = [CLIENT / "main.js"]
        for path in todo:
            for found in imports(path):
                if found not in level:
                    level[found] = level[path] + 1
                    todo.append(found)

        assert set(level) == set(MODULES)
        assert max(level.values()) <= 4

    @pytest.mark.parametrize(
        "path", sorted((CLIENT / "core").glob("*.js")), ids=lambda path: path.name
    )
    def test_of_the_core_know_no_page_no_clock_and_no_chance(self, path: Path) -> None:
        text = path.read_text()

        assert all(found.parent == CLIENT / "core" for found in imports(path))
        assert not re.search(
            r"\b(document|window|fetch|localStorage|navigator|setTimeout)\b[.(]|Date\.now|Math\.random|new Date\(\)",
            text,
        )


@pytest.mark.skipif(shutil.which("node") is None, reason="needs node")
class TestNode:
    def test_the_core_passes_its_own_tests(self) -> None:
        tests = sorted(str(path) for path in Path(__file__).parent.glob("*.test.js"))

        done = subprocess.run(
            ["node", "--test", *tests],
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

        assert done.returncode == 0, done.stdout[-5000:]
