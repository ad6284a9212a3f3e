"""What goes wrong between kenny and Claude has a name, and is told without the upstream's words."""

import asyncio
import traceback
from collections.abc import AsyncIterator, Iterator

import pytest

from chat.llm import claude
from chat.llm.attempt import Patience
from tests.support.asking import failure_of, read, request
from tests.support.upstream import Answer, Upstream, calls, fails, says, text, use

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


@pytest.fixture
async def hasty(upstream: Upstream) -> AsyncIterator[claude.Claude]:
    patience = Patience(first=0.3, silence=0.3, idle=0.3)
    built = claude.build(api_key=SECRET, base_url=upstream.url, patience=patience)
    yield built
    await built.aclose()


class TestSilence:
    @pytest.mark.parametrize(
        "answer",
        [
            pytest.param(says(LONG, fault=fault, after=after), id=f"{fault} after {after}")
            for fault in ("pings", "stall")
            for after in (0, 3)
        ]
        + [
            pytest.param(says("late", late=60), id="no headers"),
            pytest.param(says("x", fault="pings", unstarted=True), id="only pings"),
        ],
    )
    async def test_is_borne_only_so_long(
        self, upstream: Upstream, hasty: claude.Claude, answer: Answer
    ) -> None:
        """Pings are no progress, however many come."""
        upstream.queue(answer)
        attempt = hasty.stream(request())

        failed = await failure_of(attempt)

        assert (failed.kind, failed.code) == ("transient", "timeout")
        assert LONG.startswith("".join(block["text"] for block in attempt.partial()))
        await asyncio.to_thread(upstream.wait_for, gone=1)

    async def test_is_counted_anew_after_every_event(
        self, upstream: Upstream, hasty: claude.Claude
    ) -> None:
        upstream.queue(says("word " * 20, chunk=5, delay=0.03))

        assert await read(hasty.stream(request())) == "word " * 20


class TestFaults:
    @pytest.mark.parametrize("after", [0, 3])
    @pytest.mark.parametrize(
        ("fault", "kind", "code"),
        [
            ("rst", "transient", "broken_stream"),
            ("eof", "transient", "broken_stream"),
            ("again", "transient", "broken_stream"),
            ("malformed", "transient", "broken_stream"),
            ("gap", "transient", "broken_stream"),
            ("error:overloaded_error", "transient", "overloaded"),
            ("error:api_error", "transient", "upstream_error"),
            ("error:rate_limit_error", "rate_limited", "rate_limited"),
            ("error:invalid_request_error", "invalid", "invalid_request"),
            ("error:authentication_error", "refused_key", "refused_key"),
            ("error:from_the_future", "transient", "upstream_error"),
        ],
    )
    async def test_of_a_stream_have_a_name(
        self, upstream: Upstream, model: claude.Claude, fault: str, kind: str, code: str, after: int
    ) -> None:
        upstream.queue(says(LONG, fault=fault, after=after))
        attempt = model.stream(request())

        failed = await failure_of(attempt)

        assert (failed.kind, failed.code) == (kind, code)
        assert failed.request_id
        assert attempt.reply is None
        assert LONG.startswith("".join(block["text"] for block in attempt.partial()))
        assert attempt.usage["input_tokens"] > 0

    async def test_of_a_stream_of_one_error_are_no_broken_stream_t49(
        self, upstream: Upstream, model: claude.Claude
    ) -> None:
        """An error event without any message_start is classed by its type."""
        upstream.queue(says("", fault="error:invalid_request_error", unstarted=True))

        assert (await failure_of(model.stream(request()))).kind == "invalid"

    @pytest.mark.parametrize(
        ("answer", "kind", "code", "wait"),
        [
            (fails("overloaded_error", status=529, retry_after=1), "transient", "overloaded", 1.0),
            (
                fails("rate_limit_error", status=429, retry_after=4294967),
                "rate_limited",
                "rate_limited",
                4294967.0,
            ),
            (
                fails("rate_limit_error", status=429, code="enforced_spend_limit_reached"),
                "no_credit",
                "no_credit",
                None,
            ),
            (fails("authentication_error", status=401), "refused_key", "refused_key", None),
            (fails("billing_error", status=402), "no_credit", "no_credit", None),
            (fails("permission_error", status=403), "refused_key", "not_allowed", None),
            (fails("not_found_error", status=404), "refused_key", "unknown_model", None),
            (fails("request_too_large", status=413), "too_long", "too_large", None),
            (
                fails(
                    "invalid_request_error",
                    status=400,
                    prose="prompt is too long: 9 tokens > 8 maximum",
                ),
                "too_long",
                "context_full",
                None,
            ),
            (
                fails("invalid_request_error", status=400, code="image_dimensions_too_large"),
                "invalid",
                "image_too_large",
                None,
            ),
            (Answer(status=502, html="<h1>Bad Gateway</h1>"), "transient", "upstream_error", None),
            (Answer(status=413, html="<h1>Too large</h1>"), "too_long", "too_large", None),
            (
                Answer(status=200, html="<h1>Sign in to the hotel</h1>"),
                "unreachable",
                "not_the_api",
                None,
            ),
            (
                Answer(status=200, error="no", headers={"content-type": "application/json"}),
                "unreachable",
                "not_the_api",
                None,
            ),
            (Answer(raw=b""), "transient", "broken_stream", None),
            (Answer(raw=b"data: <h1>\n\n"), "transient", "broken_stream", None),
        ],
    )
    async def test_of_a_response_have_a_name(
        self,
        upstream: Upstream,
        model: claude.Claude,
        answer: Answer,
        kind: str,
        code: str,
        wait: float | None,
    ) -> None:
        upstream.queue(answer)

        failed = await failure_of(model.stream(request()))

        assert (failed.kind, failed.code, failed.retry_after) == (kind, code, wait)

    async def test_are_tried_once_and_not_again(
        self, upstream: Upstream, model: claude.Claude
    ) -> None:
        upstream.queue(fails("overloaded_error", status=529), says("x"))

        await failure_of(model.stream(request()))

        assert len(upstream.bodies) == 1

    @pytest.mark.parametrize(
        ("key", "url", "code"),
        [
            ("key", "http://127.0.0.1:1", "unreachable"),
            ("key", "ftp://127.0.0.1", "not_the_api"),
            ("key", "nonsense", "not_the_api"),
            ("key", "http://127.0.0.1:99999", "unreachable"),
        ],
    )
    async def test_of_the_settings_have_a_name(self, key: str, url: str, code: str) -> None:
        model = claude.build(api_key=key, base_url=url)

        failed = await failure_of(model.stream(request()))

        assert failed.code == code
        await model.aclose()

    async def test_of_a_key_that_no_header_can_carry_name_the_key(self, upstream: Upstream) -> None:
        model = claude.build(api_key="two\nlines", base_url=upstream.url)

        assert (await failure_of(model.stream(request()))).kind == "refused_key"
        await model.aclose()

    async def test_of_a_request_that_is_no_json_stay_here(
        self, upstream: Upstream, model: claude.Claude
    ) -> None:
        unsendable = {"role": "user", "content": [text("\ud83d")]}

        assert (await failure_of(model.stream(request(unsendable)))).kind == "invalid"
        assert upstream.requests == []

    async def test_are_told_without_the_upstreams_words_and_the_key(
        self, upstream: Upstream, model: claude.Claude
    ) -> None:
        upstream.queue(Answer(status=502, html=f"<h1>{SECRET}</h1>"))

        failed = await failure_of(model.stream(request()))

        assert failed.__context__ is None
        assert SECRET not in "".join(traceback.format_exception(failed))
        assert "<" not in failed.message


class TestCutReplies:
    @pytest.mark.parametrize("fault", ["cut", "unclosed"])
    async def test_carry_their_reason_and_no_half_call_t52_t53(
        self, upstream: Upstream, model: claude.Claude, fault: str
    ) -> None:
        upstream.queue(
            calls(
                use("read_gauge", n=100),
                before="I look.",
                chunk=3,
                fault=fault,
                after=6,
                stop="max_tokens",
            )
        )
        attempt = model.stream(request())

        await read(attempt)

        assert attempt.reply is not None
        assert attempt.reply.stop_reason == "max_tokens"
        assert attempt.reply.content == [text("I look.")]

    async def test_with_an_open_call_are_no_call(
        self, upstream: Upstream, model: claude.Claude
    ) -> None:
        upstream.queue(calls(use("read_gauge", n=100), fault="unclosed", after=1))

        assert (await failure_of(model.stream(request()))).code == "broken_stream"

    async def test_name_the_arguments_that_cannot_be_read(
        self, upstream: Upstream, model: claude.Claude
    ) -> None:
        upstream.queue(
            calls(use("read_gauge", call_id="toolu_1"), raw_input={"toolu_1": '{"n": 1, "n": 2}'})
        )
        attempt = model.stream(request())

        await read(attempt)

        assert attempt.reply is not None
        assert attempt.reply.unreadable == {"toolu_1": "a key comes twice"}
        assert attempt.reply.content[0]["input"] == {"INVALID_JSON": '{"n": 1, "n": 2}'}
