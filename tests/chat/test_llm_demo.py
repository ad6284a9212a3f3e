"""The demo model runs the real path, judged as the API would judge it."""

import time
from collections.abc import AsyncIterator
from itertools import count

import httpx2
import pytest

from chat.llm.base import ModelFailed
from chat.llm.claude import Claude
from chat.llm.demo import DemoTransport, demo_model
from tests.support.asking import failure_of, request
from tests.support.demo import TOOLS, Chat


@pytest.fixture
async def model() -> AsyncIterator[Claude]:
    numbers = count(1)
    built = demo_model(pace=0, new_id=lambda prefix: f"{prefix}_{next(numbers)}")
    yield built
    await built.aclose()


class TestWire:
    async def test_thinks_first_with_a_signature(self, model: Claude) -> None:
        attempt = await Chat(model).say("hello")

        assert attempt.reply is not None
        first = attempt.reply.content[0]
        assert first["type"] == "thinking"
        assert first["thinking"]
        assert first["signature"]

    async def test_counts_a_growing_conversation_as_read_from_the_cache(
        self, model: Claude
    ) -> None:
        chat = Chat(model)

        usages = [(await chat.say("hello")).usage for _ in range(3)]

        assert usages[0]["cache_read_input_tokens"] == 0
        assert 0 < usages[1]["cache_read_input_tokens"] < usages[2]["cache_read_input_tokens"]
        assert all(
            usage["output_tokens"] > 20 and usage["cache_creation_input_tokens"] > 0
            for usage in usages
        )

    async def test_mints_ids_like_the_api(self) -> None:
        model = demo_model(pace=0)

        attempt = await Chat(model).say("what time is it?")

        assert attempt.reply is not None
        assert attempt.reply.content[2]["id"].startswith("toolu_01")
        assert (attempt.reply.request_id or "").startswith("req_01")
        await model.aclose()

    async def test_refuses_what_the_api_would_refuse(self, model: Claude) -> None:
        orphan = {
            "role": "assistant",
            "content": [{"type": "tool_use", "id": "a1", "name": "list_files", "input": {}}],
        }

        failed = await failure_of(
            model.stream(
                request(
                    {"role": "user", "content": "x"},
                    orphan,
                    {"role": "user", "content": "y"},
                    tools=TOOLS,
                )
            )
        )

        assert (failed.kind, failed.code) == ("invalid", "invalid_request")
        assert failed.request_id

    async def test_streams_at_the_pace_of_a_person(self) -> None:
        model = demo_model(pace=0.005)
        begun = time.monotonic()

        attempt = await Chat(model).say("hello")

        assert attempt.reply is not None
        assert time.monotonic() - begun > 0.005 * 100
        await model.aclose()

    async def test_lists_itself_as_what_it_is(self, model: Claude) -> None:
        (card,) = await model.models()

        assert card["id"] == "demo"
        assert "no Claude" in card["display_name"]

    async def test_counts_tokens(self, model: Claude) -> None:
        assert await model.count_tokens(request()) > 10
        with pytest.raises(ModelFailed):
            await model.count_tokens(request({"role": "user", "content": ""}))

    @pytest.mark.parametrize(
        ("method", "path", "status"),
        [("GET", "/v1/nothing", 404), ("GET", "/v1/messages", 404), ("POST", "/v1/messages", 400)],
    )
    async def test_answers_anything_else_with_an_error_of_the_apis_shape(
        self, method: str, path: str, status: int
    ) -> None:
        unstreamed = {"model": "m", "max_tokens": 1, "messages": [{"role": "user", "content": "x"}]}
        async with httpx2.AsyncClient(
            transport=DemoTransport(pace=0), base_url="http://demo.invalid"
        ) as client:
            answer = await client.request(method, path, json=unstreamed)

        assert answer.status_code == status
        assert answer.json()["type"] == "error"
        assert answer.json()["request_id"] == answer.headers["request-id"]
