"""The models that may be chosen: asked for now and then, never in the way of a turn."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from typing import Any

log = logging.getLogger("chat.llm")
FRESH = 600.0
"""Seconds a listing is good for; after a failed one, SOON until the next try."""
SOON = 60.0
PATIENCE = 5.0
_KEPT = ("id", "display_name", "max_input_tokens", "max_tokens", "lifecycle", "capabilities")

Fetch = Callable[[], Awaitable[list[dict[str, Any]]]]


class Catalogue:
    """`fetch` asks the provider; `faults` are the errors it may raise. Callers at the same time share one question."""

    def __init__(
        self,
        fetch: Fetch,
        *,
        faults: tuple[type[Exception], ...],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._fetch, self._clock = fetch, clock
        self._faults: tuple[type[Exception], ...] = (*faults, TimeoutError)
        self._found: dict[str, dict[str, Any]] = {}
        self._good_until = float("-inf")
        self._asking = asyncio.Lock()

    async def models(self) -> list[dict[str, Any]]:
        """Return `{id, display_name, …}` of each model; when none can be had, the last ones known, else none."""
        async with self._asking:
            if self._clock() >= self._good_until:
                await self._ask()
        return list(self._found.values())

    def known(self) -> list[dict[str, Any]]:
        """Return the last listing, empty while there is none; asks nobody."""
        return list(self._found.values())

    def thinks(self, model: str) -> bool | None:
        """Say whether a model takes adaptive thinking, None when no listing told; asks nobody."""
        capabilities = self._found.get(model, {}).get("capabilities") or {}
        try:
            return bool(capabilities["thinking"]["types"]["adaptive"]["supported"])
        except (KeyError, TypeError):
            return None

    async def _ask(self) -> None:
        try:
            async with asyncio.timeout(PATIENCE):
                listed = await self._fetch()
        except self._faults as error:
            log.warning("listing models failed: %s", type(error).__name__)
            self._good_until = self._clock() + SOON
            return
        self._found = {
            model["id"]: {key: model[key] for key in _KEPT if model.get(key) is not None}
            for model in listed
            if isinstance(model.get("id"), str)
        }
        self._good_until = self._clock() + FRESH
