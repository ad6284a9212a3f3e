"""Talking to the demo model in tests: its calls are answered by hand."""

from typing import Any

from chat.llm.attempt import Attempt
from chat.llm.claude import Claude
from history.fence import fence
from history.messages import note
from tests.support.asking import read, request

NAMES = (
    "list_files", "read_file", "search_files", "write_file", "move_file", "delete_file", "search_history", "current_time",
)  # fmt: skip
TOOLS = [{"name": name, "description": "d", "input_schema": {"type": "object"}} for name in NAMES]
PICTURE = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


class Chat:
    """A conversation with the demo model; its calls are answered in their order."""

    def __init__(self, model: Claude, *, tools: Any = TOOLS) -> None:
        self.model, self.tools = model, tools
        self.messages: list[dict[str, Any]] = []

    async def say(self, typed: str, *blocks: dict[str, Any]) -> Attempt:
        """Say something, in front of it the given blocks."""
        content = [note("It is Monday."), *blocks, {"type": "text", "text": typed}]
        self.messages.append({"role": "user", "content": content})
        return await self._ask()

    async def answer(self, *contents: Any, refused: str | None = None) -> Attempt:
        """Answer the open calls with `contents` in order, or all of them with the refusal `refused`."""
        calls = [block for block in self.messages[-1]["content"] if block["type"] == "tool_use"]
        results = [
            {"type": "tool_result", "tool_use_id": call["id"], "content": content}
            for call, content in zip(calls, contents or [refused] * len(calls), strict=True)
        ]
        failed = {"is_error": True} if refused else {}
        self.messages.append({"role": "user", "content": [result | failed for result in results]})
        return await self._ask()

    async def _ask(self) -> Attempt:
        attempt = self.model.stream(request(*self.messages, tools=self.tools))
        await read(attempt)
        assert attempt.reply is not None
        self.messages.append({"role": "assistant", "content": attempt.reply.content})
        return attempt


def called(attempt: Attempt) -> list[tuple[str, dict[str, Any]]]:
    """Return name and arguments of each call of a reply."""
    assert attempt.reply is not None
    return [
        (block["name"], block["input"])
        for block in attempt.reply.content
        if block["type"] == "tool_use"
    ]


def said(attempt: Attempt) -> str:
    """Return the text of a reply."""
    assert attempt.reply is not None
    return "\n".join(block["text"] for block in attempt.reply.content if block["type"] == "text")


def fenced(text: str) -> str:
    """Return a tool's text as the runner fences it."""
    return fence(text, mark="k1", source="tool")
