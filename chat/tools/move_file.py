"""move_file: give a file or folder of the workspace another path. Changes state."""

from collections.abc import Mapping
from typing import Any

from chat.tools import workspace
from chat.tools.base import Caller, Output, Tool


def _run(args: Mapping[str, Any], caller: Caller) -> Output:
    workspace.of(caller.user_id).move(args["from"], args["to"])
    return Output(text="Moved.")


MOVE_FILE = Tool(
    name="move_file",
    description=(
        "Move or rename a file or a folder within the person's workspace. Missing folders on the way are made; nothing is "
        "ever overwritten: if something is at the new path already, the call fails. The person is asked before it runs."
    ),
    input_schema={
        "type": "object",
        "properties": {
            "from": {
                "type": "string",
                "description": "The present path, relative to the workspace.",
            },
            "to": {
                "type": "string",
                "description": "The new path, relative to the workspace, with the new name at its end.",
            },
        },
        "required": ["from", "to"],
        "additionalProperties": False,
    },
    run=_run,
)
