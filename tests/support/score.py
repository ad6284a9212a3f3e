"""Print the mutation score of a finished `mutmut run`, by file and as a whole; exit 1 below the bound.

`python -m tests.support.score` after `mutmut run`. A mutant that made the tests hang is killed as well; one that no
test reaches has survived; one that was not tried, as only some were asked for, does not count and is named.
"""

import json
import sys
from collections import Counter
from pathlib import Path

from mutmut.stats import status_by_exit_code

BOUND = 85.0
KILLED = {"killed", "timeout"}


def tallies(folder: Path) -> dict[str, Counter[str]]:
    """Return for each mutated file how many mutants were "killed", "alive" and "untried"."""
    found = {}
    for meta in sorted(folder.rglob("*.py.meta")):
        codes = json.loads(meta.read_text())["exit_code_by_key"].values()
        name = str(meta.relative_to(folder)).removesuffix(".meta")
        found[name] = Counter(verdict(status_by_exit_code[code]) for code in codes)
    return found


def verdict(status: str) -> str:
    if status == "not checked":
        return "untried"
    return "killed" if status in KILLED else "alive"


def line(name: str, tally: Counter[str]) -> str:
    tried = tally["killed"] + tally["alive"]
    untried = f", {tally['untried']} not tried" if tally["untried"] else ""
    return f"{name:32} {tally['killed']:5} of {tried:5} {percent(tally):6.1f} %{untried}"


def percent(tally: Counter[str]) -> float:
    return 100 * tally["killed"] / max(1, tally["killed"] + tally["alive"])


def main() -> int:
    by_file = tallies(Path("mutants"))
    if not by_file:
        print("there is no result: run mutmut first")
        return 1
    for name, tally in by_file.items():
        print(line(name, tally))
    whole = sum(by_file.values(), Counter[str]())
    print(line("mutation score", whole))
    return 0 if percent(whole) >= BOUND else 1


if __name__ == "__main__":
    sys.exit(main())
