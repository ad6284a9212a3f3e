"""The body of a request: cached where it can be, and the caller's lists as they were."""

import copy
from typing import Any

import pytest

from chat.llm.base import Request
from chat.llm.request import EPHEMERAL, body_of

TOOLS = [
    {"name": "read_gauge", "description": "d", "input_schema": {"type": "object"}},
    {"name": "set_valve", "description": "d", "input_schema": {"type": "object"}},
]
HELLO = {"type": "text", "text": "hello"}
THOUGHT = {"type": "thinking", "thinking": "", "signature": "abc"}


def request(*messages: dict[str, Any], **changes: Any) -> Request:
    options: dict[str, Any] = {
        "model": "m",
        "system": "be brief",
        "tools": TOOLS,
        "max_tokens": 16_000,
    }
    return Request(messages=messages or [user("hello")], **(options | changes))


def user(*content: Any) -> dict[str, Any]:
    return {"role": "user", "content": content[0] if isinstance(content[0], str) else list(content)}


def marked(block: dict[str, Any]) -> dict[str, Any]:
    return {**block, "cache_control": EPHEMERAL}


def markers(value: Any) -> int:
    if isinstance(value, dict):
        return ("cache_control" in value) + sum(map(markers, value.values()))
    return sum(map(markers, value)) if isinstance(value, list) else 0


class TestBodyOf:
    def test_caches_system_tools_and_the_end_of_the_list(self) -> None:
        body = body_of(request(user(HELLO, {**HELLO, "text": "there"})), thinks=False)

        assert body == {
            "model": "m",
            "max_tokens": 16_000,
            "system": [marked({"type": "text", "text": "be brief"})],
            "tools": [TOOLS[0], marked(TOOLS[1])],
            "messages": [user(HELLO, marked({**HELLO, "text": "there"}))],
        }

    def test_sends_no_empty_system_and_no_empty_tools(self) -> None:
        body = body_of(request(system="", tools=[]), thinks=False)

        assert body.keys() == {"model", "max_tokens", "messages"}

    def test_asks_for_thinking_and_effort_when_told(self) -> None:
        body = body_of(request(effort="high"), thinks=True)

        assert body["thinking"] == {"type": "adaptive", "display": "summarized"}
        assert body["output_config"] == {"effort": "high"}

    @pytest.mark.parametrize("name", ["temperature", "top_p", "top_k"])
    def test_sends_no_sampling_parameter(self, name: str) -> None:
        assert name not in body_of(request(effort="low"), thinks=True)

    def test_marks_a_text_that_is_a_plain_string(self) -> None:
        body = body_of(request(user("hello")), thinks=False)

        assert body["messages"] == [user(marked(HELLO))]

    @pytest.mark.parametrize(
        "tail",
        [
            THOUGHT,
            {"type": "redacted_thinking", "data": "x"},
            {"type": "text", "text": " "},
            {"type": "hologram"},
        ],
    )
    def test_marks_no_block_that_may_not_carry_a_marker(self, tail: dict[str, Any]) -> None:
        behind = body_of(request(user(HELLO, tail)), thinks=False)
        alone = body_of(request(user(tail)), thinks=False)

        assert behind["messages"] == [user(marked(HELLO), tail)]
        assert alone["messages"] == [user(tail)]

    def test_sends_no_stored_marker(self) -> None:
        """Rule 20: four at most, those in old messages included."""
        result = {"type": "tool_result", "tool_use_id": "a1", "content": [marked(HELLO)]}
        stored = [
            user(marked(HELLO)),
            {"role": "assistant", "content": [marked(HELLO)]},
            user(result, marked(HELLO), HELLO),
        ]

        body = body_of(request(*stored), thinks=False)

        assert body["messages"][:2] == [user(HELLO), {"role": "assistant", "content": [HELLO]}]
        assert markers([body["system"], body["tools"], body["messages"]]) == 3

    def test_changes_nothing_it_was_given(self) -> None:
        asked = request(
            user("first"),
            {"role": "assistant", "content": [THOUGHT, HELLO]},
            user(marked(HELLO), HELLO),
        )
        before = copy.deepcopy(asked)

        body_of(asked, thinks=True)

        assert asked == before

    def test_shares_what_it_does_not_change(self) -> None:
        """A long history with images is not copied for each request."""
        old = user(HELLO)

        body = body_of(
            request(old, {"role": "assistant", "content": [HELLO]}, user("more")), thinks=False
        )

        assert body["messages"][0] is old

    def test_keeps_an_empty_list_empty(self) -> None:
        assert (
            body_of(
                Request(model="m", system="", tools=[], messages=[], max_tokens=1), thinks=False
            )["messages"]
            == []
        )
