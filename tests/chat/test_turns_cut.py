"""Cutting a list and rewriting what its requests begin with: edit, regenerate, another agent, other settings."""

from typing import Any

import pytest
from django.contrib.auth.models import User

from chat.closing import CRASH
from chat.conclude import conclude
from chat.models import Turn
from history import store
from history.errors import BadRequest, Conflict
from tests.chat.starting import keep, send
from tests.support import rows
from tests.support.engine import NOW, Engine, Valves, spoken
from tests.support.notation import TR, TU, A, T, U
from tests.support.scripted import calls, fails, says

pytestmark = pytest.mark.usefixtures("valves")


class TestTruncateAt:
    STORED = (
        U(T("one")),
        A(TU("a1")),
        U(TR("a1")),
        A(T("1")),
        U(T("two")),
        A(T("2")),
    )

    def test_keeps_the_messages_before_it(self, engine: Engine) -> None:
        """Rule 18: the old ones stay until the settle."""
        version = keep(engine.owner, *self.STORED)
        turn = engine.send("two again", truncate_at=4, version=version)
        assert len(engine.stored()) == 6

        engine.watch(turn)

        assert [message["role"] for message in engine.stored()] == ["user", "assistant"] * 3
        assert spoken(engine.stored()[4]) == "two again"

    @pytest.mark.parametrize("at", [1, 2, 3, 5, 6, 99])
    def test_points_at_a_persons_words_or_nowhere_t5(self, owner: User, at: int) -> None:
        """Rule 18: never between a call and its result."""
        version = keep(owner, *self.STORED)

        with pytest.raises(BadRequest):
            send(owner, truncate_at=at, version=version)

        assert not Turn.objects.exists()

    def test_of_a_list_that_has_moved_is_a_conflict(self, owner: User) -> None:
        """Rule 18."""
        version = keep(owner, *self.STORED)

        with pytest.raises(Conflict) as refused:
            send(owner, truncate_at=4, version=version - 1)

        assert refused.value.facts["version"] == version

    def test_of_nothing_still_holds_a_version_to_its_word(self, owner: User) -> None:
        version = keep(owner, *self.STORED)

        with pytest.raises(Conflict):
            send(owner, version=version + 1)
        assert send(owner, version=version).fresh

    def test_whose_turn_fails_before_any_output_leaves_the_list_as_it_was(
        self, engine: Engine
    ) -> None:
        """Rule 18."""
        version = keep(engine.owner, *self.STORED)
        engine.script(fails("refused_key"))

        events = engine.say("two again", truncate_at=4, version=version)

        assert (events[-1]["stopReason"], events[-1]["version"]) == ("failed", version)
        assert engine.stored() == list(self.STORED)
        assert engine.conversation().live is None

    def test_whose_turn_is_stopped_before_any_output_leaves_the_list_as_it_was(
        self, engine: Engine
    ) -> None:
        """Contract 7: the old ones stay until the settle that puts an answer in their place."""
        version = keep(engine.owner, *self.STORED)
        engine.script(says("Never shown", hold=0))
        turn = engine.send("two again", truncate_at=4, version=version)
        engine.until_held()
        engine.stop(turn)

        events = engine.watch(turn)

        assert (events[-1]["stopReason"], events[-1]["version"]) == ("stopped", version)
        assert engine.stored() == list(self.STORED)

    def test_whose_process_dies_before_any_output_leaves_the_list_as_it_was(
        self, owner: User
    ) -> None:
        """Contract 7: nothing that was settled is lost to a crash; the same request can be sent again."""
        version = keep(owner, *self.STORED)
        turn = rows.abandon(send(owner, "two again", truncate_at=4, version=version).turn)

        conclude(turn.pk, CRASH, now=NOW)

        assert rows.told(turn)[-1]["stopReason"] == "interrupted"
        assert rows.stored(turn) == list(self.STORED)
        assert send(owner, "two again", truncate_at=4, version=version).fresh

    def test_whose_process_dies_after_some_output_replaces_them(self, owner: User) -> None:
        version = keep(owner, *self.STORED)
        turn = send(owner, "two again", truncate_at=4, version=version).turn
        rows.text(turn, "Some words")
        rows.abandon(turn)

        conclude(turn.pk, CRASH, now=NOW)

        assert [spoken(message) for message in rows.stored(turn)[4:]] == ["two again", "Some words"]

    def test_keeps_what_a_tool_did_when_the_turn_fails_after_a_hold(
        self, engine: Engine, valves: Valves
    ) -> None:
        """A later segment has said nothing yet, and the turn has: its call ran."""
        version = keep(engine.owner, *self.STORED)
        engine.script(calls(TU("b1", v=1)), fails("refused_key"))
        engine.say("two again", truncate_at=4, version=version)

        events = engine.decide("b1", approve=True)

        assert (events[-1]["stopReason"], valves.opened) == ("failed", [1])
        assert [message["role"] for message in engine.stored()[4:]] == ["user", "assistant", "user"]
        assert engine.stored()[-1]["content"][0]["tool_use_id"] == "b1"

    def test_whose_turn_was_heard_replaces_them(self, engine: Engine) -> None:
        """Rule 18: once the model has spoken, the new words are what happened."""
        version = keep(engine.owner, *self.STORED)
        engine.script(calls(TU("b1", "read_gauge")), fails("refused_key"))

        engine.say("two again", truncate_at=4, version=version)

        assert spoken(engine.stored()[4]) == "two again"


class TestTheFrozenRequest:
    """Rule 19."""

    def test_is_kept_from_turn_to_turn(self, engine: Engine) -> None:
        engine.say("one")
        frozen = engine.conversation().frozen_hash

        engine.say("two")

        assert engine.conversation().frozen_hash == frozen
        assert engine.conversation().thinking_from == 0

    @pytest.mark.parametrize("change", [{"agent_id": "other"}, {}])
    def test_is_written_anew_for_another_agent_or_system_text(
        self, engine: Engine, change: dict[str, Any]
    ) -> None:
        engine.say("one")
        if not change:
            store.patch(
                owner_id=engine.owner.pk,
                cid="c-1",
                sent=store.Sent(columns={"settings": {"system": "Be brief."}}),
                now=NOW,
            )

        engine.say("two", **change)

        assert engine.conversation().thinking_from == 2
        first, second = engine.model.requests
        assert (first.system, first.tools) != (second.system, second.tools)

    def test_leaves_out_thinking_from_before(self, engine: Engine) -> None:
        """Only requests leave it out; the list keeps it."""
        thought = {"type": "thinking", "thinking": "hm"}
        engine.script(_thinking(thought, "1"))
        engine.say("one")

        engine.say("two", agent_id="other")

        assert [block["type"] for block in engine.model.requests[-1].messages[1]["content"]] == [
            "text"
        ]
        assert engine.stored()[1]["content"][0]["type"] == "thinking"

    def test_begins_anew_where_a_list_was_cut_before(self, engine: Engine) -> None:
        """What counts from beyond the end of the list would leave out the thinking of this very turn."""
        engine.say("one")
        engine.say("two", agent_id="other")
        version = engine.conversation().version

        engine.script(_thinking({"type": "thinking", "thinking": "hm"}, "1"))
        engine.say("one again", truncate_at=0, version=version)
        engine.say("two again")

        assert engine.conversation().thinking_from == 0
        kinds = [block["type"] for block in engine.model.requests[-1].messages[1]["content"]]
        assert kinds == ["thinking", "text"]

    def test_counts_anew_after_a_heal_in_the_middle_t3_t93(self, engine: Engine) -> None:
        keep(
            engine.owner,
            U(T("x")),
            A(TU("a1"), TU("a2")),
            U(T("still there?")),
            A(T("yes")),
            U(T("go on")),
        )

        engine.say("go")

        assert engine.conversation().thinking_from == 5

    def test_takes_model_and_effort_from_the_conversation(self, engine: Engine) -> None:
        engine.say("one")
        store.patch(
            owner_id=engine.owner.pk,
            cid="c-1",
            sent=store.Sent(
                columns={"settings": {"model": "claude-x", "effort": "low", "system": 7}}
            ),
            now=NOW,
        )

        engine.say("two")

        request = engine.model.requests[-1]
        assert (request.model, request.effort) == ("claude-x", "low")


def _thinking(thought: dict[str, Any], words: str) -> Any:
    said = says(words)
    return type(said)(blocks=[thought, *said.blocks])
