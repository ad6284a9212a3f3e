"""Which paths a tool may name: pure rules, judged before anything is touched.

A path is relative, uses `/`, and holds only names that mean the same on every system and look like what they are.
Messages name the field, never its value.
"""

import re
import unicodedata

from chat.tools.base import ToolFailed
from chat.visible import is_hidden

MAX_PATH = 1024
MAX_NAME = 200
"""Bytes of UTF-8; below the 255 of common file systems, so that a copy elsewhere still fits."""
HOUSE = ".kenny"
"""The folder's own room for locks and unfinished files; no path may name it."""

_DEVICE = re.compile(r"(con|prn|aux|nul|com[0-9]|lpt[0-9])\s*(\..*)?", re.IGNORECASE | re.DOTALL)


def parts(path: str, *, field: str = "path") -> tuple[str, ...]:
    """Return the names of `path` in NFC, `()` for the workspace itself. Raises ToolFailed.

    `.` and a trailing slash are understood; everything else that is no plain name is refused, not repaired: what
    was approved is what runs.
    """
    if len(path) > MAX_PATH:
        raise ToolFailed(f"`{field}` is too long: {MAX_PATH} characters at most.")
    if path.startswith(("/", "~")):
        raise ToolFailed(f"`{field}` must be relative to the workspace, without a leading / or ~.")
    if not path:
        return ()
    return tuple(
        _name(name, field=field) for name in path.removesuffix("/").split("/") if name != "."
    )


def key(name: str) -> str:
    """Return what two names share that some file system or some reader takes for the same."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())


def _name(given: str, *, field: str) -> str:
    name = unicodedata.normalize("NFC", given)
    folded = key(name)
    for wrong, why in (
        (not name, "has an empty part"),
        (name == "..", "may not lead upwards with `..`"),
        ("\\" in name or ":" in name, "may not hold a backslash or a colon"),
        (any(is_hidden(char) for char in name), "holds a control or invisible character"),
        ("\n" in name or "\t" in name, "holds a control or invisible character"),
        (
            any(char in folded for char in "/\\") or folded in {".", ".."},
            "holds look-alikes of `/` or `..`",
        ),
        (
            name != name.strip() or name.endswith("."),
            "has a part that begins or ends in a space or ends in a dot",
        ),
        (_DEVICE.fullmatch(folded) is not None or folded == HOUSE, "uses a reserved name"),
        (len(name.encode(errors="replace")) > MAX_NAME, f"has a part longer than {MAX_NAME} bytes"),
    ):
        if wrong:
            raise ToolFailed(f"`{field}` {why}.")
    return name
