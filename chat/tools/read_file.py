"""read_file: the text of a file of the workspace, or the picture it is."""

from collections.abc import Mapping
from typing import Any

from chat import images
from chat.tools import workspace
from chat.tools.base import Caller, Image, Output, Tier, Tool, ToolFailed
from chat.tools.workspace import File

MAX_TEXT = 95_000
"""Characters; with its fence and the closing line the whole stays under what the runner cuts at."""
_READ = images.MAX_BYTES + 1
_HEAD = 8192


def _run(args: Mapping[str, Any], caller: Caller) -> Output:
    file = workspace.of(caller.user_id).read(args["path"], limit=_READ)
    media_type = images.sniffed(file.data)
    return _text(file) if media_type is None else _image(file, media_type)


def _image(file: File, media_type: str) -> Output:
    try:
        seen = images.checked(file.data, media_type)
    except images.UnreadableImage as error:
        raise ToolFailed(error.message) from error
    return Output(
        text=f"An image, {media_type}, {seen.width} x {seen.height} pixels.",
        images=[Image(media_type=media_type, data=file.data)],
    )


def _text(file: File) -> Output:
    # A character takes at most four bytes; the rest of a large file need not be decoded.
    text = file.data[: 4 * MAX_TEXT].decode(errors="replace")
    if is_binary(file.data[:_HEAD]):
        raise ToolFailed(
            f"The file holds no text ({file.size:,} bytes of binary data). Only text and png, jpeg, gif and webp images can be read."
        )
    if not text:
        return Output(text="(the file is empty)")
    shown = text[:MAX_TEXT]
    left = file.size - len(shown.encode(errors="replace"))
    if len(text) <= MAX_TEXT and file.size <= 4 * MAX_TEXT:
        return Output(text=text)
    return Output(
        text=f"{shown}\n[… about {left:,} more bytes left out; search_files finds lines in all of it …]"
    )


def is_binary(head: bytes) -> bool:
    """Guess from the beginning of a file whether it is no text: a NUL, or mostly bytes that are no UTF-8."""
    text = head.decode(errors="replace")
    return "\0" in text or text.count("\ufffd") > len(text) * 0.3


READ_FILE = Tool(
    name="read_file",
    description=(
        "Read one file of the person's workspace. Text comes back as text (UTF-8; a very long file is cut, and the last "
        "line says so); a png, jpeg, gif or webp image comes back as an image that you can look at. Other binary files "
        "cannot be read."
    ),
    input_schema={
        "type": "object",
        "properties": {
            "path": {
                "type": "string",
                "description": "The file, relative to the workspace, like notes/valves.txt, as list_files gives it.",
            }
        },
        "required": ["path"],
        "additionalProperties": False,
    },
    run=_run,
    tier=Tier.READ_ONLY,
)
