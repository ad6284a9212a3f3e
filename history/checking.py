"""Is this list one the API accepts? Every rule it breaks, by number.

Two questions are kept apart. `faults` judges a list as it may be stored between turns: it may be empty, end in a
finished reply and hold originals of images. `check` judges the messages of a request, where these count as well.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from history import pictures
from history.blocks import (
    ROLES,
    Block,
    Message,
    blocks_of,
    encoded_size,
    is_server_result,
    kind,
    markers,
    nested,
)
from history.errors import BadRequest
from history.pairing import (
    Part,
    Run,
    exchange_faults,
    is_paused,
    lone_server_halves,
    of_type,
    orphan_faults,
    parts_of,
    runs_of,
)
from history.rules import Rule, Violation
from history.wellformed import faults_of

MAX_MESSAGES = 100_000
MAX_MARKERS = 4
MAX_BODY = 32_000_000
"""Bytes of JSON."""
MAX_IMAGE = 10_000_000
"""Characters of base64."""
MAX_IMAGES = 100
MAX_SIDE = 8_000
MANY_IMAGES = 20
MAX_SIDE_OF_MANY = 2_000
"""Pixels, as soon as a request holds more than MANY_IMAGES."""

_Found = tuple[Rule, int, str]


def check(messages: Sequence[Message], *, tools_declared: bool = True) -> list[Violation]:
    """Return every rule that a request with these messages breaks, in the order of the messages; [] means sendable."""
    found = [*_faults(messages), *_request_faults(messages, tools_declared=tools_declared)]
    return _violations(found)


def faults(messages: Sequence[Message]) -> list[Violation]:
    """Return the rules a list breaks that no later message can mend; [] means that `heal` leaves it alone."""
    return _violations(_faults(messages))


def check_shape(messages: Any) -> None:
    """Raise BadRequest unless `messages` is a list of {role, content} with text or a list of typed objects."""
    if not isinstance(messages, list):
        raise BadRequest("messages must be a list.")
    for index, message in enumerate(messages):
        if not isinstance(message, dict) or message.get("role") not in ROLES:
            raise BadRequest(
                f"messages[{index}] must be an object whose role is user, assistant or system."
            )
        content = message.get("content")
        if not isinstance(content, str) and not (
            isinstance(content, list) and all(map(_is_typed, content))
        ):
            raise BadRequest(
                f"messages[{index}].content must be a string or a list of objects with a type."
            )


def _is_typed(block: Any) -> bool:
    return isinstance(block, dict) and isinstance(block.get("type"), str)


def _violations(found: Sequence[_Found]) -> list[Violation]:
    unique = sorted(dict.fromkeys(found), key=lambda fault: (fault[1], fault[0]))
    return [Violation(rule=int(rule), index=index, what=what) for rule, index, what in unique]


def _faults(messages: Sequence[Message]) -> list[_Found]:
    found = [
        fault for index, message in enumerate(messages) for fault in _message_faults(index, message)
    ]
    runs = runs_of(parts_of(messages))
    found.extend(_order_faults(runs))
    found.extend(_pair_faults(runs))
    found.extend(_repeated_ids(runs))
    found.extend(
        (rule, part.at, "server tool block without its other half")
        for rule, part, _ in lone_server_halves(runs)
    )
    found.extend(_marker_faults(messages))
    return found


def _message_faults(index: int, message: Any) -> Iterator[_Found]:
    if not isinstance(message, dict) or message.get("role") not in ROLES:
        yield Rule.SHAPE, index, "no message with a known role"
        return
    content = message.get("content")
    if not message.keys() <= {"role", "content"}:
        yield Rule.KEYS, index, "message with an unknown key"
    if content in ("", []):
        yield Rule.CONTENT, index, "empty message"
        return
    if not isinstance(content, str) and not (
        isinstance(content, list) and all(isinstance(b, dict) for b in content)
    ):
        yield Rule.SHAPE, index, "content is neither text nor blocks"
    for block in blocks_of(message):
        for rule, what in faults_of(block, role=str(message["role"])):
            yield rule, index, what


def _order_faults(runs: Sequence[Run]) -> Iterator[_Found]:
    if runs and runs[0][0].role != "user":
        yield Rule.ORDER, runs[0][0].at, "the first message is not a person's"
    neighbours = zip([None, *runs], runs, [*runs[1:], None], strict=False)
    for before, run, after in neighbours:
        if run[0].role != "system":
            continue
        if (
            len(run) > 1
            or before is None
            or not may_precede_system(before[-1])
            or (after and after[0].role != "assistant")
        ):
            yield Rule.ORDER, run[0].at, "system note where none may stand"


def may_precede_system(part: Part) -> bool:
    """Say whether a system note may follow a message: a person's, or a reply that ends in a server tool's result."""
    return part.role == "user" or (
        part.role == "assistant" and any(map(is_server_result, part.blocks[-1:]))
    )


def _pair_faults(runs: Sequence[Run]) -> Iterator[_Found]:
    if runs and runs[0][0].role == "user":
        yield from orphan_faults(runs[0])
    for run, after in pairwise([*runs, ()]):
        follows = bool(after) and after[0].role == "user"
        if run[0].role == "assistant":
            yield from exchange_faults(run, after if follows else ())
        elif run[0].role == "system" and follows:
            yield from orphan_faults(after)


def _repeated_ids(runs: Sequence[Run]) -> Iterator[_Found]:
    seen: set[str] = set()
    for run in runs:
        for part in run:
            for use in of_type([part], "tool_use"):
                call_id = str(use.get("id"))
                if call_id in seen:
                    yield Rule.ONCE, part.at, "tool_use id used before"
                seen.add(call_id)


def _marker_faults(messages: Sequence[Any]) -> Iterator[_Found]:
    count = 0
    for index, message in enumerate(messages):
        for block in blocks_of(message) if isinstance(message, dict) else ():
            count += markers(block)
            if count > MAX_MARKERS:
                yield Rule.MARKERS, index, "more than four cache markers"
                return


def _request_faults(messages: Sequence[Message], *, tools_declared: bool) -> Iterator[_Found]:
    runs = runs_of(parts_of(messages))
    last = len(messages) - 1
    if not runs:
        yield Rule.ORDER, 0, "no message at all"
        return
    if runs[-1][0].role == "assistant" and not is_paused(runs[-1]):
        yield Rule.PERSON_LAST, last, "the last message is a finished reply"
        final = runs[-1][-1].blocks[-1:]
        if any(
            str(block.get("text", "")) != str(block.get("text", "")).rstrip() for block in final
        ):
            yield Rule.TRAILING_SPACE, last, "a final reply that ends in whitespace"
    if last >= MAX_MESSAGES:
        yield Rule.COUNT, last, "more than 100,000 messages"
    if not tools_declared and any(
        of_type(run, wanted) for run in runs for wanted in ("tool_use", "tool_result")
    ):
        yield Rule.TOOLS, last, "tool blocks without declared tools"
    yield from _size_faults(messages)


def _size_faults(messages: Sequence[Message]) -> Iterator[_Found]:
    images = [
        (index, block) for index, message in enumerate(messages) for block in images_of(message)
    ]
    limit = MAX_SIDE if len(images) <= MANY_IMAGES else MAX_SIDE_OF_MANY
    if len(images) > MAX_IMAGES:
        yield Rule.SIZE, images[MAX_IMAGES][0], f"more than {MAX_IMAGES} images"
    for index, block in images:
        if is_oversize(block, max_side=limit):
            yield Rule.SIZE, index, f"image over {limit} pixels a side or {MAX_IMAGE} characters"
    try:
        if encoded_size(list(messages)) > MAX_BODY:
            yield Rule.SIZE, len(messages) - 1, f"request over {MAX_BODY} bytes"
    except ValueError:
        return  # the block that cannot be encoded is named already


def images_of(message: Any) -> list[Block]:
    """Return the base64 images of a message, those inside tool results too."""
    blocks = blocks_of(message) if isinstance(message, dict) else []
    everywhere = [
        item
        for block in blocks
        for item in (block, *(nested(block) if kind(block) == "tool_result" else ()))
    ]
    return [
        item
        for item in everywhere
        if kind(item) == "image" and isinstance(_source(item).get("data"), str)
    ]


def is_oversize(image: Block, *, max_side: int) -> bool:
    """Say whether a base64 image is larger than the API takes; `max_side` in pixels."""
    source = _source(image)
    if len(source["data"]) > MAX_IMAGE:
        return True
    return max(pictures.size_of(source)) > max_side


def _source(image: Block) -> dict[str, Any]:
    source = image.get("source")
    return source if isinstance(source, dict) else {}
