"""A stored list as people see it: the events of the live stream, a title, a preview, the words to search in."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from history.blocks import Block, Message, blocks_of, kind, nested, result_text, shown, texts
from history.fence import storable, unfence
from history.outcomes import code_of

Event = dict[str, Any]
ImageUrl = Callable[[Block], dict[str, Any] | None]

TITLE_LENGTH = 80
PREVIEW_LENGTH = 160


def pending_tool_uses(messages: Sequence[Message]) -> list[Block]:
    """Return the tool_use blocks of a last message from the assistant: the calls that wait."""
    if not messages or messages[-1].get("role") != "assistant":
        return []
    return [block for block in blocks_of(messages[-1]) if kind(block) == "tool_use"]


def transcript(
    messages: Sequence[Message],
    *,
    image_url: ImageUrl,
    agent_id: str | None = None,
    facts: Mapping[int, Mapping[str, Any]] = MappingProxyType({}),
) -> list[Event]:
    """Return the list as events of the live stream, in order, without `seq`, `turnId` and `conversationId`.

    `image_url` turns an image block into {url, mediaType, width, height} or None when it cannot be read. Which agent
    made a call is not in the list; `agent_id` is said for all. What `facts` know of a person's message, by its place,
    stands beside its text. Never raises: what it does not know it leaves out.
    """
    events: list[Event] = []
    calls: dict[str, Block] = {}
    for n, message in enumerate(messages):
        blocks = blocks_of(message)
        if message.get("role") == "assistant":
            for block in blocks:
                events.extend(_said(block, agent_id))
                if kind(block) == "tool_use":
                    calls[str(block.get("id"))] = block
        elif message.get("role") == "user":
            results = [block for block in blocks if kind(block) == "tool_result"]
            events.extend(
                _result(block, calls=calls, image_url=image_url, agent_id=agent_id)
                for block in results
            )
            events.extend({**event, **facts.get(n, {})} for event in _asked(blocks, image_url))
    return events


def _said(block: Block, agent_id: str | None) -> Iterator[Event]:
    text, thought = block.get("text"), block.get("thinking")
    if kind(block) == "text" and text and isinstance(text, str):
        yield {"type": "text_delta", "text": text}
    elif kind(block) == "thinking" and thought and isinstance(thought, str):
        yield {"type": "thinking_delta", "text": thought}
    elif kind(block) == "tool_use":
        yield {"type": "tool_call", **_call(str(block.get("id")), block), "agentId": agent_id}


def _call(call_id: str, use: Mapping[str, Any]) -> Event:
    return {"callId": call_id, "tool": str(use.get("name", "")), "args": use.get("input", {})}


def _result(
    block: Block, *, calls: Mapping[str, Block], image_url: ImageUrl, agent_id: str | None
) -> Event:
    call_id = str(block.get("tool_use_id"))
    call = _call(call_id, calls.get(call_id, {}))
    failed = bool(block.get("is_error"))
    said = result_text(block)
    code = code_of(said) if failed else None
    if code:
        return {"type": "denied", **call, "agentId": agent_id, "code": code, "message": said}
    text = _unfenced(block)
    return {
        "type": "tool_result",
        **call,
        "ok": not failed,
        "autoRun": None,
        "text": text,
        "images": [image_url(inner) for inner in nested(block) if kind(inner) == "image"],
        "error": text if failed else None,
    }


def _asked(blocks: Sequence[Block], image_url: ImageUrl) -> Iterator[Event]:
    said = shown(blocks)
    images = [image_url(block) for block in said if kind(block) == "image"]
    text = "\n\n".join(texts(said))
    if text or images:
        yield {"type": "user_text", "text": text, "images": images}


def _unfenced(result: Block) -> str:
    return "\n".join(unfence(text) for text in texts(nested(result)))


def title_of(source: Sequence[Message] | str) -> str:
    """Return the first words of a person on one line, at most 80 characters; "" when there are none."""
    if isinstance(source, str):
        return _line(source, TITLE_LENGTH)
    asked = (
        text
        for message in source
        if message.get("role") == "user"
        for text in texts(shown(blocks_of(message)))
    )
    return next((line for line in (_line(text, TITLE_LENGTH) for text in asked) if line), "")


def preview_of(messages: Sequence[Message]) -> str:
    """Return the last words either side said, on one line, at most 160 characters."""
    for message in reversed(messages):
        blocks = blocks_of(message)
        said = texts(reversed(shown(blocks) if message.get("role") == "user" else blocks))
        line = next((line for line in (_line(text, PREVIEW_LENGTH) for text in said) if line), "")
        if line and message.get("role") != "system":
            return line
    return ""


def _line(text: str, length: int) -> str:
    # A page of text has a title in its first lines; the rest need not be split to find it.
    return " ".join(storable(text[: length * 50]).split())[:length].rstrip()


def text_of(messages: Sequence[Message]) -> Iterator[str]:
    """Yield every text worth finding: what people and the model said, arguments of calls, results of tools."""
    for message in messages:
        blocks = blocks_of(message)
        yield from texts(shown(blocks) if message.get("role") == "user" else blocks)
        for block in blocks:
            if kind(block) == "tool_use":
                yield from _strings(block.get("input"))
            elif kind(block) == "tool_result":
                yield from (unfence(text) for text in texts(nested(block)))


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _strings(item)
