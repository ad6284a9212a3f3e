"""The turn engine in a test's own process: real rows, real threads, and a loop that runs only when the test says so.

    turn = engine.send("open V1")            # as an edge does it
    engine.watch(turn)                       # its events, up to the newest `done`
    engine.confirm(turn, approve=True)

Between two calls nothing happens on the loop, so a test can look at the rows in peace.
"""

import asyncio
import json
import threading
from collections.abc import Callable, Coroutine, Mapping
from typing import Any, TypeVar

from django.contrib.auth.models import User

from chat import desk, runner, threads
from chat.models import ToolCall, Turn, TurnEvent
from chat.protocol import Confirm, Picture, Send
from chat.tools.base import Caller, Output, Tier, Tool
from chat.turns import Started
from chat.watch import Raw, follow
from history import store
from history.models import Conversation
from tests.support.scripted import Said, ScriptedModel

T = TypeVar("T")
NOW = 1_764_500_000_000
PATIENCE = 20.0
"""Seconds after which a test has failed rather than waits."""


class Valves:
    """Two tools and what was done with them. `gate` holds a call open while it is cleared."""

    def __init__(self) -> None:
        self.opened: list[Any] = []
        self.read = 0
        self.output = Output(text="7 bar")
        self.error: Exception | None = None
        self.gate = threading.Event()
        self.gate.set()
        self.entered = threading.Event()

    def tools(self) -> dict[str, tuple[Tool, ...]]:
        value: Mapping[str, Any] = {
            "type": "object",
            "properties": {"v": {"type": "integer"}},
            "additionalProperties": False,
        }
        read = Tool(
            name="read_gauge",
            description="Read.",
            input_schema=value,
            run=self._read,
            tier=Tier.READ_ONLY,
        )
        set_ = Tool(name="set_valve", description="Set.", input_schema=value, run=self._set)
        spare = Tool(name="spare", description="Spare.", input_schema=value, run=self._set)
        return {"workspace": (read, set_), "kenny": (), "other": (read, spare)}

    def _read(self, args: Mapping[str, Any], caller: Caller) -> Output:
        self.read += 1
        return self._answer()

    def _set(self, args: Mapping[str, Any], caller: Caller) -> Output:
        self.opened.append(args.get("v"))
        return self._answer()

    def _answer(self) -> Output:
        self.entered.set()
        assert self.gate.wait(PATIENCE), "the test forgot to let the tool go on"
        if self.error is not None:
            raise self.error
        return self.output


class Engine:
    """A process that runs the turns of one person, `owner`."""

    def __init__(self, owner: User) -> None:
        self.owner = owner
        self.model = ScriptedModel()
        self._loop = asyncio.Runner()
        self.run(runner.start(self.model))

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run the loop until `work` is done."""

        async def bounded() -> T:
            async with asyncio.timeout(PATIENCE):
                return await work

        return self._loop.run(bounded())

    def close(self) -> None:
        """End the process, its tools included: one that is late would still write when the tables are emptied."""
        try:
            self.run(runner.drain(0))
            self.until_late()
        finally:
            self._loop.close()

    def restart(self) -> None:
        """End the process as a deployment does, and begin another one."""
        self.run(runner.drain(0))
        self.run(runner.start(self.model))

    def turn_over(self) -> None:
        """Let the loop do what it can do at once."""
        self.run(asyncio.sleep(0.05))

    def until_late(self) -> None:
        """Wait until tools have ended and results that came too late are noted."""
        _all_free()
        self.run(asyncio.sleep(0.001))
        _all_free()

    def script(self, *answers: Said) -> None:
        self.model.queue += answers

    def start(self, message: str = "open V1", **more: Any) -> Started:
        """Send as an edge does; `cid` is c-1 unless given."""
        more.setdefault("conversation_id", "c-1")
        images = tuple(Picture(media_type="image/png", data=data) for data in more.pop("png", ()))
        return desk.send(Send(message=message, images=images, **more), owner_id=self.owner.pk)

    def send(self, message: str = "open V1", **more: Any) -> Turn:
        return self.start(message, **more).turn

    def watch(self, turn: Turn, *, after: int = 0) -> list[dict[str, Any]]:
        """Return a turn's events from `after` to its newest `done`, once it does not run any more."""
        events = self.result(self.watching(turn, after=after))
        self.run(self._idle(turn.pk))
        return events

    def watching(self, turn: Turn, *, after: int = 0) -> "asyncio.Task[list[dict[str, Any]]]":
        """Begin to watch a turn; `result` gives what was seen."""

        async def begin() -> "asyncio.Task[list[dict[str, Any]]]":
            return asyncio.ensure_future(_events(fresh, after=after))

        fresh = Turn.objects.select_related("conversation").get(pk=turn.pk)
        return self.run(begin())

    def result(self, task: "asyncio.Task[T]") -> T:
        async def ended() -> T:
            return await task

        return self.run(ended())

    def is_idle(self, turn: Turn) -> bool:
        """Say whether nobody runs the turn in this process (any more); asks no database."""
        return bool(self.model.requests) and turn.pk not in runner.the_runner()._tasks

    async def _idle(self, turn_pk: int) -> None:
        task = runner.the_runner()._tasks.get(turn_pk)
        if task is not None:
            await asyncio.wait([task])

    def say(self, message: str = "open V1", **more: Any) -> list[dict[str, Any]]:
        """Send, and return the events."""
        return self.watch(self.send(message, **more))

    def until(self, condition: Callable[[], object]) -> None:
        """Run the loop until `condition` holds; it may ask anything but the database."""

        async def wait() -> None:
            while not condition():  # noqa: ASYNC110  what is waited for tells nobody
                await asyncio.sleep(0.001)

        self.run(wait())

    def until_held(self) -> None:
        """Run the loop until the model is in the middle of an answer that waits."""
        self.run(_taken(self.model.held))

    def release(self) -> None:
        """Let the answer that waits go on."""
        self.run(self._released())

    async def _released(self) -> None:
        self.model.released.set()

    def call(self, call_id: str = "a1") -> ToolCall:
        return ToolCall.objects.select_related("turn").get(call_id=call_id)

    def confirm(
        self, call_id: str = "a1", *, approve: bool, digest: str = "", reason: str = ""
    ) -> Started:
        """Decide a call as an edge does."""
        call = ToolCall.objects.select_related("turn__conversation").get(call_id=call_id)
        frame = Confirm(
            conversation_id=call.turn.conversation.cid,
            call_id=call_id,
            digest=digest or call.digest,
            approve=approve,
            reason=reason,
        )
        return desk.confirm(frame, owner_id=self.owner.pk)

    def decide(self, call_id: str = "a1", *, approve: bool) -> list[dict[str, Any]]:
        """Decide a call and return the events that follow."""
        decided = self.confirm(call_id, approve=approve)
        return self.watch(decided.turn, after=decided.after)

    def stop(self, turn: Turn) -> None:
        desk.stop(turn.turn_id, owner_id=self.owner.pk)

    def conversation(self, cid: str = "c-1") -> Conversation:
        return store.find(owner_id=self.owner.pk, cid=cid)

    def stored(self, cid: str = "c-1") -> list[dict[str, Any]]:
        return store.full_messages(self.conversation(cid))


async def _events(turn: Turn, *, after: int) -> list[dict[str, Any]]:
    return [json.loads(entry.line) async for entry in follow(turn, after=after, view=Raw())]


def _all_free() -> None:
    """Wait until no thread is in a tool."""
    meeting = threading.Barrier(threads.TOOL_THREADS)
    for met in [threads._tools.submit(meeting.wait, PATIENCE) for _ in range(meeting.parties)]:
        met.result(PATIENCE)


async def _taken(event: asyncio.Event) -> None:
    await event.wait()
    event.clear()


def journaled(turn: Turn) -> list[dict[str, Any]]:
    """Return the kept events of a turn."""
    rows = TurnEvent.objects.filter(turn=turn).order_by("last_seq")
    return [event for row in rows for event in json.loads(row.events)]


def kinds(events: list[dict[str, Any]]) -> list[str]:
    """Return the types of events, each run of deltas once."""
    found: list[str] = []
    for event in events:
        delta = event["type"].endswith("_delta")
        if not (delta and found and found[-1] == event["type"]):
            found.append(event["type"])
    return found


def spoken(message: Mapping[str, Any]) -> str:
    """Return the words of a message, kenny's own note left out."""
    texts = [block["text"] for block in message["content"] if block["type"] == "text"]
    return "".join(text for text in texts if not text.startswith("<kenny-note>"))


def of_kind(events: list[dict[str, Any]], kind: str) -> dict[str, Any]:
    """Return the first event of a type."""
    return next(event for event in events if event["type"] == kind)
