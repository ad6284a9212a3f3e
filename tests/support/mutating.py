"""A plugin of pytest for `make mutants`: each process has a database of its own, copied from one that was made once.

A mutant's tests are ended in the middle when they hang, and would leave their rows to all later ones.
"""

import os
import sqlite3
from pathlib import Path

import pytest
from django.conf import settings


def _databases() -> tuple[Path, Path]:
    """Return the file that is copied and this process's own."""
    folder = Path(settings.KENNY_DATA_DIR)
    return folder / "template.sqlite3", folder / f"tests-{os.getpid()}.sqlite3"


@pytest.hookimpl(tryfirst=True)
def pytest_sessionstart() -> None:
    template, own = _databases()
    settings.DATABASES["default"]["TEST"]["NAME"] = str(own)
    if template.exists():
        _copy(template, own)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish() -> None:
    template, own = _databases()
    if own.exists() and not template.exists():
        made = own.with_suffix(".copy")
        _copy(own, made)
        made.replace(template)
    for left in own.parent.glob(f"{own.name}*"):
        left.unlink()


def _copy(source: Path, target: Path) -> None:
    """Copy a database as it stands, whoever has it open."""
    with sqlite3.connect(source) as file:
        file.execute("VACUUM INTO ?", [str(target)])
    file.close()
