"""The body of an event stream: frames, a sign of life, and an end when its door is shut."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from chat import doors, sse
from chat.models import Turn
from chat.tape import Entry
from chat.watch import begins_anew

DELTA = Entry(3, "text_delta", '{"type":"text_delta"}')


@pytest.fixture
def followed(monkeypatch: pytest.MonkeyPatch) -> "asyncio.Queue[Entry | None]":
    """What the turn says next; None ends it."""
    said: asyncio.Queue[Entry | None] = asyncio.Queue()

    async def follow(*_: Any, **__: Any) -> AsyncIterator[Entry]:
        while (entry := await said.get()) is not None:
            yield entry

    monkeypatch.setattr(sse, "follow", follow)
    return said


def body() -> Any:
    return sse._body(Turn(), after=0, user_id=7, session_key="s", token_key=None)


class TestAStream:
    async def test_says_what_is_said_and_ends_with_it(self, followed: Any) -> None:
        for entry in (DELTA, begins_anew("t-1"), None):
            followed.put_nowait(entry)

        assert [part async for part in body()] == [
            b'id: 3\nevent: text_delta\ndata: {"type":"text_delta"}\n\n',
            b'event: restart\ndata: {"type": "restart", "turnId": "t-1"}\n\n',
        ]
        assert doors.count(7) == 0

    @pytest.mark.parametrize("odd", ["\u2028", "\u2029", "\x85", "\u2028\u2028 é 😀"])
    async def test_holds_no_line_end_that_only_some_readers_know_t38(
        self, followed: Any, odd: str
    ) -> None:
        """A client that splits text where Python or JavaScript does would find half an event."""
        line = json.dumps({"type": "text_delta", "text": odd}, ensure_ascii=False)
        for entry in (Entry(3, "text_delta", line), None):
            followed.put_nowait(entry)

        (part,) = [part async for part in body()]

        _, _, data, _ = part.decode().splitlines()
        assert json.loads(data.removeprefix("data: "))["text"] == odd

    async def test_shows_that_it_lives_while_nothing_is_said_t102(
        self, followed: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A proxy closes what is silent."""
        monkeypatch.setattr(sse, "HEARTBEAT", 0.01)
        stream = body()

        assert await anext(stream) == b": still here\n\n"

        followed.put_nowait(DELTA)
        while (part := await anext(stream)).startswith(b":"):
            pass
        assert part.startswith(b"id: 3\n")
        await stream.aclose()

    async def test_ends_when_its_door_is_shut(self, followed: Any) -> None:
        """Contract 3: within two seconds of a sign-out; rule 23: at the end of the process."""
        stream = body()
        waiting = asyncio.ensure_future(anext(stream, None))
        await asyncio.sleep(0)
        assert doors.count(7) == 1

        doors.close_all(doors.RESTARTING)

        assert await asyncio.wait_for(waiting, 5) is None
        assert doors.count(7) == 0
