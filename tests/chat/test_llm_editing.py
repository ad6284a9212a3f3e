"""Room in the context, asked of the API: on the wire, only when it is wanted, and with nothing else changed."""

from collections.abc import AsyncIterator, Iterator

import pytest

from chat.llm import claude
from chat.llm.base import Lists, listed_by
from tests.support.asking import read, request
from tests.support.listing import entry
from tests.support.upstream import Upstream, says


@pytest.fixture
def upstream() -> Iterator[Upstream]:
    with Upstream() as running:
        yield running


@pytest.fixture
async def model(upstream: Upstream) -> AsyncIterator[claude.Claude]:
    built = claude.build(api_key="test", base_url=upstream.url)
    yield built
    await built.aclose()


class TestEditing:
    async def test_is_asked_for_in_body_and_header(
        self, upstream: Upstream, model: claude.Claude
    ) -> None:
        upstream.queue(says("ok"))

        await read(model.stream(request(edit_from=800)))

        (seen,) = upstream.requests
        assert seen.headers["anthropic-beta"] == "context-management-2025-06-27"
        assert seen.body["context_management"] == {
            "edits": [
                {
                    "type": "clear_tool_uses_20250919",
                    "trigger": {"type": "input_tokens", "value": 800},
                    "keep": {"type": "tool_uses", "value": 3},
                    "clear_at_least": {"type": "input_tokens", "value": 100},
                }
            ]
        }
        assert upstream.violations == []

    async def test_changes_nothing_else_of_a_request(
        self, upstream: Upstream, model: claude.Claude
    ) -> None:
        await read(model.stream(request()))
        await read(model.stream(request(edit_from=800)))

        plain, edited = upstream.bodies
        del edited["context_management"]
        assert edited == plain
        assert "anthropic-beta" not in upstream.requests[0].headers


class TestListing:
    async def test_is_known_once_it_was_asked_for(
        self, upstream: Upstream, model: claude.Claude
    ) -> None:
        upstream.models = [entry("claude-a") | {"type": "model", "lifecycle": "active"}]

        before = listed_by(model)
        await model.models()

        assert isinstance(model, Lists)
        assert before == []
        assert [known["id"] for known in listed_by(model)] == ["claude-a"]

    def test_is_empty_of_what_lists_nothing(self) -> None:
        assert listed_by(object()) == []
