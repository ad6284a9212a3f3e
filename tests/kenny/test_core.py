"""`make coverage` and `make mutants` look at the same files: those that stand behind five names, and all of them."""

import configparser
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NAMES = {"chat/loop.py", "chat/gate.py", "chat/turns.py", "history/messages.py", "history/store.py"}
ONLY_NAMES = {"history/messages.py", "history/rules.py"}
"""Without a function that could be changed."""


def measured() -> set[str]:
    config = configparser.ConfigParser()
    config.read(ROOT / "tests" / "core.coveragerc")
    return set(config["run"]["include"].split())


def mutated() -> set[str]:
    config = tomllib.loads((ROOT / "pyproject.toml").read_text())
    return set(config["tool"]["mutmut"]["only_mutate"])


def behind(door: str) -> set[str]:
    """Return the modules of history that a door takes its names from."""
    words = (ROOT / door).read_text().replace("from history import ", "from history.").split()
    found = {word.rstrip(",") for word in words if word.startswith("history.")}
    return {f"{name.replace('.', '/')}.py" for name in found}


class TestTheCore:
    def test_is_measured_and_mutated_alike(self) -> None:
        assert measured() - mutated() == ONLY_NAMES
        assert mutated() <= measured()

    def test_holds_what_stands_behind_its_names(self) -> None:
        assert measured() >= NAMES
        for door in ("history/messages.py", "history/store.py"):
            missing = behind(door) - measured() - {"history/models.py"}
            assert missing == set(), door

    def test_is_there_and_so_are_its_tests(self) -> None:
        listed = (ROOT / "tests" / "core.txt").read_text().split()
        assert [path for path in [*measured(), *listed] if not (ROOT / path).is_file()] == []
