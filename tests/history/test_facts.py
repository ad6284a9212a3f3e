"""What is known of messages beside their words: it follows its message wherever a rewritten list takes it."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import transaction
from hypothesis import given
from hypothesis import strategies as st

from history import facts, store
from history.errors import BadRequest
from history.models import Conversation
from tests.history.archives import chat, entries, exported, packed, taken
from tests.history.conftest import Api

NOW = 1_764_500_000_000
ENDED = {"at": NOW + 9, "stopReason": "end_turn", "model": "m", "usage": {}, "cost": 7}


def ask(words: str) -> dict[str, Any]:
    return {"role": "user", "content": words}


def answer(words: str) -> dict[str, Any]:
    return {"role": "assistant", "content": [{"type": "text", "text": words}]}


def settled(owner: User, messages: list[dict[str, Any]], *, base: int, at: int = NOW) -> None:
    """Settle a turn whose person's message stands at `base`."""
    news = store.News(
        messages={base: {"at": at, "ended": {**ENDED, "at": at + 9}}},
        spent={"tokens": 3, "cost": 7},
    )
    with transaction.atomic():
        state = store.locked(owner.pk)
        row = store.open_for_turn(state, cid="c-1", title="T", agent_id=None, now=NOW)
        store.append_turn(
            state,
            row,
            messages=messages,
            agent_id=None,
            title_if_empty="",
            now=NOW,
            live=None,
            news=news,
        )


def times(api: Api) -> list[tuple[str, int | None]]:
    """Return each message of a person with its time, as a replay has them."""
    body = api("GET", "chat/history/c-1").body
    return [(e["text"], e.get("at")) for e in body["transcript"] if e["type"] == "user_text"]


@pytest.fixture
def told(api: Api) -> list[dict[str, Any]]:
    """Two settled turns of alice."""
    assert api.user is not None
    first = [ask("one"), answer("1")]
    both = [*first, ask("two"), answer("2")]
    settled(api.user, first, base=0)
    settled(api.user, both, base=2, at=NOW + 1000)
    return both


class TestTheTimeOfAMessage:
    def test_stands_in_the_replay_and_not_in_the_stored_list(
        self, api: Api, told: list[dict[str, Any]]
    ) -> None:
        assert times(api) == [("one", NOW), ("two", NOW + 1000)]
        assert api.get("c-1").body["messages"] == told

    def test_stays_with_its_message_when_a_client_sends_the_list_anew(
        self, api: Api, told: list[dict[str, Any]]
    ) -> None:
        api.put("c-1", messages=[ask("zero"), answer("0"), *told[2:], ask("three")])

        assert times(api) == [("zero", None), ("two", NOW + 1000), ("three", None)]

    def test_goes_with_a_message_that_is_cut_off(
        self, api: Api, told: list[dict[str, Any]]
    ) -> None:
        assert api.user is not None
        settled(api.user, [*told[:2], ask("two!"), answer("2!")], base=2, at=NOW + 5000)

        assert times(api) == [("one", NOW), ("two!", NOW + 5000)]

    def test_survives_an_export_and_an_import(
        self, api: Api, bob: User, told: list[dict[str, Any]]
    ) -> None:
        assert api.user is not None
        before = api("GET", "chat/history/c-1").body["transcript"]

        result = taken(bob.pk, exported(api.user.pk))

        assert (result.count, result.refused) == (1, [])
        assert Api(bob)("GET", "chat/history/c-1").body["transcript"] == before

    def test_leaves_with_the_conversation(self, api: Api, told: list[dict[str, Any]]) -> None:
        api.delete("c-1")

        assert Conversation.objects.get().facts == {}


class TestWhatTurnsUsed:
    def test_stays_in_the_sum_when_their_messages_go(
        self, api: Api, told: list[dict[str, Any]]
    ) -> None:
        assert api.user is not None
        settled(api.user, [ask("anew"), answer("1")], base=0)

        (event, _) = api("GET", "chat/history/c-1").body["transcript"]
        assert event["ended"] == {**ENDED, "spent": {"tokens": 9, "cost": 21}}

    def test_is_said_by_the_newest_turn_alone(self, api: Api, told: list[dict[str, Any]]) -> None:
        first, _, second, _ = api("GET", "chat/history/c-1").body["transcript"]

        assert "spent" not in first["ended"]
        assert second["ended"]["spent"] == {"tokens": 6, "cost": 14}


class TestAnImport:
    @pytest.mark.parametrize(
        "wrong",
        [
            [],
            {"messages": {}},
            {"messages": [{"n": 9, "at": 5}]},
            {"messages": [{"n": 0, "at": "noon"}]},
            {"messages": [{"n": 0, "at": True}]},
            {"messages": [{"n": 0, "at": 5, "ended": []}]},
            {"messages": [{"n": 0, "at": 5, "note": "x" * 20_000}]},
            {"messages": [{"n": 0, "at": 5, "thought": 7}]},
            {"messages": [{"n": 0, "at": 5, "thought": ["long"]}]},
            {"messages": [{"n": 0, "at": 5, "calls": [7]}]},
            {"messages": [{"n": 0, "at": 5, "calls": {"a1": -1}}]},
            {"spent": {"tokens": -1}},
            {"spent": []},
        ],
    )
    def test_refuses_facts_that_no_export_has(self, alice: User, wrong: Any) -> None:
        result = taken(alice.pk, packed(entries(chat(facts=wrong))))

        assert [refused["code"] for refused in result.refused] == ["bad_request"]

    def test_takes_a_file_without_any(self, alice: User) -> None:
        assert taken(alice.pk, packed(entries(chat()))).count == 1
        assert Conversation.objects.get().facts == {}


@given(st.lists(st.sampled_from("abc")), st.lists(st.sampled_from("abc")))
def test_facts_stay_in_order_on_messages_that_are_the_same(old: list[str], new: list[str]) -> None:
    """For any two lists, repeats included: no fact on another's message, none twice, none out of order."""
    known = facts.moved({}, old, news=facts.News(messages={n: {"at": n} for n in range(len(old))}))

    moved = facts.moved(known, new).get("messages", [])

    assert [fact["n"] for fact in moved] == sorted({fact["n"] for fact in moved})
    assert [fact["at"] for fact in moved] == sorted({fact["at"] for fact in moved})
    assert all(new[fact["n"]] == fact["h"] == old[fact["at"]] for fact in moved)


@given(st.lists(st.sampled_from("abc")), st.integers(0, 5), st.lists(st.sampled_from("abc")))
def test_a_list_that_is_cut_and_grows_keeps_the_facts_of_what_stays(
    old: list[str], cut: int, more: list[str]
) -> None:
    known = facts.moved({}, old, news=facts.News(messages={n: {"at": n} for n in range(len(old))}))

    moved = facts.moved(known, [*old[:cut], *more]).get("messages", [])

    assert [fact["n"] for fact in moved if fact["n"] < cut] == list(range(len(old[:cut])))


def test_what_is_read_is_what_was_shown() -> None:
    known = facts.moved({}, ["a", "b"], news=facts.News(messages={1: {"at": 3}}, spent={"cost": 2}))

    assert facts.read(facts.shown(known), ["a", "b"]) == known


def test_no_reading_of_strange_numbers() -> None:
    with pytest.raises(BadRequest):
        facts.read({"messages": [{"n": 0, "at": 2**53}]}, ["a"])


def test_what_took_how_long_goes_to_where_it_is_told() -> None:
    """The last piece of a thought and the result of a call; what was not measured is None."""
    events: list[dict[str, Any]] = [
        {"type": "user_text", "thought": [700], "calls": {"a1": 40}},
        {"type": "thinking_delta", "text": "h"},
        {"type": "thinking_delta", "text": "m"},
        {"type": "tool_result", "callId": "a1"},
        {"type": "tool_result", "callId": "a2"},
        {"type": "thinking_delta", "text": "and"},
        {"type": "user_text"},
        {"type": "thinking_delta", "text": "new"},
    ]

    facts.spread(events)

    assert [event.get("ms") for event in events] == [None, None, 700, 40, None, None, None, None]
    assert "thought" not in events[0]
    assert "calls" not in events[0]


def test_only_a_turn_that_ended_tells_what_all_have_used() -> None:
    open_turn = {"messages": [{"n": 0, "h": "x", "at": 1}], "spent": {"tokens": 5, "cost": 2}}
    ended = {"n": 2, "h": "y", "at": 2, "ended": {"at": 3}}

    assert facts.by_place(open_turn) == {0: {"at": 1}}
    both = {**open_turn, "messages": [*open_turn["messages"], ended]}
    assert facts.by_place(both)[2]["ended"] == {"at": 3, "spent": {"tokens": 5, "cost": 2}}
