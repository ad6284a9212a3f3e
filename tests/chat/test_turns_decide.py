"""Deciding a held call: by its owner, once, in time, for exactly what was shown; and what is waiting for that."""

import pytest
from django.contrib.auth.models import User

from chat import decisions, turns
from chat.gate_errors import DecidedAlready, DigestMismatch, Expired
from chat.models import ToolCall, Turn
from chat.protocol import Confirm
from chat.tools import registry
from chat.turns import Started
from history import store
from history.errors import Deleted, Forbidden, NotFound
from history.outcomes import code_of
from tests.chat.starting import together
from tests.support.engine import NOW, Engine, Valves, kinds, of_kind
from tests.support.notation import TU
from tests.support.scripted import calls, says

HOLD = calls(TU("a1", v=1))


@pytest.fixture
def held(engine: Engine) -> Turn:
    """A turn with one held call, a1."""
    engine.script(HOLD)
    turn = engine.send()
    engine.watch(turn)
    return turn


class TestDecide:
    def test_claims_a_held_turn_in_the_same_transaction(self, engine: Engine, held: Turn) -> None:
        """Rule 12."""
        decided = engine.confirm(approve=True)

        row = Turn.objects.get()
        assert (decided.fresh, row.status, row.fence) == (True, "running", 2)
        assert engine.conversation().live == {"turnId": held.turn_id, "status": "running"}
        assert decided.after == 4

    def test_leaves_a_turn_that_still_runs_to_its_process(
        self, engine: Engine, valves: Valves
    ) -> None:
        """Rule 12: a call approved while others run is picked up by the running segment."""
        valves.gate.clear()
        engine.script(calls(TU("r1", "read_gauge"), TU("a1", v=1)), says("Both."))
        turn = engine.send()
        engine.until(valves.entered.is_set)

        decided = engine.confirm(approve=True)
        row = Turn.objects.get()
        valves.gate.set()
        engine.watch(turn)

        assert (decided.fresh, row.status, row.fence) == (False, "running", 1)
        assert (valves.read, valves.opened) == (1, [1])
        assert Turn.objects.get().stop_reason == "end_turn"

    def test_is_made_once_t64(self, engine: Engine, held: Turn, valves: Valves) -> None:
        """A double click finds nothing to do, the loser sees who won."""
        decided = engine.confirm(approve=True)
        at = ToolCall.objects.get().decided_at

        with pytest.raises(DecidedAlready) as refused:
            engine.confirm(approve=False)
        assert refused.value.facts == {
            "decision": "approved",
            "decidedBy": "alice",
            "decidedAt": at,
        }

        engine.watch(decided.turn)
        with pytest.raises(DecidedAlready):
            engine.confirm(approve=True)
        assert valves.opened == [1]

    @pytest.mark.parametrize("second", [True, False])
    def test_made_twice_at_once_counts_once_t64(
        self, engine: Engine, held: Turn, valves: Valves, *, second: bool
    ) -> None:
        """Two real connections; compare-and-set."""
        found = together(
            lambda: engine.confirm(approve=True), lambda: engine.confirm(approve=second)
        )

        assert sorted(type(one).__name__ for one in found) == ["DecidedAlready", "Started"]
        engine.watch(held)
        assert len(valves.opened) <= 1

    def test_may_say_why_not_and_the_model_hears_it(self, engine: Engine, held: Turn) -> None:
        """The words are the person's own, so they stand behind the fixed sentence and are no tool's output."""
        decided = engine.confirm(approve=False, reason="Use V2 instead.")
        events = engine.watch(decided.turn, after=decided.after)

        said = "Refused by a person. The call was not run; do not repeat it. The person says: Use V2 instead."
        assert of_kind(events, "decided")["reason"] == "Use V2 instead."
        assert of_kind(events, "denied")["message"] == said
        result = engine.model.requests[-1].messages[-1]["content"][0]
        assert (result["content"], result["is_error"]) == (said, True)
        assert code_of(said) == "denied"

    def test_is_forgotten_with_the_conversation(self, engine: Engine, held: Turn) -> None:
        engine.watch(engine.confirm(approve=False, reason="a secret reason").turn)

        store.bury(owner_id=engine.owner.pk, cid="c-1", now=NOW)

        assert ToolCall.objects.get().reason == ""

    def test_is_for_what_was_shown_t65(self, engine: Engine, held: Turn) -> None:
        """And changes nothing otherwise."""
        with pytest.raises(DigestMismatch):
            engine.confirm(approve=True, digest="0" * 64)

        assert engine.call().state == "pending"

    def test_takes_any_text_for_a_wrong_digest(self, engine: Engine, held: Turn) -> None:
        with pytest.raises(DigestMismatch):
            engine.confirm(approve=True, digest="\N{SNOWMAN}")

    def test_finds_the_owners_calls_only(
        self, engine: Engine, held: Turn, django_user_model: type[User]
    ) -> None:
        """Contract 3: foreign and unknown are the same."""
        bob = django_user_model.objects.create_user("bob")
        digest = engine.call().digest

        for owner_id, call_id in ((bob.pk, "a1"), (engine.owner.pk, "a9")):
            frame = Confirm(conversation_id="c-1", call_id=call_id, digest=digest, approve=True)
            with pytest.raises(NotFound):
                decisions.decide(frame, owner_id=owner_id, now=NOW)

    def test_comes_too_late_after_a_delete(
        self, engine: Engine, held: Turn, valves: Valves
    ) -> None:
        """Rule 17."""
        store.bury(owner_id=engine.owner.pk, cid="c-1", now=NOW)

        with pytest.raises(Deleted):
            engine.confirm(approve=True)
        assert valves.opened == []

    def test_needs_an_account_that_may(self, engine: Engine, held: Turn) -> None:
        """Rule 15: refused, and the call stays pending; denying is always safe."""
        User.objects.update(is_active=False)

        with pytest.raises(Forbidden):
            engine.confirm(approve=True)
        assert engine.call().state == "pending"

        assert engine.confirm(approve=False).fresh

    @pytest.mark.parametrize("agents", [{"kenny": ()}, {"workspace": (), "kenny": ()}])
    def test_needs_a_tool_that_is_there(
        self,
        engine: Engine,
        held: Turn,
        monkeypatch: pytest.MonkeyPatch,
        agents: dict[str, tuple[()]],
    ) -> None:
        """Rule 15."""
        monkeypatch.setattr(registry, "AGENTS", agents)

        with pytest.raises(Forbidden):
            engine.confirm(approve=True)
        assert engine.call().state == "pending"


class TestExpiry:
    """Judged by the database's clock: a process whose own clock was moved back approves nothing."""

    @pytest.fixture(autouse=True)
    def overdue(self, held: Turn) -> None:
        ToolCall.objects.update(expires_at=1)

    def test_refuses_the_decision_and_ends_the_turn(
        self, engine: Engine, held: Turn, valves: Valves
    ) -> None:
        """Contract 7, rule 6; rule 15: no model is asked."""
        with pytest.raises(Expired):
            engine.confirm(approve=True)

        events = engine.watch(held, after=4)
        assert kinds(events) == ["denied", "done"]
        assert (events[0]["code"], events[1]["stopReason"]) == ("expired", "expired")
        assert (valves.opened, len(engine.model.requests)) == ([], 1)

    def test_holds_for_a_clock_that_was_moved_back(
        self, engine: Engine, held: Turn, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """B5."""
        monkeypatch.setattr("chat.desk.now_ms", lambda: 0)

        with pytest.raises(Expired):
            engine.confirm(approve=True)

    def test_lets_the_next_message_through(self, engine: Engine) -> None:
        """Rule 15: start looks for overdue calls."""
        events = engine.say("what is V2?")

        assert events[-1]["stopReason"] == "end_turn"
        assert engine.call().state == "expired"

    def test_is_not_pending_any_more(self, engine: Engine) -> None:
        """Rule 15."""
        assert turns.pending(owner_id=engine.owner.pk) == []

    def test_tells_a_second_click_the_same(self, engine: Engine) -> None:
        for _ in range(2):
            with pytest.raises(Expired):
                engine.confirm(approve=True)


class TestPending:
    def test_lists_what_waits_in_all_conversations_t59_t61(
        self, engine: Engine, held: Turn
    ) -> None:
        """Contract 7: the same card after a reload."""
        engine.script(calls(TU("b1", v=2)))
        engine.say(conversation_id="c-2")

        waiting = turns.pending(owner_id=engine.owner.pk)

        assert [(event["conversationId"], event["callId"]) for event in waiting] == [
            ("c-1", "a1"),
            ("c-2", "b1"),
        ]
        shown = of_kind(engine.watch(held), "pending")
        assert waiting[0] == {key: value for key, value in shown.items() if key != "seq"}

    def test_is_empty_for_somebody_else(self, held: Turn, django_user_model: type[User]) -> None:
        bob = django_user_model.objects.create_user("bob")

        assert turns.pending(owner_id=bob.pk) == []


class TestStop:
    def test_finds_the_owners_turns_only(
        self, engine: Engine, held: Turn, django_user_model: type[User]
    ) -> None:
        bob = django_user_model.objects.create_user("bob")

        for owner_id, turn_id in ((bob.pk, held.turn_id), (engine.owner.pk, "t-unknown")):
            with pytest.raises(NotFound):
                turns.stop(turn_id, owner_id=owner_id)
        assert not Turn.objects.get().stop

    def test_of_a_deleted_turn_finds_nothing(self, engine: Engine, held: Turn) -> None:
        store.bury(owner_id=engine.owner.pk, cid="c-1", now=NOW)

        with pytest.raises(NotFound):
            turns.stop(held.turn_id, owner_id=engine.owner.pk)

    def test_against_an_approval_ends_stopped_or_runs_once(
        self, engine: Engine, held: Turn, valves: Valves
    ) -> None:
        """Rules 12, 13: whichever comes first, the turn ends."""
        found = together(lambda: engine.confirm(approve=True), lambda: engine.stop(held))

        engine.watch(held)
        row = Turn.objects.get()
        assert (row.status, engine.conversation().live) == ("stopped", None)
        assert len(valves.opened) <= int(any(isinstance(one, Started) for one in found))
