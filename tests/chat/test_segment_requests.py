"""What is sent to the model, and what is stored of a person's words."""

from itertools import pairwise

import pytest

from history import sending
from tests.support.engine import Engine, kinds, spoken
from tests.support.notation import TU, T, png
from tests.support.scripted import Said, fails, is_prefix, says


class TestAMessage:
    def test_whose_turn_failed_is_stored_once_however_often_it_is_sent_t51(
        self, engine: Engine
    ) -> None:
        """And no word of the failures."""
        for _ in range(5):
            engine.script(fails("refused_key"))
            events = engine.say("continue")
            assert kinds(events)[-2:] == ["error", "done"]

        assert [spoken(message) for message in engine.stored()] == ["continue"]

        engine.script(says("Gladly."))
        engine.say("continue")

        assert [spoken(message) for message in engine.stored()] == ["continue", "Gladly."]

    def test_that_differs_is_kept_beside_the_one_that_failed_t51(self, engine: Engine) -> None:
        """Words are never dropped, neighbours are merged for the request only (rule 16)."""
        engine.script(fails("refused_key"))
        engine.say("open V1")

        engine.say("open V2")

        assert [spoken(message) for message in engine.stored()] == ["open V1", "open V2", "ok"]
        assert [message["role"] for message in engine.model.requests[-1].messages] == ["user"]

    def test_with_a_picture_is_stored_as_it_came_and_sent_smaller_t74_t79(
        self, engine: Engine
    ) -> None:
        """Contract 7, rule 8: the same copy in every request."""
        picture = png(1600, 1000)

        engine.say("look", png=[picture])
        engine.say("again")

        stored = engine.stored()[0]["content"][1]["source"]["data"]
        first, second = (request.messages[0]["content"][1] for request in engine.model.requests)
        assert stored == picture
        assert first == second
        assert first["source"]["data"] != picture

    def test_after_too_many_pictures_is_sent_without_the_oldest_t75_t76(
        self, engine: Engine, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """And without thinking, which is bound to them; the list keeps both."""
        monkeypatch.setattr(sending, "MAX_IMAGES", 1)
        engine.script(
            Said(blocks=[{"type": "thinking", "thinking": "hm"}, T("One.")]), says("Two.")
        )
        engine.say("look", png=[png(2, 2)])

        engine.say("and here", png=[png(3, 3)])

        sent = engine.model.requests[-1].messages
        assert [block["type"] for block in sent[0]["content"]] == ["text", "text", "text"]
        assert [block["type"] for block in sent[1]["content"]] == ["text"]
        assert engine.stored()[0]["content"][1]["type"] == "image"
        assert engine.stored()[1]["content"][0]["type"] == "thinking"


class TestThinkingThatTheApiRefuses:
    def test_is_left_out_once_and_from_then_on_t93(self, engine: Engine) -> None:
        """The fact is stored, so the next turn does not run into it again."""
        thought = {"type": "thinking", "thinking": "hm"}
        engine.script(Said(blocks=[thought, T("One.")]), fails("binding"), says("Two."))
        engine.say("one")

        events = engine.say("two")
        engine.say("three")

        assert kinds(events) == ["user_text", "reset", "text_delta", "done"]
        sent = [request.messages for request in engine.model.requests]
        assert [[block["type"] for block in messages[1]["content"]] for messages in sent[1:]] == [
            ["thinking", "text"],
            ["text"],
            ["text"],
        ]
        assert engine.conversation().thinking_from == 3
        assert engine.stored()[1]["content"][0]["type"] == "thinking"


class TestTheFrozenRequest:
    def test_of_every_later_turn_begins_with_the_earlier_ones_t94(self, engine: Engine) -> None:
        """Rule 19, B4.7: resumed, approved, denied, stopped; thinking in between stays bound."""
        thought = {"type": "thinking", "thinking": "hm"}
        engine.script(
            Said(blocks=[thought, TU("a1", "read_gauge"), TU("a2", v=1)]),
            Said(blocks=[thought, TU("a3", v=2)]),
            Said(blocks=[thought, T("Well.")]),
            Said(blocks=[thought, T("Never ends")], hold=3),
        )
        engine.say("open V1")
        engine.decide("a2", approve=True)
        engine.decide("a3", approve=False)
        stopped = engine.send("open V2")
        engine.until_held()
        engine.stop(stopped)
        engine.watch(stopped)

        engine.say("and now?")

        bodies = engine.model.bodies
        assert len(bodies) == 5
        for earlier, later in pairwise(bodies):
            assert is_prefix(earlier, later)
