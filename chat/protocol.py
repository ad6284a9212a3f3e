"""Every frame of contract section 7, as sockets and REST bodies send it; `parse` is the only way in."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from chat.reader import Reader
from history.errors import BadRequest, InvalidId, TooLarge

MAX_MESSAGE_CHARS = 400_000
MAX_IMAGES = 20
MAX_FRAME_CHARS = 512 * 1024
MAX_REASON_CHARS = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """An image as the client sent it: canonical or not, `data` is base64 text."""

    media_type: str
    data: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Send:
    """`settings` are those of the conversation that the message makes; one that exists keeps its own."""

    message: str
    conversation_id: str | None = None
    turn_id: str | None = None
    agent_id: str | None = None
    images: tuple[Picture, ...] = ()
    truncate_at: int | None = None
    version: int | None = None
    settings: dict[str, Any] | None = None
    render: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Watch:
    conversation_id: str
    turn_id: str | None = None
    after: int = 0
    render: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Unwatch:
    conversation_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Confirm:
    conversation_id: str
    call_id: str
    digest: str
    approve: bool
    reason: str = ""
    render: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop:
    turn_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Ping:
    pass


Frame = Send | Watch | Unwatch | Confirm | Stop | Ping


def read_send(reader: Reader) -> Send:
    """Raises BadRequest, InvalidId, UnknownField, TooLarge."""
    conversation_id = reader.take_id("conversationId")
    if conversation_id == "bulk":
        raise InvalidId
    message = reader.take("message", str, required=True)
    pictures = _pictures(reader.take("images", list) or [])
    send = Send(
        message=_clean(message, pictures=pictures),
        conversation_id=conversation_id,
        turn_id=reader.take_id("turnId"),
        agent_id=reader.take("agentId", str),
        images=pictures,
        truncate_at=reader.take_count("truncateAt"),
        version=reader.take_count("version"),
        settings=reader.take("settings", dict),
        render=bool(reader.take("render", bool)),
    )
    reader.finish()
    if send.truncate_at is not None and send.version is None:
        raise BadRequest("truncateAt needs version.")
    return send


def _clean(message: str, *, pictures: tuple[Picture, ...]) -> str:
    if not message.strip() and not pictures:
        raise BadRequest("The message is empty.")
    if len(message) > MAX_MESSAGE_CHARS:
        raise TooLarge(
            f"The message is longer than {MAX_MESSAGE_CHARS} characters.", limit=MAX_MESSAGE_CHARS
        )
    if "\x00" in message or not _encodable(message):
        raise BadRequest(
            "message holds characters that are no text (U+0000 or half a surrogate pair)."
        )
    return message


def _encodable(text: str) -> bool:
    return not any("\ud800" <= char <= "\udfff" for char in text)


def _pictures(items: list[Any]) -> tuple[Picture, ...]:
    if len(items) > MAX_IMAGES:
        raise TooLarge(f"At most {MAX_IMAGES} images may be sent with a message.", limit=MAX_IMAGES)
    return tuple(_picture(item) for item in items)


def _picture(item: object) -> Picture:
    reader = Reader(item)
    picture = Picture(
        media_type=reader.take("mediaType", str, required=True),
        data=reader.take("data", str, required=True),
    )
    reader.finish()
    return picture


def read_watch(reader: Reader) -> Watch:
    turn_id = reader.take_id("turnId")
    after = reader.take_count("after")
    if after is not None and turn_id is None:
        raise BadRequest("after needs turnId.")
    watch = Watch(
        conversation_id=reader.take_id("conversationId", required=True) or "",
        turn_id=turn_id,
        after=after or 0,
        render=bool(reader.take("render", bool)),
    )
    reader.finish()
    return watch


def read_unwatch(reader: Reader) -> Unwatch:
    unwatch = Unwatch(conversation_id=reader.take_id("conversationId", required=True) or "")
    reader.finish()
    return unwatch


def read_confirm(reader: Reader) -> Confirm:
    confirm = Confirm(
        conversation_id=reader.take_id("conversationId", required=True) or "",
        call_id=reader.take("callId", str, required=True),
        digest=reader.take("digest", str, required=True),
        approve=reader.take("approve", bool, required=True),
        reason=_reason(reader.take("reason", str) or ""),
        render=bool(reader.take("render", bool)),
    )
    reader.finish()
    if confirm.reason and confirm.approve:
        raise BadRequest("reason goes with a refusal only.")
    return confirm


def _reason(text: str) -> str:
    """A person's words to the model about a refusal, on their way into the list of messages."""
    if len(text) > MAX_REASON_CHARS:
        raise TooLarge(
            f"The reason is longer than {MAX_REASON_CHARS} characters.", limit=MAX_REASON_CHARS
        )
    if "\x00" in text or not _encodable(text):
        raise BadRequest(
            "reason holds characters that are no text (U+0000 or half a surrogate pair)."
        )
    return text.strip()


def read_stop(reader: Reader) -> Stop:
    stop = Stop(turn_id=reader.take_id("turnId", required=True) or "")
    reader.finish()
    return stop


def read_handover(reader: Reader) -> str:
    """Return the id of the conversation to go on from. Raises BadRequest, InvalidId, UnknownField."""
    conversation_id = reader.take_id("conversationId", required=True) or ""
    reader.finish()
    return conversation_id


def read_ping(reader: Reader) -> Ping:
    reader.finish()
    return Ping()


READERS: Mapping[str, Callable[[Reader], Frame]] = {
    "send": read_send,
    "watch": read_watch,
    "unwatch": read_unwatch,
    "confirm": read_confirm,
    "stop": read_stop,
    "ping": read_ping,
}


class BadFrame(BadRequest):
    """A frame that no client of ours would send; the fifth within a minute closes the socket (4009)."""

    code = "bad_request"


def parse(body: object) -> tuple[Frame, str | None]:
    """Return the frame and its `ref`. Raises BadFrame for what is no frame, else what the frame's reader raises."""
    if not isinstance(body, dict) or not isinstance(body.get("type"), str):
        raise BadFrame("A frame is a JSON object with a type.")
    read = READERS.get(body["type"])
    if read is None:
        raise BadFrame("The frame's type is not known here.")
    ref = body.get("ref")
    if ref is not None and (not isinstance(ref, str) or len(ref) > 128):
        raise BadFrame("ref must be a string of at most 128 characters.")
    if body["type"] == "send" and "images" in body:
        raise BadRequest("Images go by POST /api/chat/stream.")
    rest = {name: value for name, value in body.items() if name not in {"type", "ref"}}
    return read(Reader(rest)), ref
