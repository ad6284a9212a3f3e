"""A scripted Anthropic upstream on a loopback port: strict about every request, and faulty on demand.

    with Upstream() as upstream:
        upstream.queue(says("Hello"), calls(use("list_files")), fails("overloaded_error", status=529, retry_after=1))
        model = claude.build(api_key="test", base_url=upstream.url)

Answers are served in order to POST /v1/messages, then `otherwise`. Each request is checked as the API would
(`chat.llm.intake`, thinking's binding to what stands before it included); a bad one gets the API's own 400, is kept in
`violations` and uses up no answer. It runs in a thread with its own loop, so any process or loop may call it.
"""

import asyncio
import threading
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

from chat.llm import intake
from chat.llm.binding import unbound
from chat.llm.script import mint
from tests.support.answers import Answer, Answering, calls, fails, says, text, thought, use
from tests.support.playing import Connection

__all__ = ["Answer", "Upstream", "calls", "fails", "says", "text", "thought", "use"]


@dataclass(frozen=True, slots=True)
class Seen:
    """A request as it came."""

    method: str
    path: str
    headers: dict[str, str]
    body: Any


class Upstream:
    """Use it as a context manager. `url` is the base URL; `bodies` the Messages bodies in order of arrival.

    `connections` counts those opened, `gone` the clients that left while something was still to be sent. `binding` off leaves thinking unjudged.
    """

    def __init__(self, *, otherwise: Answering | None = None, binding: bool = True) -> None:
        self.url = ""
        self.bodies: list[dict[str, Any]] = []
        self.violations: list[str] = []
        self.requests: list[Seen] = []
        self.gone = 0
        self.connections = 0
        self.models: list[dict[str, Any]] = [
            {"id": "claude-sonnet-5-5", "display_name": "Claude Sonnet 5.5"}
        ]
        self._otherwise: Answering = otherwise or says("ok")
        self._binding = binding
        self._queue: list[Answering] = []
        self._changed = threading.Condition()
        self._loop = asyncio.new_event_loop()
        self._released = asyncio.Event()
        self._thread = threading.Thread(target=self._serve, name="upstream", daemon=True)
        self._ready = threading.Event()
        self._stopped = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()

    def __enter__(self) -> Self:
        self._thread.start()
        self._ready.wait()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._loop.call_soon_threadsafe(self._stopped.set)
        self._thread.join()

    def queue(self, *answers: Answering) -> None:
        """Add answers behind those that wait."""
        with self._changed:
            self._queue.extend(answers)

    def release(self) -> None:
        """Let every answer go on that waits at its `hold_after`, now and from here on."""
        self._loop.call_soon_threadsafe(self._released.set)

    def hold(self) -> None:
        """Let answers wait at their `hold_after` again, after a `release`."""
        self._loop.call_soon_threadsafe(self._released.clear)

    def wait_for(self, *, requests: int = 0, gone: int = 0, timeout: float = 10) -> None:
        """Block until so many Messages requests have come and so many clients have left; TimeoutError otherwise."""
        with self._changed:
            if not self._changed.wait_for(
                lambda: len(self.bodies) >= requests and self.gone >= gone, timeout
            ):
                raise TimeoutError(f"{len(self.bodies)} requests and {self.gone} gone")

    @property
    def waiting(self) -> int:
        """The number of answers that nobody has asked for."""
        return len(self._queue)

    def _serve(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_until_complete(self._main())
        self._loop.close()

    async def _main(self) -> None:
        server = await asyncio.start_server(self._connected, "127.0.0.1", 0, limit=2**26)
        self.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        self._ready.set()
        await self._stopped.wait()
        server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        self.connections += 1
        connection = Connection(reader, writer, released=self._released)
        try:
            while (request := await connection.request()) is not None:
                if not await self._reply(connection, Seen(*request)):
                    break
        except (ConnectionError, asyncio.IncompleteReadError):
            self._left()
        except asyncio.CancelledError:
            return  # the upstream is going; asyncio's own callback cannot bear a cancelled handler
        finally:
            self._tasks.discard(task)
            writer.close()

    async def _reply(self, connection: Connection, seen: Seen) -> bool:
        self.requests.append(seen)
        path = seen.path.split("?")[0]
        if path == "/v1/messages":
            return await self._message(connection, seen)
        if path == "/v1/messages/count_tokens":
            return await connection.plain(200, {"input_tokens": intake.tokens(seen.body)})
        if path == "/v1/models":
            return await connection.plain(200, {"data": self.models, "has_more": False})
        unknown = intake.error_body("not_found_error", "Not found", request_id=mint("req"))
        return await connection.plain(404, unknown)

    async def _message(self, connection: Connection, seen: Seen) -> bool:
        refused = self._refusal(seen)
        with self._changed:
            self.bodies.append(seen.body)
            if refused is not None:
                self.violations.append(refused)
            answer = self._queue.pop(0) if refused is None and self._queue else self._otherwise
            self._changed.notify_all()
        if refused is not None:
            answer = fails("invalid_request_error", status=400, prose=refused)
        if not isinstance(answer, Answer):
            answer = answer(seen.body)
        return await connection.play(answer, body=seen.body, left=self._left)

    def _refusal(self, seen: Seen) -> str | None:
        if not seen.headers.get("authorization", "").startswith("Bearer "):
            return "authorization: Field required"
        if "anthropic-version" not in seen.headers:
            return "anthropic-version: Field required"
        refused = intake.refusal(seen.body)
        return refused or (unbound(seen.body) if self._binding else None)

    def _left(self) -> None:
        with self._changed:
            self.gone += 1
            self._changed.notify_all()
