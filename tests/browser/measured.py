"""Measures a page by measuring.js, which stands beside this file."""

from pathlib import Path
from typing import Any

from playwright.sync_api import Page

MEASURING = Path(__file__).with_name("measuring.js").read_text()


def measured(page: Page, what: str) -> Any:
    """Return what a function of measuring.js says of the page, called as `what` says."""
    return page.evaluate(f"({MEASURING}).{what}")


def amiss(page: Page, *, least: int = 24) -> list[str]:
    """Return what is cut, covered, laid over other words, too small to hit, or wider than the window."""
    calls = ("cut()", "wide()", "overlaps()", "covered()", f"small({least})")
    return [f"{call}: {found}" for call in calls for found in measured(page, call)]
