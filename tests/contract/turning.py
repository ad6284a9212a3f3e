"""Turns with the demo model: what is asked of it, and what is read from its events."""

import secrets

from tests.contract.place import Caller
from tests.support.sse import Event, Stream, decide, stream


def fresh_turn() -> str:
    return f"contract-{secrets.token_hex(8)}"


def refused(found: Stream) -> tuple[int, str]:
    """Return status and code of a request that began no stream."""
    with found:
        assert found.kind == "application/json"
        return found.status, found.body["error"]["code"]


def kinds(events: list[Event]) -> list[str]:
    return [event["type"] for event in events]


def held(me: Caller, cid: str, turn_id: str | None = None) -> tuple[str, list[Event]]:
    """Have a call held that would write a new file; return the file's name and the events."""
    name = f"contract-{secrets.token_hex(6)}.txt"
    fields = {"turnId": turn_id} if turn_id else {}
    with stream(me, f"create {name}: written", conversationId=cid, **fields) as sent:
        return name, sent.rest()


def pending_of(events: list[Event]) -> Event:
    (found,) = [event for event in events if event["type"] == "pending"]
    return found


def tidy_up(me: Caller, cid: str, name: str) -> None:
    """Have the demo model delete the file that it wrote."""
    with stream(me, f"delete {name}", conversationId=cid) as asked:
        pending = pending_of(asked.rest())
    with decide(me, pending, approve=True) as decided:
        assert decided.rest()[-1]["done"] is True
