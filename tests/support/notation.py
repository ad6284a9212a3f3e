"""Short words for writing lists of messages in tests: U(T("open V1")), A(TU("a1", v=1)), U(TR("a1"))."""

import base64
import os
import struct
import zlib
from typing import Any

from history.messages import Block, Message

LONG = bool(os.environ.get("KENNY_LONG"))
EXAMPLES = int(os.environ.get("KENNY_EXAMPLES") or 300 * (20 if LONG else 1))
"""How many generated lists a property is tried on; each mutant of `make mutants` gets fewer."""


def U(*content: Block) -> Message:  # noqa: N802
    return {"role": "user", "content": list(content)}


def A(*content: Block) -> Message:  # noqa: N802
    return {"role": "assistant", "content": list(content)}


def SYS(text: str) -> Message:  # noqa: N802
    return {"role": "system", "content": text}


def T(text: str) -> Block:  # noqa: N802
    return {"type": "text", "text": text}


def TU(call_id: str, name: str = "set_valve", **arguments: Any) -> Block:  # noqa: N802
    return {"type": "tool_use", "id": call_id, "name": name, "input": arguments}


def TR(call_id: str, content: Any = "ok", **more: Any) -> Block:  # noqa: N802
    return {"type": "tool_result", "tool_use_id": call_id, "content": content, **more}


def TH(text: str = "", signature: str = "c2ln") -> Block:  # noqa: N802
    return {"type": "thinking", "thinking": text, "signature": signature}


def SU(call_id: str) -> Block:  # noqa: N802
    return {
        "type": "server_tool_use",
        "id": call_id,
        "name": "web_search",
        "input": {"query": "valves"},
    }


def SR(call_id: str) -> Block:  # noqa: N802
    return {"type": "web_search_tool_result", "tool_use_id": call_id, "content": []}


def IMG(data: str, media_type: str = "image/png") -> Block:  # noqa: N802
    return {"type": "image", "source": {"type": "base64", "media_type": media_type, "data": data}}


def png(width: int = 1, height: int = 1, *, padding: int = 0) -> str:
    """Return a PNG of one colour in base64, with `padding` bytes of comment."""

    def chunk(name: bytes, body: bytes) -> bytes:
        return (
            struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))
        )

    header = struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    rows = zlib.compress(bytes(1 + (width + 7) // 8) * height)
    comment = chunk(b"tEXt", b"Comment\0" + b"x" * padding) if padding else b""
    image = (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + comment
        + chunk(b"IDAT", rows)
        + chunk(b"IEND", b"")
    )
    return base64.b64encode(image).decode()
