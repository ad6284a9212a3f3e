"""The log tells who failed how, and nothing of what was said."""

import logging
from collections.abc import AsyncIterator, Iterator

import pytest

from chat.llm import claude
from chat.llm.attempt import known_id
from chat.llm.base import ModelFailed
from tests.support.asking import failure_of, read, request
from tests.support.upstream import Answer, Upstream, fails, says

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


class TestLogs:
    @pytest.mark.parametrize(
        "answer",
        [
            says(SECRET),
            fails("invalid_request_error", status=400, prose=SECRET, code=SECRET),
            fails(SECRET, status=500, headers={"request-id": f"req {SECRET}"}),
            Answer(status=502, html=SECRET),
            says(SECRET, fault=f"error:{SECRET}", after=1),
            Answer(raw=b"data: " + SECRET.encode() + b"\n\n"),
        ],
    )
    async def test_hold_one_line_per_request_and_nothing_that_was_said_t109_t111(
        self,
        upstream: Upstream,
        model: claude.Claude,
        caplog: pytest.LogCaptureFixture,
        answer: Answer,
    ) -> None:
        """The canary stands in the key, the system text, the message, the tools and the answer."""
        caplog.set_level(logging.DEBUG, logger="chat.llm")
        upstream.queue(answer)
        secret = [{"name": "t", "description": SECRET, "input_schema": {"type": "object"}}]
        asked = request({"role": "user", "content": SECRET}, system=SECRET, tools=secret)

        try:
            await read(model.stream(asked))
        except ModelFailed as failed:
            logging.getLogger("chat.llm").exception("failed", exc_info=failed)

        lines = [record for record in caplog.records if record.message.startswith("model request")]
        assert len(lines) == 1
        assert SECRET not in caplog.text

    async def test_name_kind_status_and_request_id(
        self, upstream: Upstream, model: claude.Claude, caplog: pytest.LogCaptureFixture
    ) -> None:
        upstream.queue(fails("overloaded_error", status=529, headers={"request-id": "req_known"}))

        await failure_of(model.stream(request()))

        assert "kind=transient code=overloaded status=529 request_id=req_known" in caplog.text

    @pytest.mark.parametrize("odd", [None, "", "a b", "line\nbreak", "x" * 200, "<html>"])
    def test_hold_no_request_id_that_is_none(self, odd: str | None) -> None:
        assert known_id(odd) is None
