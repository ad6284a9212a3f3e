"""write_file: put a text into a file of the workspace. Changes state."""

from collections.abc import Mapping
from typing import Any

from chat.tools import workspace
from chat.tools.base import Caller, Output, Tool, ToolFailed


def _run(args: Mapping[str, Any], caller: Caller) -> Output:
    try:
        data = args["content"].encode()
    except UnicodeEncodeError:
        raise ToolFailed("`content` holds half a character and cannot be stored.") from None
    replaced = workspace.of(caller.user_id).write(args["path"], data)
    return Output(
        text=f"{'Replaced the file' if replaced else 'Made a new file'}: {len(data):,} bytes written."
    )


WRITE_FILE = Tool(
    name="write_file",
    description=(
        "Write a text file in the person's workspace. The content becomes the whole file: an existing file is replaced, so "
        "read it first when you mean to change a part of it. Missing folders are made. The person is asked before it runs."
    ),
    input_schema={
        "type": "object",
        "properties": {
            "path": {
                "type": "string",
                "description": "The file, relative to the workspace, like notes/valves.txt.",
            },
            "content": {"type": "string", "description": "The whole new content of the file."},
        },
        "required": ["path", "content"],
        "additionalProperties": False,
    },
    run=_run,
)
