"""The writes of the turn engine, inside a transaction of its own."""

import json
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core import serializers
from django.db import transaction

from history import store
from history.errors import Deleted, NotFound
from history.models import Conversation, SyncState
from tests.history.conftest import picture, said
from tests.history.test_blobs import shot


def begin(user: User, cid: str = "c-1", *, title: str = "hello", now: int = 1000) -> Conversation:
    """Open a conversation for a turn and say that the turn runs."""
    with transaction.atomic():
        state = store.locked(user.pk)
        row = store.open_for_turn(state, cid=cid, title=title, agent_id="workspace", now=now)
        store.set_live(state, row, turn_id="t-1", status="running")
    return row


def settle(
    user: User, row: Conversation, messages: list[dict[str, Any]], **more: Any
) -> Conversation:
    ready = store.prepare(user.pk, messages)
    values = {"agent_id": None, "title_if_empty": "", "now": 2000, "live": None, **more}
    with transaction.atomic():
        return store.append_turn(store.locked(user.pk), row, messages=ready, **values)


class TestOpenForTurn:
    def test_saves_an_unknown_conversation_empty_first(self, alice: User) -> None:
        row = begin(alice, title="first \x00 words " + "x" * 100)

        stored = store.find(owner_id=alice.pk, cid="c-1")
        assert (stored.version, stored.messages, stored.created_at, stored.agent_id) == (
            1,
            [],
            1000,
            "workspace",
        )
        assert (len(stored.title), stored.title[:7]) == (80, "first \u2400")
        assert stored.live == row.live == {"turnId": "t-1", "status": "running"}
        assert SyncState.objects.get().last_seq == stored.seq == 1

    def test_takes_a_known_one_as_it_is(self, alice: User) -> None:
        begin(alice)
        again = begin(alice, title="other")

        assert (again.title, again.version, Conversation.objects.count()) == ("hello", 1, 1)

    def test_refuses_a_tombstone(self, alice: User) -> None:
        store.bury(owner_id=alice.pk, cid="c-1", now=1)

        with pytest.raises(Deleted) as refused:
            begin(alice)
        assert refused.value.facts == {"version": 1, "deletedAt": 1}


class TestAppendTurn:
    def test_writes_the_whole_list_as_the_next_version(self, alice: User) -> None:
        row = begin(alice)
        messages = [{"role": "user", "content": [shot(picture())]}, *said("hi \U0001f600")]

        written = settle(alice, row, messages, agent_id="kenny")

        stored = store.find(owner_id=alice.pk, cid="c-1")
        assert json.dumps(store.full_messages(stored)) == json.dumps(messages)
        assert json.dumps(store.full_messages(written)) == json.dumps(messages)
        assert (stored.version, stored.etag, stored.agent_id) == (2, written.etag, "kenny")
        assert (stored.message_count, stored.preview, stored.live) == (3, "re hi \U0001f600", None)
        assert (stored.updated_at, stored.seq) == (2000, 2)

    def test_never_lets_the_time_stand_still(self, alice: User) -> None:
        row = begin(alice, now=9000)

        assert [settle(alice, row, said("x"), now=5).updated_at for _ in range(2)] == [9001, 9002]

    def test_titles_what_has_no_title_once(self, alice: User) -> None:
        row = begin(alice, title="")
        assert settle(alice, row, said("from the list")).title == "from the list"
        assert settle(alice, row, said("again"), title_if_empty="given").title == "from the list"

    def test_keeps_what_was_changed_while_the_turn_ran(self, alice: User) -> None:
        row = begin(alice)
        sent = store.Sent(columns={"title": "a person's", "settings": {"model": "m"}})
        store.patch(owner_id=alice.pk, cid="c-1", sent=sent, now=1500)

        written = settle(alice, row, said("x"), title_if_empty="automatic")

        assert (written.title, written.version) == ("a person's", 3)
        assert store.find(owner_id=alice.pk, cid="c-1").settings == {"model": "m"}

    def test_goes_on_held(self, alice: User) -> None:
        row = begin(alice)

        assert settle(alice, row, said("x"), live=("t-1", "held")).live == {
            "turnId": "t-1",
            "status": "held",
        }

    def test_takes_a_plain_list_too(self, alice: User) -> None:
        row = begin(alice)
        with transaction.atomic():
            state = store.locked(alice.pk)
            written = store.append_turn(
                state, row, messages=said("x"), agent_id=None, title_if_empty="", now=1, live=None
            )

        assert written.messages == said("x")

    def test_revives_nothing(self, alice: User) -> None:
        row = begin(alice)
        store.bury(owner_id=alice.pk, cid="c-1", now=1)

        with pytest.raises(Deleted):
            settle(alice, row, said("late"))
        assert store.SyncState.objects.get().last_seq == 2
        Conversation.objects.all().delete()
        with pytest.raises(NotFound):
            settle(alice, row, said("late"))

    def test_of_a_known_image_stores_nothing_twice(self, alice: User) -> None:
        row = begin(alice)
        settle(alice, row, [{"role": "user", "content": [shot(picture())]}])
        stored = store.full_messages(store.find(owner_id=alice.pk, cid="c-1"))

        written = settle(alice, row, [*stored, *said("more")])

        assert store.full_messages(written) == [*stored, *said("more")]


class TestVerbatim:
    """What the column keeps, whoever wrote it."""

    def test_half_a_surrogate_pair_of_an_upstream_is_kept(self, alice: User) -> None:
        messages = [
            {"role": "assistant", "content": [{"type": "text", "text": "\ud83d \u00e9 \x00"}]}
        ]

        written = settle(alice, begin(alice), messages)

        assert store.full_messages(store.find(owner_id=alice.pk, cid="c-1")) == messages
        assert written.preview == "\ufffd \u00e9 \u2400"

    def test_a_dump_and_its_load_on_another_database_change_nothing(self, alice: User) -> None:
        tools = [{"b": 1e16, "a": 2**70, "10": -0.0, "9": "\x00"}]
        row = begin(alice)
        settle(alice, row, [{"role": "user", "content": "x", "z": tools}])
        dump = serializers.serialize("json", Conversation.objects.all())
        Conversation.objects.all().delete()

        for loaded in serializers.deserialize("json", dump):
            loaded.save()

        stored = store.find(owner_id=alice.pk, cid="c-1")
        assert json.dumps(stored.messages[0]["z"]) == json.dumps(tools)
        assert (stored.version, stored.seq, stored.settings) == (2, 2, {})


def freeze(alice: User, row: Conversation, **request: Any) -> None:
    with transaction.atomic():
        state = store.locked(alice.pk)
        frozen = store.Frozen(**request)
        store.set_live(state, row, turn_id="t-1", status="running", frozen=frozen)


class TestFreeze:
    def test_keeps_system_text_and_tools_and_moves_no_version(self, alice: User) -> None:
        row = begin(alice)
        tools = [{"name": "read_file", "input_schema": {"b": 1, "a": 2}}]

        freeze(alice, row, system="Be \u2028 brief.", tools=tools)
        freeze(alice, row, system="Be brief.", tools=tools, frozen_hash="h", thinking_from=4)
        store.unbind(row, thinking_from=6)

        stored = store.find(owner_id=alice.pk, cid="c-1")
        assert (stored.system, json.dumps(stored.tools)) == ("Be brief.", json.dumps(tools))
        assert (stored.frozen_hash, stored.thinking_from, row.thinking_from) == ("h", 6, 6)
        assert (stored.version, stored.seq, SyncState.objects.get().last_seq) == (1, 3, 3)

    def test_hashes_what_it_keeps(self, alice: User) -> None:
        row = begin(alice)

        freeze(alice, row, system="a", tools=[])

        assert (
            row.frozen_hash
            == store.hash_frozen(system="a", tools=[])
            != store.hash_frozen(system="b", tools=[])
        )


class TestLock:
    def test_is_needed_for_a_number(self, alice: User) -> None:
        begin(alice)
        stale = SyncState.objects.get()
        begin(alice)

        row = Conversation.objects.get()
        with pytest.raises(store.NotLocked):
            store.set_live(stale, row, turn_id=None, status=None)

    def test_is_needed_for_a_row(self, alice: User) -> None:
        row = begin(alice)
        settle(alice, row, said("x"))

        with pytest.raises(store.NotLocked):
            freeze(alice, row, system="stale", tools=[])

    @pytest.mark.django_db(transaction=True)
    def test_is_held_only_inside_a_transaction(self) -> None:
        with pytest.raises(store.NotLocked):
            store.locked(1)


class TestFullMessages:
    def test_of_a_list_that_was_rewritten_meanwhile_are_the_new_ones(self, alice: User) -> None:
        row = begin(alice)
        settle(alice, row, [{"role": "user", "content": [shot(picture())]}])
        stale = store.find(owner_id=alice.pk, cid="c-1")
        settle(alice, row, said("new"))

        assert store.full_messages(stale) == said("new")

    def test_of_a_conversation_deleted_meanwhile_are_gone(self, alice: User) -> None:
        row = begin(alice)
        settle(alice, row, [{"role": "user", "content": [shot(picture())]}])
        stale = store.find(owner_id=alice.pk, cid="c-1")
        store.bury(owner_id=alice.pk, cid="c-1", now=1)

        with pytest.raises(Deleted):
            store.full_messages(stale)
