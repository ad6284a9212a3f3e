"""What a request needs beyond a sound list. Nothing here is ever stored.

merge_neighbours(strip_thinking(heal(stored).messages, upto=thinking_from) + [question])
"""

from collections.abc import Sequence

from history.blocks import THINKING, Block, Message, blocks_of, encoded_size, kind, nested
from history.checking import (
    MANY_IMAGES,
    MAX_IMAGES,
    MAX_SIDE,
    MAX_SIDE_OF_MANY,
    images_of,
    is_oversize,
)
from history.healing import unmarked
from history.pairing import parts_of, runs_of

BODY_BUDGET = 24_000_000
"""Bytes of JSON for the messages of a request; the API's own limit of 32 MB leaves room for system text and tools."""
LEFT_OUT_IMAGE = "[An image stood here that this request has no room for.]"


def strip_thinking(messages: Sequence[Message], *, upto: int) -> list[Message]:
    """Return the list without thinking in messages[:upto]; a message of nothing else is left out."""
    result: list[Message] = []
    for index, message in enumerate(messages):
        blocks = blocks_of(message)
        kept = [block for block in blocks if kind(block) not in THINKING]
        if index >= upto or len(kept) == len(blocks):
            result.append(message)
        elif kept:
            result.append({**message, "content": kept})
    return result


def merge_neighbours(messages: Sequence[Message]) -> list[Message]:
    """Return the list with neighbours of one role made one message, results first, and without stored cache markers.

    Markers are left out because a request may hold four, and the sender sets its own.
    """
    merged: list[Message] = []
    for run in runs_of(parts_of(messages)):
        blocks = [block for part in run for block in part.blocks]
        alone = run[0].origin if len(run) == 1 else None
        # A stable sort: results keep their order, and so does what was said.
        ordered = (
            sorted(blocks, key=lambda block: kind(block) != "tool_result")
            if run[0].role == "user"
            else blocks
        )
        merged.append(unmarked(alone or {"role": run[0].role, "content": ordered}))
    return merged


def within_limits(messages: Sequence[Message], *, budget: int = BODY_BUDGET) -> list[Message]:
    """Return the list with images replaced by a sentence, the oldest first, until the API's limits hold.

    A list that fits comes back equal. An image counts as too large by its bytes or its pixels, by how many there are,
    or by the whole exceeding `budget` bytes. Leaving one out is an edit: the caller must leave out thinking as well.
    """
    images = [image for message in messages for image in images_of(message)]
    left = [image for image in images if not is_oversize(image, max_side=MAX_SIDE)][-MAX_IMAGES:]
    for image in [image for image in left if is_oversize(image, max_side=MAX_SIDE_OF_MANY)]:
        if len(left) > MANY_IMAGES:
            left = [other for other in left if other is not image]
    kept = {id(image) for image in left}
    size = encoded_size(list(messages)) - sum(
        encoded_size(image) for image in images if id(image) not in kept
    )
    while left and size > budget:
        oldest = left.pop(0)
        kept.discard(id(oldest))
        size -= encoded_size(oldest)
    gone = {id(image) for image in images} - kept
    return [_without_images(message, gone) for message in messages]


def _without_images(message: Message, gone: set[int]) -> Message:
    if not any(id(image) in gone for image in images_of(message)):
        return message
    return {**message, "content": [_replaced(block, gone) for block in blocks_of(message)]}


def _replaced(block: Block, gone: set[int]) -> Block:
    if id(block) in gone:
        return {"type": "text", "text": LEFT_OUT_IMAGE}
    if kind(block) == "tool_result" and any(id(inner) in gone for inner in nested(block)):
        return {**block, "content": [_replaced(inner, gone) for inner in nested(block)]}
    return block
