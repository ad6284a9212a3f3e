"""Which sockets are let in at all: none while the process drains, and only so many handshakes at once."""

from collections.abc import MutableMapping
from typing import Any

from chat.doors import OVERLOADED, RESTARTING
from kenny.accounts.sockets import Application, Message, Receive, Send

HANDSHAKES = 50  # at once; after a restart every client comes back in the same seconds


class Admission:
    """Wrap an application. Turned away means accepted and closed with a code, which a browser's page can read."""

    def __init__(self, inner: Application, *, handshakes: int = HANDSHAKES) -> None:
        self.inner = inner
        self.draining = False
        self._free = handshakes

    def drain(self) -> None:
        self.draining = True

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        if scope["type"] != "websocket":
            await self.inner(scope, receive, send)
        elif self.draining or self._free <= 0:
            await receive()
            await send({"type": "websocket.accept"})
            await send(
                {"type": "websocket.close", "code": RESTARTING if self.draining else OVERLOADED}
            )
        else:
            await self._shake(scope, receive, send)

    async def _shake(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        self._free -= 1
        held = True

        async def answered(message: Message) -> None:
            nonlocal held
            if held:
                held = False
                self._free += 1
            await send(message)

        try:
            await self.inner(scope, receive, answered)
        finally:
            if held:
                self._free += 1
