"""search_history: finds what this person and nobody else has said, and hands out the id to read it by."""

import pytest
from django.contrib.auth.models import User
from django.db import transaction

from chat.tools.base import Caller, ToolFailed
from chat.tools.read_conversation import READ_CONVERSATION
from chat.tools.search_history import MAX_HITS, SEARCH_HISTORY
from history import store

NOW = 1_764_500_000_000
pytestmark = pytest.mark.django_db


@pytest.fixture
def alice() -> User:
    return User.objects.create_user("alice")


@pytest.fixture
def bob() -> User:
    return User.objects.create_user("bob")


def remember(owner: User, cid: str, said: str, *, title: str = "Valves") -> None:
    messages = [{"role": "user", "content": said}, {"role": "assistant", "content": "Noted."}]
    with transaction.atomic():
        state = store.locked(owner.pk)
        row = store.open_for_turn(state, cid=cid, title=title, agent_id="workspace", now=NOW)
        store.append_turn(
            state,
            row,
            messages=messages,
            agent_id="workspace",
            title_if_empty=title,
            now=NOW,
            live=None,
        )


def search(owner: User, query: str) -> str:
    caller = Caller(user_id=owner.pk, conversation_id="here", now_ms=NOW)
    return SEARCH_HISTORY.run({"query": query}, caller).text


class TestSearchHistory:
    def test_gives_title_id_date_and_the_words_around(self, alice: User) -> None:
        remember(alice, "c1", "The gauge of V1 shows seven bar")
        remember(alice, "c2", "Something else")

        assert search(alice, "GAUGE") == (
            "Valves\nid c1, last used 2025-11-30\nThe gauge of V1 shows seven bar"
        )

    def test_the_id_it_gives_can_be_read(self, alice: User) -> None:
        remember(alice, "c1", "The gauge of V1 shows seven bar")
        given = search(alice, "gauge").split("id ")[1].split(",")[0]

        said = READ_CONVERSATION.run({"id": given}, Caller(user_id=alice.pk, conversation_id="here", now_ms=NOW))  # fmt: skip

        assert "Person: The gauge of V1 shows seven bar" in said.text

    def test_says_which_one_is_the_conversation_itself(self, alice: User) -> None:
        remember(alice, "here", "gauge")

        assert "id here, last used 2025-11-30, this very conversation" in search(alice, "gauge")

    def test_finds_nothing_of_somebody_else(self, alice: User, bob: User) -> None:
        remember(bob, "c1", "canary", title="canary")

        assert search(alice, "canary") == "(no conversation holds these words)"

    def test_finds_nothing_that_was_deleted(self, alice: User) -> None:
        remember(alice, "c1", "canary", title="canary")
        store.bury(owner_id=alice.pk, cid="c1", now=NOW)

        assert search(alice, "canary") == "(no conversation holds these words)"

    def test_is_bounded_and_says_that_there_is_more(self, alice: User) -> None:
        for number in range(MAX_HITS + 1):
            remember(alice, f"c{number}", "gauge")

        said = search(alice, "gauge")

        assert said.count("last used") == MAX_HITS
        assert said.endswith(f"[… more than {MAX_HITS} conversations; look for something rarer …]")

    @pytest.mark.parametrize("query", ["", "  ", '""', "!?*", "\0"], ids=ascii)
    def test_refuses_to_look_for_nothing(self, alice: User, query: str) -> None:
        with pytest.raises(ToolFailed, match="`query`"):
            search(alice, query)

    @pytest.mark.parametrize("query", ['a"b', "NEAR(a b)", "a AND OR", "x\0y", "\ud800 a", "'; DROP --", "a" * 9_000], ids=lambda query: ascii(query)[:20])  # fmt: skip
    def test_takes_every_other_text_as_words(self, alice: User, query: str) -> None:
        remember(alice, "c1", "gauge")

        assert search(alice, query) == "(no conversation holds these words)"
