"""Print the mutation score of a finished `mutmut run`, by file and as a whole; exit 1 below the bound.

`python -m tests.support.score` after `mutmut run`. A mutant that made the tests hang is killed as well; one that no
test reaches has survived.
"""

import json
import sys
from collections import Counter
from pathlib import Path

from mutmut.stats import status_by_exit_code

BOUND = 85.0
KILLED = {"killed", "timeout"}


def tallies(folder: Path) -> dict[str, Counter[bool]]:
    """Return for each mutated file how many mutants were killed (True) and not (False)."""
    found = {}
    for meta in sorted(folder.rglob("*.py.meta")):
        codes = json.loads(meta.read_text())["exit_code_by_key"].values()
        if codes:
            name = str(meta.relative_to(folder)).removesuffix(".meta")
            found[name] = Counter(status_by_exit_code[code] in KILLED for code in codes)
    return found


def percent(tally: Counter[bool]) -> float:
    return 100 * tally[True] / tally.total()


def main() -> int:
    by_file = tallies(Path("mutants"))
    if not by_file:
        print("there is no result: run mutmut first")
        return 1
    for name, tally in by_file.items():
        print(f"{name:32} {tally[True]:5} of {tally.total():5} {percent(tally):6.1f} %")
    whole = sum(by_file.values(), Counter[bool]())
    print(f"{'mutation score':32} {whole[True]:5} of {whole.total():5} {percent(whole):6.1f} %")
    return 0 if percent(whole) >= BOUND else 1


if __name__ == "__main__":
    sys.exit(main())
