"""The list of models is asked for now and then, and stands in nobody's way."""

import asyncio
from typing import Any

import pytest

from chat.llm import catalogue
from chat.llm.catalogue import FRESH, SOON, Catalogue

ADAPTIVE = {"thinking": {"types": {"adaptive": {"supported": True}}}}


class Provider:
    """Lists `models`, or raises `error`; counts how often it is asked."""

    def __init__(self) -> None:
        self.models: list[dict[str, Any]] = [
            {"id": "m", "display_name": "M", "type": "model", "line": None}
        ]
        self.error: Exception | None = None
        self.asked = 0
        self.now = 0.0

    async def fetch(self) -> list[dict[str, Any]]:
        self.asked += 1
        await asyncio.sleep(0)
        if self.error is not None:
            raise self.error
        return self.models

    def catalogue(self) -> Catalogue:
        return Catalogue(self.fetch, faults=(ConnectionError,), clock=lambda: self.now)


class TestCatalogue:
    async def test_is_asked_once_while_it_is_fresh(self) -> None:
        provider = Provider()
        asked = provider.catalogue()

        found = [await asked.models() for provider.now in (0.0, FRESH - 1, FRESH)]

        assert found == [[{"id": "m", "display_name": "M"}]] * 3
        assert provider.asked == 2

    async def test_is_asked_once_by_many_at_once(self) -> None:
        provider = Provider()
        asked = provider.catalogue()

        await asyncio.gather(*(asked.models() for _ in range(5)))

        assert provider.asked == 1

    async def test_keeps_what_it_knew_when_a_listing_fails(self) -> None:
        provider = Provider()
        asked = provider.catalogue()
        await asked.models()
        provider.error, provider.now = ConnectionError("down"), FRESH

        found = [await asked.models(), await asked.models()]
        provider.now += SOON
        await asked.models()

        assert found == [[{"id": "m", "display_name": "M"}]] * 2
        assert provider.asked == 3

    async def test_waits_for_a_listing_only_so_long(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(catalogue, "PATIENCE", 0.01)

        async def never() -> list[dict[str, Any]]:
            await asyncio.Event().wait()
            return []

        assert await Catalogue(never, faults=()).models() == []

    async def test_leaves_out_what_has_no_id(self) -> None:
        provider = Provider()
        provider.models = [{"id": None}, {}, {"id": "m"}]

        assert await provider.catalogue().models() == [{"id": "m"}]

    @pytest.mark.parametrize(
        ("capabilities", "thinks"),
        [
            (ADAPTIVE, True),
            ({"thinking": {"types": {"adaptive": {"supported": False}}}}, False),
            ({}, None),
            ({"thinking": None}, None),
            (None, None),
        ],
    )
    async def test_tells_which_models_think_if_it_was_told(
        self, capabilities: Any, thinks: object
    ) -> None:
        provider = Provider()
        provider.models = [{"id": "m", "capabilities": capabilities}]
        asked = provider.catalogue()

        before = asked.thinks("m")
        await asked.models()

        assert before is None
        assert asked.thinks("m") is thinks
        assert asked.thinks("another") is None
