"""Asking a model in tests: a request, the whole of its answer, or its failure."""

from typing import Any

import pytest

from chat.llm.attempt import Attempt
from chat.llm.base import ModelFailed, Request

TOOLS = [{"name": "read_gauge", "description": "d", "input_schema": {"type": "object"}}]


def request(*messages: dict[str, Any], **changes: Any) -> Request:
    """Return a request that is fine but for `changes`; without messages it says hello."""
    options: dict[str, Any] = {
        "model": "claude-sonnet-5-5",
        "system": "be brief",
        "tools": TOOLS,
        "max_tokens": 16_000,
    }
    return Request(
        messages=messages or [{"role": "user", "content": "hello"}], **(options | changes)
    )


async def read(attempt: Attempt) -> str:
    """Return all that an attempt shows."""
    return "".join([delta.text async for delta in attempt])


async def failure_of(attempt: Attempt) -> ModelFailed:
    """Return how an attempt fails."""
    with pytest.raises(ModelFailed) as raised:
        await read(attempt)
    return raised.value
