"""The one clock of the edges; below them the time is a parameter called `now`."""

import time


def now_ms() -> int:
    """Return the time in whole milliseconds since 1970."""
    return time.time_ns() // 1_000_000
