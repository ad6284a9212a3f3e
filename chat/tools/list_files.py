"""list_files: what stands in one folder of the workspace."""

from collections.abc import Mapping
from typing import Any

from chat.tools import workspace
from chat.tools.base import Caller, Output, Tier, Tool
from chat.tools.descent import Found
from chat.visible import visible_line

MAX_ENTRIES = 1000


def _run(args: Mapping[str, Any], caller: Caller) -> Output:
    found = workspace.of(caller.user_id).entries(args.get("path", ""))
    lines = [_line(entry) for entry in found[:MAX_ENTRIES]]
    if len(found) > MAX_ENTRIES:
        lines.append(f"[… {len(found) - MAX_ENTRIES:,} more entries left out …]")
    return Output(text="\n".join(lines) or "(the folder is empty)")


def _line(entry: Found) -> str:
    path = visible_line("/".join(entry.names))
    if entry.is_folder:
        return f"{path}/"
    return (
        f"{path}  {entry.info.st_size:,} bytes"
        if entry.is_file
        else f"{path}  (a link or device, out of reach)"
    )


LIST_FILES = Tool(
    name="list_files",
    description=(
        "List one folder of the person's workspace: one entry a line, files with their size in bytes, folders with a "
        "slash at the end. The paths can be given to the other workspace tools as they are. Not recursive: list a "
        "folder to see what it holds."
    ),
    input_schema={
        "type": "object",
        "properties": {
            "path": {
                "type": "string",
                "description": "The folder, relative to the workspace, like notes or notes/2026. Leave it out for the workspace itself.",
            }
        },
        "additionalProperties": False,
    },
    run=_run,
    tier=Tier.READ_ONLY,
)
