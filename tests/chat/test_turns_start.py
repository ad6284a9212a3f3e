"""Sending: one turn at a time, the same request once, cuts that point at a person's words."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import IntegrityError

from chat import turns
from chat.models import Turn, TurnEvent, TurnMessage
from chat.protocol import Picture
from chat.tools.registry import UnknownAgent
from history import store
from history.errors import BadRequest, Busy, Deleted, Mismatch, NotFound
from tests.chat.starting import send, together
from tests.support.engine import NOW, Engine, Valves, spoken
from tests.support.notation import png

pytestmark = pytest.mark.usefixtures("valves")


class TestStart:
    def test_saves_the_conversation_with_the_turn(self, owner: User) -> None:
        """Contract 7, rule 1: every device can find and watch it at once."""
        started = send(owner, "open V1\nand V2")

        conversation = store.find(owner_id=owner.pk, cid="c-1")
        assert (conversation.version, conversation.title) == (1, "open V1 and V2")
        assert conversation.live == {"turnId": started.turn.turn_id, "status": "running"}
        assert (started.fresh, started.after) == (True, 0)

    def test_keeps_the_message_and_its_event_in_the_same_commit_t33_t58(self, owner: User) -> None:
        """Acknowledged is stored."""
        started = send(owner)

        assert spoken(TurnMessage.objects.get(turn=started.turn).payload) == "open V1"
        assert TurnEvent.objects.get(turn=started.turn).last_seq == 1

    def test_makes_ids_where_none_were_given(self, owner: User) -> None:
        started = send(owner, conversation_id=None)

        assert started.conversation_id.startswith("c-")
        assert started.turn.turn_id.startswith("t-")

    def test_leaves_the_list_alone_until_the_settle(self, owner: User) -> None:
        """Contract 7, rule 3."""
        send(owner)

        assert store.find(owner_id=owner.pk, cid="c-1").messages == []

    def test_serves_a_picture_before_anything_is_settled_t81(self, owner: User) -> None:
        picture = Picture(media_type="image/png", data=png(8, 6))

        send(owner, "look", images=(picture,))

        assert store.find(owner_id=owner.pk, cid="c-1").links.count() == 1

    @pytest.mark.parametrize("words", ["", " \n"])
    def test_of_a_picture_alone_keeps_no_empty_text_t39(self, owner: User, words: str) -> None:
        """The API refuses it."""
        picture = Picture(media_type="image/png", data=png(8, 6))

        started = send(owner, words, images=(picture,))

        said = TurnMessage.objects.get(turn=started.turn).payload["content"]
        assert [block["type"] for block in said] == ["text", "image"], "the note and the picture"

    @pytest.mark.parametrize("data", ["no base64!", "AAAA"])
    def test_refuses_a_picture_that_is_none_t77(self, owner: User, data: str) -> None:
        """And stores nothing."""
        with pytest.raises(BadRequest):
            send(owner, images=(Picture(media_type="image/png", data=data),))

        assert not Turn.objects.exists()

    def test_refuses_an_agent_that_is_not_there(self, owner: User) -> None:
        with pytest.raises(UnknownAgent):
            send(owner, agent_id="nobody")

        with pytest.raises(NotFound):
            store.find(owner_id=owner.pk, cid="c-1")

    def test_refuses_a_deleted_conversation(self, owner: User) -> None:
        """Contract 7, rule 1."""
        store.bury(owner_id=owner.pk, cid="c-1", now=NOW)

        with pytest.raises(Deleted):
            send(owner)

    def test_refuses_a_second_turn_while_one_runs_t103(self, owner: User) -> None:
        """Contract 7, rule 1: nothing is dropped silently."""
        first = send(owner).turn

        with pytest.raises(Busy) as refused:
            send(owner, "also V2")

        assert refused.value.facts == {"turnId": first.turn_id}
        assert Turn.objects.count() == 1

    def test_lets_the_database_have_the_last_word(self, owner: User) -> None:
        """Contract 7, rule 1."""
        first = send(owner).turn
        first.pk, first.turn_id = None, "t-2"

        with pytest.raises(IntegrityError):
            first.save(force_insert=True)


class TestTheSameTurnId:
    def test_attaches_to_the_turn_that_is_there_t29(self, owner: User) -> None:
        """Rule 11: never runs or bills twice."""
        first = send(owner, turn_id="t-1")

        again = send(owner, turn_id="t-1")

        assert (again.turn.pk, again.fresh, again.after) == (first.turn.pk, False, 0)
        assert Turn.objects.count() == 1

    def test_attaches_after_the_end_too(self, engine: Engine) -> None:
        """Rule 11."""
        events = engine.say(turn_id="t-1")

        again = engine.say(turn_id="t-1")

        assert again == events
        assert len(engine.model.requests) == 1

    @pytest.mark.parametrize(
        "change",
        [
            {"message": "open V2"},
            {"conversation_id": "c-2"},
            {"agent_id": "other"},
            {"images": (Picture(media_type="image/png", data=png()),)},
            {"truncate_at": 0, "version": 1},
        ],
    )
    def test_of_another_request_is_a_mismatch(self, owner: User, change: dict[str, Any]) -> None:
        """Rule 11."""
        send(owner, turn_id="t-1")

        with pytest.raises(Mismatch):
            send(owner, turn_id="t-1", **change)

    def test_of_a_deleted_conversation_says_so(self, owner: User) -> None:
        """Rule 11."""
        send(owner, turn_id="t-1")
        store.bury(owner_id=owner.pk, cid="c-1", now=NOW)

        with pytest.raises(Deleted):
            send(owner, turn_id="t-1")

    def test_of_somebody_else_is_another_turn(
        self, owner: User, django_user_model: type[User]
    ) -> None:
        bob = django_user_model.objects.create_user("bob")

        mine, his = send(owner, turn_id="t-1"), send(bob, turn_id="t-1")

        assert mine.turn.pk != his.turn.pk

    def test_sent_twice_at_once_makes_one_turn_t29(self, owner: User) -> None:
        """Rule 11: looked up after the lock, so the twin attaches instead of getting `busy`."""
        found = together(lambda: send(owner, turn_id="t-1"), lambda: send(owner, turn_id="t-1"))

        assert sorted(started.fresh for started in found) == [False, True]

    def test_unlike_two_turns_at_once_of_which_one_is_busy(self, owner: User) -> None:
        """Contract 7, rule 1."""
        found = together(lambda: send(owner, turn_id="t-1"), lambda: send(owner, turn_id="t-2"))

        assert sorted(type(one).__name__ for one in found) == ["Busy", "Started"]


class TestWatched:
    def test_finds_ones_own_turn_only(self, owner: User, django_user_model: type[User]) -> None:
        """Contract 3: another's id behaves like one that never existed."""
        turn = send(owner, turn_id="t-1").turn
        bob = django_user_model.objects.create_user("bob")

        assert turns.watched("t-1", owner_id=owner.pk).pk == turn.pk
        for owner_id, turn_id in ((bob.pk, "t-1"), (owner.pk, "t-2")):
            with pytest.raises(NotFound):
                turns.watched(turn_id, owner_id=owner_id)

    def test_finds_it_in_its_own_conversation_only(self, owner: User, valves: Valves) -> None:
        send(owner, turn_id="t-1")
        send(owner, conversation_id="c-2")
        other = store.find(owner_id=owner.pk, cid="c-2")

        with pytest.raises(NotFound):
            turns.watched("t-1", owner_id=owner.pk, conversation=other)
