"""What the tests' upstream is told to answer, faults included."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from chat.llm.script import mint


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One reply, or one failure, to one Messages request.

    `blocks` are as they would be stored; a thinking block without `signature` gets one bound to the request. `stop`
    defaults to what the blocks ask for. `chunk` characters make a delta; `delay` seconds pass before each, `late`
    before the headers. `write` cuts the body into TCP writes of so many bytes. `hold_after` waits after so many deltas
    until `Upstream.release()`.

    `fault` happens after `after` deltas: "rst", "eof" (clean), "error:TYPE", "cut" (max_tokens, the open block
    unclosed), "unclosed" (ends as `stop` says, the open block unclosed), "again" (a second message_start), "pings"
    (pings until the client goes), "stall" (silence until the client goes), "malformed", "gap" (a block index left
    out). With `unstarted` it happens before message_start.

    `status` answers without a stream: with `error` (type), `code` (error_code), `prose` and `retry_after`, or with
    `html`. `raw` is sent as the body of the stream, as it is. `raw_input` replaces a call's JSON text, by its id.
    `then` is sent after the last event; `gzip` compresses the body; `unended` never ends it.
    """

    blocks: Sequence[Mapping[str, Any]] = ()
    stop: str | None = None
    usage: Mapping[str, int] = field(default_factory=dict)
    chunk: int = 8
    delay: float = 0
    late: float = 0
    write: int | None = None
    hold_after: int | None = None
    fault: str | None = None
    after: int = 0
    unstarted: bool = False
    status: int | None = None
    error: str = "api_error"
    code: str | None = None
    prose: str = "scripted"
    retry_after: float | str | None = None
    html: str | None = None
    raw: bytes | None = None
    raw_input: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    then: bytes = b""
    gzip: bool = False
    unended: bool = False


Answering = Answer | Callable[[dict[str, Any]], Answer]
"""An answer, or what makes one of the request's body."""


def says(words: str, **options: Any) -> Answer:
    """Return an answer of one text block."""
    return Answer(blocks=[text(words)], **options)


def calls(*blocks: Mapping[str, Any], before: str = "", **options: Any) -> Answer:
    """Return an answer that calls tools, after the text in `before`."""
    return Answer(blocks=[*([text(before)] if before else []), *blocks], **options)


def fails(kind: str, *, status: int, **options: Any) -> Answer:
    """Return an HTTP error of the API's own shape."""
    return Answer(status=status, error=kind, **options)


def text(words: str) -> dict[str, Any]:
    """Return a text block."""
    return {"type": "text", "text": words}


def thought(words: str = "", **extra: Any) -> dict[str, Any]:
    """Return a thinking block; without `signature=` it is signed for the request it answers."""
    return {"type": "thinking", "thinking": words, **extra}


def use(name: str, *, call_id: str | None = None, **arguments: Any) -> dict[str, Any]:
    """Return a tool_use block."""
    return {"type": "tool_use", "id": call_id or mint("toolu"), "name": name, "input": arguments}
