"""What must hold of a person's conversations at any time, after a crash above all; one function asks for all of it."""

from dataclasses import dataclass
from typing import Any

from history.messages import check, heal, merge_neighbours
from tests.support.http import Client
from tests.support.sse import turn_events


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """A conversation as a client can read it."""

    conversation: dict[str, Any]
    transcript: list[dict[str, Any]]
    events: list[dict[str, Any]]

    @property
    def messages(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.conversation["messages"]
        return found

    @property
    def words(self) -> str:
        """All that Claude said, as the stored list has it."""
        return "".join(event["text"] for event in self.transcript if event["type"] == "text_delta")

    @property
    def said(self) -> list[str]:
        """What the person said, message by message."""
        return [event["text"] for event in self.transcript if event["type"] == "user_text"]

    @property
    def done(self) -> dict[str, Any]:
        return self.events[-1]


def look(client: Client, conversation_id: str, turn_id: str) -> Seen:
    """Read a conversation and its turn by every way there is; it must hold together (see `judge`)."""
    answer = client.get(f"/api/conversations/{conversation_id}")
    assert answer.status == 200, answer.text
    replay = client.get(f"/api/chat/history/{conversation_id}")
    assert replay.status == 200, replay.text
    seen = Seen(
        conversation=answer.json,
        transcript=replay.json["transcript"],
        events=turn_events(client, turn_id),
    )
    judge(seen)
    return seen


def judge(seen: Seen) -> None:
    """Raise AssertionError unless the list is sendable, the numbers are whole, and each effect had its one approval."""
    held = seen.conversation["live"] is not None
    asked = [*seen.messages, {"role": "user", "content": [{"type": "text", "text": "And now?"}]}]
    # A hold ends in the unanswered message, which no request holds; any other list goes out as it is stored.
    broken = check(merge_neighbours(heal(asked).messages if held else asked))
    assert broken == [], broken
    numbers = [event["seq"] for event in seen.events]
    assert numbers == list(range(1, len(numbers) + 1)), numbers
    assert seen.done["type"] == "done"
    assert seen.done["done"] is not held
    assert all(event["type"] != "pending" for event in seen.transcript)
    gate(seen.events)


def gate(events: list[dict[str, Any]]) -> None:
    """Raise AssertionError when a call that changes something ran without exactly one yes, or was answered twice."""
    asked = {event["callId"] for event in events if event["type"] == "pending"}
    yes = [event["callId"] for event in events if event["type"] == "decided" and event["approve"]]
    answered = [event["callId"] for event in events if event["type"] in {"tool_result", "denied"}]
    ran = [event["callId"] for event in events if event["type"] == "tool_result"]
    assert len(answered) == len(set(answered)), answered
    assert len(yes) == len(set(yes)), yes
    assert asked & set(ran) <= set(yes), "a call ran that nobody approved"
