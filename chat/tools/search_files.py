"""search_files: lines of the workspace's text files that hold some words."""

import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from chat.tools import workspace
from chat.tools.base import Caller, Output, Tier, Tool, ToolFailed
from chat.tools.read_file import is_binary
from chat.tools.workspace import File
from chat.visible import visible_line

MAX_HITS = 200
MAX_SECONDS = 5.0
MAX_FILE = 5 * 1024 * 1024
"""Bytes of one file that are looked at."""
_SNIPPET = 160
_BEFORE = 60


def _run(args: Mapping[str, Any], caller: Caller) -> Output:
    wanted = args["query"].casefold()
    if not wanted.strip():
        raise ToolFailed("`query` needs something to look for.")
    files = workspace.of(caller.user_id).files(args.get("path", ""), limit=MAX_FILE)
    return Output(text=search(files, wanted=wanted, clock=time.monotonic))


def search(files: Iterator[tuple[str, File]], *, wanted: str, clock: Callable[[], float]) -> str:
    """Return `path:line: text` for each line that holds `wanted` (casefolded), and what was left out, and why."""
    hits: list[str] = []
    notes: list[str] = []
    until = clock() + MAX_SECONDS
    for path, file in files:
        if clock() > until:
            notes.append(
                f"[… stopped after {MAX_SECONDS:.0f} seconds; search in a folder to see the rest …]"
            )
            break
        if file.size > len(file.data):
            notes.append(
                f"[… {visible_line(path)}: only its first {MAX_FILE:,} bytes were searched …]"
            )
        hits += _hits(path, file.data, wanted=wanted, room=MAX_HITS - len(hits))
        if len(hits) >= MAX_HITS:
            notes.append(f"[… stopped after {MAX_HITS} hits; look for something rarer …]")
            break
    return "\n".join([*(hits or ["(no hits)"]), *notes])


def _hits(path: str, data: bytes, *, wanted: str, room: int) -> list[str]:
    if is_binary(data[:8192]):
        return []
    text = data.decode(errors="replace")
    if wanted not in text.casefold():
        return []
    found: list[str] = []
    for number, line in enumerate(text.split("\n"), start=1):
        at = line.casefold().find(wanted)
        if at >= 0 and len(found) < room:
            found.append(f"{visible_line(path)}:{number}: {_snippet(line, at)}")
    return found


def _snippet(line: str, at: int) -> str:
    """Return the part of a line around `at`, a position in its casefolded form, which may be the longer one."""
    begin = max(0, min(at, len(line)) - _BEFORE) if len(line) > _SNIPPET else 0
    cut = line[begin : begin + _SNIPPET].strip()
    return f"{'…' if begin else ''}{cut}{'…' if begin + _SNIPPET < len(line) else ''}"


SEARCH_FILES = Tool(
    name="search_files",
    description=(
        "Find lines in the text files of the person's workspace that hold the given words exactly as one piece of text, "
        "upper and lower case alike. Answers with path:line: text for each hit. No wildcards and no regular expressions."
    ),
    input_schema={
        "type": "object",
        "properties": {
            "query": {"type": "string", "description": "The text to look for, within one line."},
            "path": {
                "type": "string",
                "description": "A folder or file to search in, relative to the workspace. Leave it out to search all of it.",
            },
        },
        "required": ["query"],
        "additionalProperties": False,
    },
    run=_run,
    tier=Tier.READ_ONLY,
)
