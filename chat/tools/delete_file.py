"""delete_file: take a file or an empty folder out of the workspace for good. Changes state."""

from collections.abc import Mapping
from typing import Any

from chat.tools import workspace
from chat.tools.base import Caller, Output, Tool


def _run(args: Mapping[str, Any], caller: Caller) -> Output:
    was_folder = workspace.of(caller.user_id).delete(args["path"])
    return Output(text="Deleted the empty folder." if was_folder else "Deleted the file.")


DELETE_FILE = Tool(
    name="delete_file",
    description=(
        "Delete one file, or one empty folder, of the person's workspace. It cannot be undone. A folder that holds "
        "something is not deleted: delete what it holds first. The person is asked before it runs."
    ),
    input_schema={
        "type": "object",
        "properties": {
            "path": {
                "type": "string",
                "description": "The file or empty folder, relative to the workspace.",
            }
        },
        "required": ["path"],
        "additionalProperties": False,
    },
    run=_run,
)
