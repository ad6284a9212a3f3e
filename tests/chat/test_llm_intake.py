"""What the API refuses is refused here too, and what it takes is taken."""

from typing import Any

import pytest

from chat.llm import binding
from chat.llm.base import Request
from chat.llm.intake import error_body, refusal, tokens
from chat.llm.request import EPHEMERAL, body_of

TOOL = {"name": "read_gauge", "description": "d", "input_schema": {"type": "object"}}
TEXT = {"type": "text", "text": "hello"}
THOUGHT = {"type": "thinking", "thinking": "hm", "signature": "c2ln"}


def body(**changes: Any) -> dict[str, Any]:
    return {
        "model": "m",
        "max_tokens": 1,
        "messages": [{"role": "user", "content": "hello"}],
        **changes,
    }


def user(*content: Any) -> dict[str, Any]:
    return {"role": "user", "content": list(content)}


def marked(block: dict[str, Any]) -> dict[str, Any]:
    return {**block, "cache_control": EPHEMERAL}


class TestRefusal:
    @pytest.mark.parametrize(
        "changes",
        [
            {},
            {
                "system": "be brief",
                "tools": [TOOL],
                "stream": True,
                "thinking": {"type": "adaptive"},
            },
            {
                "system": [marked({"type": "text", "text": "be brief"})],
                "output_config": {"effort": "max"},
            },
            {"tools": []},
        ],
    )
    def test_is_none_for_what_the_api_takes(self, changes: dict[str, Any]) -> None:
        assert refusal(body(**changes)) is None

    def test_is_none_for_what_the_product_sends(self) -> None:
        asked = Request(
            model="m",
            system="s",
            tools=[TOOL, {**TOOL, "name": "t2"}],
            messages=[user(TEXT)],
            max_tokens=9,
            effort="low",
        )

        assert refusal(body_of(asked, thinks=True)) is None

    @pytest.mark.parametrize(
        ("changes", "wanted"),
        [
            ({"temperature": 0.5}, "temperature"),
            ({"top_k": None}, "top_k"),
            ({"mood": "good"}, "mood: Extra inputs are not permitted"),
            ({"model": ""}, "model"),
            ({"model": 4}, "model"),
            ({"max_tokens": 0}, "max_tokens"),
            ({"max_tokens": True}, "max_tokens"),
            ({"output_config": {"effort": "some"}}, "effort"),
            ({"system": ""}, "system"),
            ({"system": 4}, "system"),
            ({"system": [{"type": "image"}]}, "system"),
            ({"tools": {}}, "tools"),
            ({"tools": ["x"]}, "tools"),
            ({"tools": [TOOL, TOOL]}, "unique"),
            ({"tools": [{**TOOL, "name": "two words"}]}, "pattern"),
            ({"tools": [{**TOOL, "input_schema": {}}]}, "input_schema"),
            ({"messages": []}, "at least one"),
            ({"messages": "hello"}, "at least one"),
            ({"messages": [user()]}, "messages.0"),
            ({"messages": [user({"type": "text", "text": " "})]}, "messages.0"),
            ({"messages": [user({**TEXT, "_kenny": 1})]}, "messages.0"),
            ({"messages": [user(TEXT), {"role": "assistant", "content": "yes"}]}, "messages.1"),
            ({"messages": [user(*[marked(TEXT)] * 5)]}, "A maximum of 4"),
            (
                {
                    "messages": [user(*[marked(TEXT)] * 3)],
                    "tools": [marked(TOOL)],
                    "system": [marked(TEXT)],
                },
                "A maximum of 4",
            ),
            (
                {
                    "messages": [
                        user(TEXT),
                        {"role": "assistant", "content": [marked(THOUGHT), TEXT]},
                        user(TEXT),
                    ]
                },
                "thinking",
            ),
            ({"messages": [user(marked({"type": "text", "text": ""}))]}, "empty text"),
            (
                {
                    "messages": [
                        user({"type": "tool_result", "tool_use_id": "a1", "content": "ok"})
                    ],
                    "tools": [TOOL],
                },
                "messages.0",
            ),
        ],
    )
    def test_names_what_the_api_would_not_take(self, changes: dict[str, Any], wanted: str) -> None:
        assert wanted in (refusal(body(**changes)) or "")

    @pytest.mark.parametrize("odd", [None, [], "text", 4])
    def test_is_given_for_what_is_no_object(self, odd: object) -> None:
        assert refusal(odd) == "body: Input should be a valid dictionary"


class TestTokens:
    def test_are_about_a_quarter_of_the_characters_without_images(self) -> None:
        image = {
            "type": "image",
            "source": {"type": "base64", "media_type": "image/png", "data": "A" * 100_000},
        }

        assert 90 < tokens("word " * 80) < 120
        assert tokens(image) < 50


class TestErrorBody:
    def test_has_the_apis_shape(self) -> None:
        found = error_body("api_error", "no", request_id="req_1", code="c")

        assert found == {
            "type": "error",
            "error": {"type": "api_error", "message": "no", "details": {"error_code": "c"}},
            "request_id": "req_1",
        }


class TestBinding:
    @pytest.fixture
    def asked(self) -> dict[str, Any]:
        return body(system="be brief", tools=[TOOL])

    def answered(self, asked: dict[str, Any], **changes: Any) -> dict[str, Any]:
        thought = {"type": "thinking", "thinking": "", "signature": binding.sign(asked)}
        second = {**thought, "signature": binding.sign(asked, before=[thought, TEXT])}
        reply = {
            "role": "assistant",
            "content": [
                thought,
                TEXT,
                second,
                {"type": "tool_use", "id": "a1", "name": "read_gauge", "input": {}},
            ],
        }
        result = user({"type": "tool_result", "tool_use_id": "a1", "content": "4.2"})
        return {**asked, "messages": [*asked["messages"], reply, result], **changes}

    def test_holds_while_nothing_before_has_changed(self, asked: dict[str, Any]) -> None:
        rewrapped = [user(marked(TEXT)), *self.answered(asked)["messages"][1:]]

        assert binding.unbound(self.answered(asked)) is None
        assert (
            binding.unbound(
                self.answered(
                    asked,
                    system=[marked({"type": "text", "text": "be brief"})],
                    tools=[marked(TOOL)],
                )
            )
            is None
        )
        assert binding.unbound(self.answered(asked, messages=rewrapped, max_tokens=5)) is None

    @pytest.mark.parametrize(
        "change", [{"system": "be long"}, {"tools": []}, {"tools": [{**TOOL, "description": "e"}]}]
    )
    def test_breaks_with_system_and_tools(
        self, asked: dict[str, Any], change: dict[str, Any]
    ) -> None:
        assert "bound to a different conversation" in (
            binding.unbound(self.answered(asked, **change)) or ""
        )

    def test_breaks_with_an_earlier_message(self, asked: dict[str, Any]) -> None:
        messages = self.answered(asked)["messages"]

        edited = self.answered(asked, messages=[user({**TEXT, "text": "hullo"}), *messages[1:]])

        assert (binding.unbound(edited) or "").startswith("messages.1.content.0: ")

    def test_does_not_judge_what_was_signed_elsewhere(self, asked: dict[str, Any]) -> None:
        foreign = [
            {"role": "assistant", "content": [{**THOUGHT, "signature": odd}]}
            for odd in ("c2ln", "not base64!", None)
        ]

        assert binding.unbound({**asked, "messages": [*asked["messages"], *foreign]}) is None
