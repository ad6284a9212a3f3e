"""From what a person typed to the call they seem to wish for: plain patterns, no understanding."""

import re
from typing import Any

from chat.llm import phrases
from chat.llm.situation import Situation

Call = tuple[str, dict[str, Any]]

_FILE = re.compile(r"[\w~./-]*\w\.[A-Za-z]\w{0,5}\b")
_QUOTED = re.compile(r"[\"“'`]([^\"”'`]{1,200})[\"”'`]")
_SEARCHED = re.compile(
    r"\bsearch(?:\s+(?:my\s+)?files)?(?:\s+for)?\s+(.+?)(?:\s+in\s+(?:my\s+)?(?:files|workspace))?[?.!]*$",
    re.IGNORECASE | re.DOTALL,
)
_IN_CHATS = re.compile(
    r"\b(?:find|search|look)(?:\s+for)?\s+(.*?)\s*\bin\s+(?:my\s+|the\s+|our\s+)?(?:earlier\s+|old\s+)?(?:chats?|conversations?|history)\b",
    re.IGNORECASE | re.DOTALL,
)
_FOLDER = re.compile(r"\bin\s+(?:the\s+folder\s+)?([\w.-]+(?:/[\w.-]+)*/?)", re.IGNORECASE)


def _file(now: Situation, *, otherwise: str) -> str:
    found = _FILE.search(now.typed)
    return found[0] if found else otherwise


def listing(now: Situation) -> Call:
    """List the folder that is named, else the workspace."""
    found = _FOLDER.search(now.typed)
    named = found is not None and found[1].lower() not in {
        "my",
        "the",
        "it",
        "there",
        "workspace",
        "files",
    }
    return "list_files", {"path": found[1].rstrip("/")} if found and named else {}


def searching(now: Situation) -> Call:
    """Search for what is quoted, else for what follows "search"."""
    found = _QUOTED.search(now.typed) or _SEARCHED.search(now.typed)
    return "search_files", {"query": found[1].strip() if found else "approve"}


def chats(now: Situation) -> Call:
    """Search the person's chats for what stands between "find" and "in my chats"."""
    found = _QUOTED.search(now.typed) or _IN_CHATS.search(now.typed)
    return "search_history", {"query": (found[1].strip() if found else "") or "demo"}


def writing(now: Situation) -> Call:
    """Write what follows a colon, or the packing list, or a note of the wish itself."""
    if re.search(r"packing", now.typed, re.IGNORECASE):
        return "write_file", {
            "path": _file(now, otherwise="lists/weekend.txt"),
            "content": phrases.PACKING_LIST,
        }
    _head, colon, rest = now.typed.partition(":")
    content = (
        rest.strip()
        if colon and rest.strip()
        else f"A note, written by the demo model.\n\nYou asked: {now.typed}"
    )
    return "write_file", {"path": _file(now, otherwise="notes/note.md"), "content": content + "\n"}


def moving(now: Situation) -> Call:
    """Move the first file that is named to the second."""
    paths = _FILE.findall(now.typed)
    source = paths[0] if paths else "README.txt"
    return "move_file", {
        "from": source,
        "to": paths[1] if len(paths) > 1 else f"archive/{source.rsplit('/', 1)[-1]}",
    }


def reading(now: Situation) -> Call:
    """Read the file that is named, else the note of a new workspace."""
    return "read_file", {"path": _file(now, otherwise="README.txt")}


def picture(now: Situation) -> Call:
    """Fetch the picture that is named, else that of a new workspace."""
    return "read_file", {"path": _file(now, otherwise="welcome.png")}


def deleting(now: Situation) -> Call:
    """Delete the file that is named, else the one the tour writes."""
    return "delete_file", {"path": _file(now, otherwise="notes/tour.md")}


def clock(_now: Situation) -> Call:
    """Ask for the time."""
    return "current_time", {}
