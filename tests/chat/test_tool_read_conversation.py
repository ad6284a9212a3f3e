"""read_conversation: what the model gets to read of an earlier conversation, and of whose."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import transaction

from chat.tools.base import Caller, ToolFailed
from chat.tools.read_conversation import MAX_TEXT, NOT_FOUND, READ_CONVERSATION
from history import store
from history.fence import fence
from history.messages import note
from history.outcomes import DENIED

NOW = 1_764_500_000_000
pytestmark = pytest.mark.django_db


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


@pytest.fixture
def alice() -> User:
    return User.objects.create_user("alice")


@pytest.fixture
def bob() -> User:
    return User.objects.create_user("bob")


def remember(owner: User, cid: str, *messages: dict[str, Any], title: str = "Valves") -> None:
    with transaction.atomic():
        state = store.locked(owner.pk)
        row = store.open_for_turn(state, cid=cid, title=title, agent_id="workspace", now=NOW)
        store.append_turn(state, row, messages=list(messages), agent_id="workspace", title_if_empty=title, now=NOW, live=None)  # fmt: skip


def read(owner: User, cid: str) -> str:
    caller = Caller(user_id=owner.pk, conversation_id="now", now_ms=NOW)
    return READ_CONVERSATION.run({"id": cid}, caller).text


class TestReadConversation:
    def test_tells_what_was_said_called_answered_and_refused(self, alice: User) -> None:
        call = {"type": "tool_use", "id": "a1", "name": "read_gauge", "input": {"v": 1}}
        erase = {"type": "tool_use", "id": "a2", "name": "erase", "input": {}}
        result = {
            "type": "tool_result",
            "tool_use_id": "a1",
            "content": [text(fence("7 bar", mark="m1", source="read_gauge"))],
        }
        denied = {"type": "tool_result", "tool_use_id": "a2", "content": DENIED, "is_error": True}
        remember(
            alice,
            "c1",
            {"role": "user", "content": [note("It is Sunday."), text("How is V1?")]},
            {
                "role": "assistant",
                "content": [
                    {"type": "thinking", "thinking": "hm", "signature": "x"},
                    text("Let me look."),
                    call,
                    erase,
                ],
            },
            {"role": "user", "content": [result, denied]},
            {"role": "assistant", "content": [text("7 bar.")]},
        )

        said = read(alice, "c1")

        assert said == (
            "# Valves\nid c1, last used 2025-11-30 10:53 UTC, 4 messages\n\n"
            "Person: How is V1?\n\n"
            "Claude: Let me look.\n\n"
            '[Claude called read_gauge with {"v": 1}]\n\n'
            "[Claude called erase with {}]\n\n"
            "[Result of read_gauge: 7 bar]\n\n"
            "[erase did not run: denied]\n\n"
            "Claude: 7 bar."
        )

    def test_counts_images_and_does_not_show_them(self, alice: User) -> None:
        source = {"type": "base64", "media_type": "image/png", "data": "aGVsbG8="}
        remember(
            alice,
            "c1",
            {"role": "user", "content": [{"type": "image", "source": source}, text("What is it?")]},
            {"role": "assistant", "content": "A valve."},
        )

        said = read(alice, "c1")

        assert "Person: What is it? (1 image, not shown here)" in said
        assert "aGVsbG8=" not in said

    def test_is_bounded_and_says_what_is_missing(self, alice: User) -> None:
        remember(alice, "c1", *({"role": role, "content": "words " * 9_000} for role in ("user", "assistant")))  # fmt: skip

        said = read(alice, "c1")

        assert len(said) <= MAX_TEXT
        assert "characters left out" in said

    def test_stays_readable_when_the_list_is_not(self, alice: User) -> None:
        remember(alice, "c1", {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "x"}, {"type": "new"}]})  # fmt: skip

        assert "[Result of a tool: ]" in read(alice, "c1")

    @pytest.mark.parametrize(
        "cid", ["unknown", "foreign", "buried", "", "\0", "\ud800", "ä", "x" * 5_000], ids=ascii
    )
    def test_says_the_same_of_every_id_that_is_not_there(
        self, alice: User, bob: User, cid: str
    ) -> None:
        remember(bob, "foreign", {"role": "user", "content": "canary"})
        remember(alice, "buried", {"role": "user", "content": "canary"})
        store.bury(owner_id=alice.pk, cid="buried", now=NOW)

        with pytest.raises(ToolFailed) as failed:
            read(alice, cid)

        assert str(failed.value) == NOT_FOUND

    def test_two_owners_of_one_id_each_read_their_own(self, alice: User, bob: User) -> None:
        remember(alice, "c1", {"role": "user", "content": "hers"})
        remember(bob, "c1", {"role": "user", "content": "his"})

        assert ("hers" in read(alice, "c1"), "hers" in read(bob, "c1")) == (True, False)
