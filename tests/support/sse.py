"""A reader of Server-Sent Events that keeps every event, as an outside program would read them."""

import json
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import Any, Self

from tests.support.http import Client

Event = dict[str, Any]


class Stream:
    """One request whose answer is a stream. `events` holds all that came; `body` is the answer when it is no stream."""

    def __init__(
        self,
        client: Client,
        method: str,
        path: str,
        body: Any = None,
        *,
        after: int | None = None,
        timeout: float = 60,
    ) -> None:
        headers = {**client.headers, "content-type": "application/json"}
        if client.token:
            headers["authorization"] = f"Bearer {client.token}"
        if after is not None:
            headers["last-event-id"] = str(after)
        self.wire = client.connection(timeout=timeout)
        try:
            self.wire.request(method, path, None if body is None else json.dumps(body), headers)
            self._answer = self.wire.getresponse()
        except BaseException:
            self.wire.close()
            raise
        self.status = self._answer.status
        self.kind = self._answer.getheader("content-type", "").split(";")[0]
        self.events: list[Event] = []
        self.body: Any = None
        if self.kind != "text/event-stream":
            self.body = json.loads(self._answer.read())

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        self._answer.close()
        self.wire.close()

    def __iter__(self) -> Iterator[Event]:
        """Yield events to the end of the stream; `id` and `event` must say what the event says."""
        fields: dict[str, str] = {}
        for raw in self._answer:
            line = raw.decode().rstrip("\n")
            if line.startswith(":"):
                continue
            if line:
                name, _, value = line.partition(": ")
                fields[name] = value
                continue
            if fields:
                yield self._taken(fields)
                fields = {}

    def _taken(self, fields: dict[str, str]) -> Event:
        event: Event = json.loads(fields["data"])
        assert fields["event"] == event["type"]
        assert fields.get("id") == (str(event["seq"]) if "seq" in event else None)
        self.events.append(event)
        return event

    def until(self, wanted: str | Callable[[Event], bool]) -> Event:
        """Return the next event of a type, or for which a condition holds."""
        holds = (lambda event: event["type"] == wanted) if isinstance(wanted, str) else wanted
        for event in self:
            if holds(event):
                return event
        raise AssertionError(f"the stream ended after {[event['type'] for event in self.events]}")

    def rest(self) -> list[Event]:
        """Read to the end and return all events."""
        for _ in self:
            pass
        return self.events


def stream(client: Client, message: str, **fields: Any) -> Stream:
    """Send a message by POST and read what follows."""
    return Stream(client, "POST", "/api/chat/stream", {"message": message, **fields})


def turn_events(client: Client, turn_id: str, *, after: int | None = None) -> list[Event]:
    """Return a turn's events after a number, to the newest `done`."""
    with Stream(client, "GET", f"/api/chat/turns/{turn_id}/events", after=after) as found:
        assert found.status == 200, found.body
        return found.rest()


def decide(
    client: Client, pending: Event, *, approve: bool, changes: dict[str, Any] | None = None
) -> Stream:
    """Answer a `pending` event by POST and read what follows; `changes` are made to the body."""
    body = {
        "conversationId": pending["conversationId"],
        "callId": pending["callId"],
        "digest": pending["digest"],
        "approve": approve,
    }
    return Stream(client, "POST", "/api/chat/confirm/stream", body | (changes or {}))


def words_of(events: list[Event]) -> str:
    """Return the text that a list of events shows; what a `reset` voids does not count."""
    text = kept = ""
    for event in events:
        if event["type"] == "reset":
            text = kept
        elif event["type"] == "text_delta":
            text += event["text"]
        elif event["type"] == "tool_call":
            kept = text
    return text
