"""Images on their way in (a person's, a tool's) and on their way to the model, which gets a copy scaled once."""

import base64
import binascii
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction

from chat import images
from chat.models import ToolCall, Turn
from chat.protocol import Picture
from history import store
from history.blobs import image_url
from history.errors import BadRequest
from history.messages import merge_neighbours, strip_thinking, within_limits
from history.models import Conversation

Message = dict[str, Any]
Block = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Photo:
    """A person's image that has been decoded and found whole; it is stored as it came (contract 7, rule 8)."""

    block: Block

    def described(self, conversation_id: str) -> dict[str, Any] | None:
        return image_url(conversation_id)(self.block)


def read(pictures: Sequence[Picture]) -> list[Photo]:
    """Judge what a client sent. Raises BadRequest, its UnreadableImage included."""
    return [_read(picture) for picture in pictures]


def _read(picture: Picture) -> Photo:
    try:
        data = base64.b64decode(picture.data, validate=True)
    except (binascii.Error, ValueError):
        raise BadRequest("An image's data is no base64.") from None
    checked = images.checked(data, picture.media_type)
    source = {"type": "base64", "media_type": checked.media_type, "data": picture.data}
    return Photo(block={"type": "image", "source": source})


def attach(conversation: Conversation, photos: Sequence[Photo]) -> None:
    """Make a person's images servable with the turn that brings them; the caller holds the owner's lock."""
    if photos:
        store.attach(conversation, [photo.block["source"] for photo in photos])


def attach_sources(conversation: Conversation, sources: Sequence[Block]) -> None:
    """Make a tool's images servable before their event is shown; one transaction of its own."""
    with transaction.atomic():
        store.locked(conversation.owner_id)
        row = Conversation.objects.live().filter(pk=conversation.pk).without_bodies().first()
        if row is not None:
            store.attach(row, list(sources))


def attach_waiting(conversation: Conversation, turn: Turn) -> None:
    """Keep the images of results servable that the list does not have yet, as another call of their message is held."""
    results = ToolCall.objects.filter(turn=turn).exclude(result=None)
    sources = [
        image["source"]
        for result in results.values_list("result", flat=True)
        if result
        for image in result.get("images", [])
    ]
    if sources:
        store.attach(conversation, sources)


def for_model(messages: Sequence[Message], *, owner_id: int) -> list[Message]:
    """Return the messages with every image as the copy that is sent, within the API's limits.

    Leaving images out is an edit, so thinking is left out as well. May read rows, so it runs in a thread.
    """
    copied = [_with_copies(message, owner_id=owner_id) for message in messages]
    fitting = within_limits(copied)
    if fitting == copied:
        return copied
    return merge_neighbours(strip_thinking(fitting, upto=len(fitting)))


def has_images(messages: Sequence[Message]) -> bool:
    return any(_images_in(message["content"]) for message in messages)


def _images_in(content: Any) -> bool:
    if isinstance(content, str):
        return False
    return any(
        block.get("type") == "image" or _images_in(block.get("content") or "") for block in content
    )


def _with_copies(message: Message, *, owner_id: int) -> Message:
    if not _images_in(message["content"]):
        return message
    return {
        **message,
        "content": [_copied(block, owner_id=owner_id) for block in message["content"]],
    }


def _copied(block: Block, *, owner_id: int) -> Block:
    if block.get("type") == "tool_result" and isinstance(block.get("content"), list):
        return {
            **block,
            "content": [_copied(inner, owner_id=owner_id) for inner in block["content"]],
        }
    source = block.get("source")
    if (
        block.get("type") != "image"
        or not isinstance(source, dict)
        or source.get("type") != "base64"
    ):
        return block
    return {**block, "source": _copy_of(source, owner_id=owner_id)}


def _copy_of(source: Block, *, owner_id: int) -> Block:
    """Return the source of the copy that is sent; made once, kept beside the original, the same in every request."""
    data = base64.b64decode(source["data"])
    sha256 = hashlib.sha256(data).hexdigest()
    kept = store.scaled_copy(owner_id, sha256=sha256)
    if kept is None:
        try:
            kept = images.scaled(data, source["media_type"])
        except images.UnreadableImage:
            return source
        if kept[0] == data:
            return source
        store.keep_scaled(owner_id, sha256=sha256, data=kept[0], media_type=kept[1])
    return {"type": "base64", "media_type": kept[1], "data": base64.b64encode(kept[0]).decode()}
