"""Which sockets are let in at all."""

import asyncio
from collections.abc import MutableMapping
from typing import Any

import pytest

from kenny.accounts.sockets import Receive, Send
from kenny.admission import Admission

SOCKET = {"type": "websocket"}


async def connecting() -> dict[str, Any]:
    return {"type": "websocket.connect"}


class Heard(list[dict[str, Any]]):
    """What was sent."""

    async def send(self, message: MutableMapping[str, Any]) -> None:
        self.append(dict(message))

    @property
    def code(self) -> int | None:
        return self[-1].get("code")


class Room:
    """An application that accepts when told to, and stays until told to go."""

    def __init__(self) -> None:
        self.accept, self.go = asyncio.Event(), asyncio.Event()

    async def __call__(
        self, _scope: MutableMapping[str, Any], receive: Receive, send: Send
    ) -> None:
        await receive()
        await self.accept.wait()
        await send({"type": "websocket.accept"})
        await self.go.wait()


class TestAdmission:
    async def test_lets_so_many_shake_hands_at_once(self) -> None:
        room = Room()
        admission = Admission(room, handshakes=2)
        waiting = [
            asyncio.ensure_future(admission(dict(SOCKET), connecting, Heard().send))
            for _ in range(2)
        ]
        await asyncio.sleep(0)
        turned_away = Heard()

        await admission(dict(SOCKET), connecting, turned_away.send)

        assert turned_away.code == 4013
        room.go.set()
        room.accept.set()
        await asyncio.gather(*waiting)

    async def test_counts_handshakes_not_open_sockets(self) -> None:
        room = Room()
        room.accept.set()
        admission = Admission(room, handshakes=1)
        heard = [Heard(), Heard()]
        tasks = [
            asyncio.ensure_future(admission(dict(SOCKET), connecting, one.send))
            for one in heard[:1]
        ]
        await asyncio.sleep(0)

        tasks.append(asyncio.ensure_future(admission(dict(SOCKET), connecting, heard[1].send)))
        await asyncio.sleep(0)

        assert [one[-1]["type"] for one in heard] == ["websocket.accept"] * 2
        room.go.set()
        await asyncio.gather(*tasks)

    async def test_frees_the_place_of_a_handshake_that_failed(self) -> None:
        async def broken(_scope: MutableMapping[str, Any], _receive: Receive, _send: Send) -> None:
            raise ValueError("broken")

        admission = Admission(broken, handshakes=1)
        for _ in range(3):
            with pytest.raises(ValueError, match="broken"):
                await admission(dict(SOCKET), connecting, Heard().send)

    async def test_sends_everybody_away_while_draining(self) -> None:
        admission = Admission(Room())
        admission.drain()
        heard = Heard()

        await admission(dict(SOCKET), connecting, heard.send)

        assert heard.code == 4012
