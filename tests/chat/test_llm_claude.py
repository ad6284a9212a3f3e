"""Claude over the wire: the real SDK against a strict upstream on loopback."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import Any

import httpx2
import pytest

from chat.llm import claude
from chat.llm.base import ModelFailed
from tests.support.asking import failure_of, read, request
from tests.support.upstream import Answer, Upstream, calls, fails, says, text, thought, use

LONG = "The valve is open. " * 4
SECRET = "canary-7f3a"


@pytest.fixture
def upstream() -> Iterator[Upstream]:
    with Upstream() as running:
        yield running


@pytest.fixture
async def model(upstream: Upstream) -> AsyncIterator[claude.Claude]:
    built = claude.build(api_key=SECRET, base_url=upstream.url)
    yield built
    await built.aclose()


class TestStream:
    async def test_gives_the_deltas_and_then_the_whole_reply(
        self, upstream: Upstream, model: claude.Claude
    ) -> None:
        blocks = [
            thought("hm", signature="c2ln"),
            text("Grüße 😀\u2028 there"),
            use("read_gauge", call_id="toolu_1", n=1),
        ]
        upstream.queue(Answer(blocks=blocks, chunk=3))
        attempt = model.stream(request())

        deltas = [(delta.kind, delta.text) async for delta in attempt]

        assert "".join(words for kind, words in deltas if kind == "text") == "Grüße 😀\u2028 there"
        assert "".join(words for kind, words in deltas if kind == "thinking") == "hm"
        assert attempt.reply is not None
        assert attempt.reply.content == blocks
        assert attempt.reply.stop_reason == "tool_use"
        assert attempt.reply.request_id
        assert attempt.usage == attempt.reply.usage
        assert attempt.partial() == blocks

    async def test_sends_nothing_before_it_is_read(
        self, upstream: Upstream, model: claude.Claude
    ) -> None:
        attempt = model.stream(request())

        await attempt.aclose()

        assert upstream.requests == []

    async def test_sends_what_the_api_accepts(
        self, upstream: Upstream, model: claude.Claude
    ) -> None:
        await read(model.stream(request(effort="high")))

        (seen,) = upstream.requests
        assert upstream.violations == []
        assert seen.headers["authorization"] == f"Bearer {SECRET}"
        assert seen.headers["accept-encoding"] == "identity"
        assert seen.body["stream"] is True
        assert seen.body["thinking"] == {"type": "adaptive", "display": "summarized"}
        assert seen.body["output_config"] == {"effort": "high"}

    @pytest.mark.parametrize(
        ("name", "asked"),
        [
            ("claude-opus-5-5", {"type": "adaptive", "display": "summarized"}),
            ("claude-haiku-4-5", None),
            ("local-model", None),
        ],
    )
    async def test_asks_only_known_models_to_think(
        self, upstream: Upstream, model: claude.Claude, name: str, asked: object
    ) -> None:
        await read(model.stream(request(model=name)))

        assert upstream.bodies[0].get("thinking") == asked

    async def test_believes_the_listing_before_its_own_table(
        self, upstream: Upstream, model: claude.Claude
    ) -> None:
        adaptive = {"thinking": {"supported": True, "types": {"adaptive": {"supported": True}}}}
        upstream.models = [
            {
                "type": "model",
                "id": "local-model",
                "display_name": "Local",
                "capabilities": adaptive,
            }
        ]
        await model.models()

        await read(model.stream(request(model="local-model")))

        assert "thinking" in upstream.bodies[0]

    async def test_sends_each_request_as_an_exact_continuation_of_the_last(
        self, upstream: Upstream, model: claude.Claude
    ) -> None:
        upstream.queue(
            calls(thought("hm"), text("I look."), use("read_gauge", call_id="toolu_1")),
            says("4.2 bar"),
        )
        hello = {"role": "user", "content": [text("hello")]}
        first = model.stream(request(hello))
        await read(first)
        assert first.reply is not None
        answer = {
            "role": "user",
            "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "4.2"}],
        }

        await read(
            model.stream(
                request(hello, {"role": "assistant", "content": first.reply.content}, answer)
            )
        )

        assert upstream.violations == []
        assert [body["system"] for body in upstream.bodies] == [upstream.bodies[0]["system"]] * 2
        assert upstream.bodies[1]["messages"][1]["content"] == first.reply.content

    async def test_is_told_when_thinking_no_longer_fits(
        self, upstream: Upstream, model: claude.Claude
    ) -> None:
        upstream.queue(Answer(blocks=[thought("hm"), text("yes")]))
        first = model.stream(request())
        await read(first)
        assert first.reply is not None
        edited: list[dict[str, Any]] = [
            {"role": "user", "content": "another question"},
            {"role": "assistant", "content": first.reply.content},
            {"role": "user", "content": "more"},
        ]

        failed = await failure_of(model.stream(request(*edited)))

        assert failed.kind == "binding"

    async def test_uses_one_connection_for_one_request_after_another(
        self, upstream: Upstream, model: claude.Claude
    ) -> None:
        upstream.queue(says(LONG), says(LONG, write=7), fails("api_error", status=500), says(LONG))
        for _ in range(2):
            await read(model.stream(request()))
        await failure_of(model.stream(request()))
        await read(model.stream(request()))

        assert upstream.connections == 1

    async def test_reads_a_body_that_a_proxy_has_compressed(
        self, model: claude.Claude, upstream: Upstream
    ) -> None:
        upstream.queue(says(LONG, gzip=True))

        assert await read(model.stream(request())) == LONG

    async def test_is_done_although_the_connection_is_never_ended(
        self, model: claude.Claude, upstream: Upstream
    ) -> None:
        upstream.queue(says(LONG, unended=True))
        attempt = model.stream(request())

        assert await read(attempt) == LONG
        assert attempt.reply is not None

    async def test_ignores_what_comes_after_the_end(
        self, model: claude.Claude, upstream: Upstream
    ) -> None:
        upstream.queue(says(LONG, then=b"data: [DONE]\n\n"))
        attempt = model.stream(request())

        assert await read(attempt) == LONG
        assert attempt.reply is not None


class TestClosing:
    async def test_ends_the_connection_and_keeps_what_was_shown(
        self, upstream: Upstream, model: claude.Claude
    ) -> None:
        upstream.queue(says(LONG, hold_after=2))
        attempt = model.stream(request())
        seen = [await anext(aiter(attempt)), await anext(aiter(attempt))]

        await attempt.aclose()
        await attempt.aclose()

        await asyncio.to_thread(upstream.wait_for, gone=1)
        assert attempt.partial() == [text("".join(delta.text for delta in seen))]
        assert attempt.reply is None

    async def test_ends_a_read_of_another_task(
        self, upstream: Upstream, model: claude.Claude
    ) -> None:
        upstream.queue(says(LONG, hold_after=1))
        attempt = model.stream(request())
        started = asyncio.Event()

        async def watch() -> None:
            async for _ in attempt:
                started.set()

        reading = asyncio.create_task(watch())
        await started.wait()
        await attempt.aclose()

        with pytest.raises(ModelFailed):
            await reading
        await asyncio.to_thread(upstream.wait_for, gone=1)

    async def test_happens_when_the_task_is_cancelled(
        self, upstream: Upstream, model: claude.Claude
    ) -> None:
        upstream.queue(says(LONG, hold_after=1))
        reading = asyncio.create_task(read(model.stream(request())))
        await asyncio.to_thread(upstream.wait_for, requests=1)

        reading.cancel()

        with pytest.raises(asyncio.CancelledError):
            await reading
        await asyncio.to_thread(upstream.wait_for, gone=1)


class TestModels:
    async def test_are_listed_with_what_the_api_tells_of_them(
        self, upstream: Upstream, model: claude.Claude
    ) -> None:
        upstream.models = [
            {
                "type": "model",
                "id": "m",
                "display_name": "M",
                "max_input_tokens": 5,
                "deprecated_at": None,
                "line": None,
            }
        ]

        assert await model.models() == [{"id": "m", "display_name": "M", "max_input_tokens": 5}]

    async def test_are_none_when_the_api_cannot_be_asked(self) -> None:
        model = claude.build(api_key="key", base_url="http://127.0.0.1:1")

        assert await model.models() == []
        await model.aclose()


class TestCountTokens:
    async def test_counts_what_would_be_sent(
        self, upstream: Upstream, model: claude.Claude
    ) -> None:
        assert await model.count_tokens(request()) > 10
        assert "max_tokens" not in upstream.requests[0].body

    async def test_fails_by_name(self) -> None:
        model = claude.build(api_key="key", base_url="http://127.0.0.1:1")

        with pytest.raises(ModelFailed) as raised:
            await model.count_tokens(request())

        assert raised.value.code == "unreachable"
        await model.aclose()


class TestOver:
    async def test_is_led_astray_by_nothing_in_the_environment(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for name in ("ANTHROPIC_BASE_URL", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
            monkeypatch.setenv(name, "http://127.0.0.1:1")
        monkeypatch.setenv("ANTHROPIC_AUTH_TOKEN", "stray")
        seen: list[httpx2.Request] = []

        def answer(asked: httpx2.Request) -> httpx2.Response:
            seen.append(asked)
            return httpx2.Response(200, json={"input_tokens": 3})

        model = claude.over(httpx2.MockTransport(answer))

        assert await model.count_tokens(request()) == 3
        assert seen[0].url.host == "demo.invalid"
        assert seen[0].headers["authorization"] == "Bearer demo"
        await model.aclose()
