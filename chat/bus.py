"""Wake-ups between processes. Hints only: the database is the truth, a lost hint costs a delay and nothing else.

Every process listens on one channel. A hint never holds content: `{"kind": "flushed", "turns": {pk: seq}}`,
`{"kind": "user", "user": id, "frame": {...}}`, `{"kind": "nudge", "turn": pk}`.
"""

import asyncio
import contextlib
import json
import logging
import secrets
from collections.abc import Callable
from typing import Any

from channels.layers import InMemoryChannelLayer, get_channel_layer

logger = logging.getLogger(__name__)

GROUP = "kenny.hints"
Hint = dict[str, Any]
Listener = Callable[[Hint], None]


class Bus:
    """Carries hints to the listeners of this process at once and to other processes through the channel layer."""

    def __init__(self) -> None:
        self.name = secrets.token_hex(8)
        self._listeners: list[Listener] = []
        self._loop: asyncio.AbstractEventLoop | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self.remote = False
        self._away = False

    def listen(self, listener: Listener) -> None:
        self._listeners.append(listener)

    def forget(self, listener: Listener) -> None:
        with contextlib.suppress(ValueError):
            self._listeners.remove(listener)

    async def start(self) -> None:
        """Join the other processes, where a layer that reaches them is configured."""
        self._loop = asyncio.get_running_loop()
        layer = get_channel_layer()
        self.remote = layer is not None and not isinstance(layer, InMemoryChannelLayer)
        if self.remote:
            self._keep(self._receive())

    async def stop(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._loop = None

    def post(self, hint: Hint) -> None:
        """Send a hint from any thread. Without a running loop (a management command) there is nobody to wake."""
        loop = self._loop
        if loop is not None and not loop.is_closed():
            loop.call_soon_threadsafe(self._deliver, hint)

    def _deliver(self, hint: Hint) -> None:
        self._hand_out(hint)
        if self.remote:
            self._keep(self._send(hint))

    def _hand_out(self, hint: Hint) -> None:
        for listener in list(self._listeners):
            try:
                listener(hint)
            except Exception:
                # One socket's fault must not keep the others from hearing.
                logger.exception("a hint of kind %s failed", hint.get("kind"))

    def _keep(self, work: Any) -> None:
        # A task nobody holds may be collected in mid-flight.
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _send(self, hint: Hint) -> None:
        layer = get_channel_layer()
        # As JSON: the layer's own packing takes no number as a key, and would fail at the reader.
        message = {"type": "hint", "from": self.name, "hint": json.dumps(hint)}
        try:
            await layer.group_send(GROUP, message)  # type: ignore[union-attr]  # only called when a layer exists
        except Exception as error:  # noqa: BLE001  the layer's own client decides what it raises
            self._is_away(error)
        else:
            self._is_back()

    async def _receive(self) -> None:
        """Read other processes' hints for as long as this one lives, through outages of the layer."""
        while True:
            try:
                await self._read_channel()
            except Exception as error:  # noqa: BLE001  as above
                self._is_away(error)
                await asyncio.sleep(1)

    def _is_away(self, error: Exception) -> None:
        """Say it once an outage, not once a hint."""
        if not self._away:
            self._away = True
            logger.warning(
                "the channel layer is away, watchers of other processes' turns poll meanwhile: %s",
                type(error).__name__,
            )

    def _is_back(self) -> None:
        if self._away:
            self._away = False
            logger.warning("the channel layer is back")

    async def _read_channel(self) -> None:
        layer = get_channel_layer()
        assert layer is not None
        channel = await layer.new_channel()
        await layer.group_add(GROUP, channel)
        self._is_back()
        while True:
            message = await layer.receive(channel)
            if message.get("from") != self.name:
                self._hand_out(json.loads(message["hint"]))


bus = Bus()
