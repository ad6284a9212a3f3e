"""A turn whose model, tool, database or own code fails."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import OperationalError

from chat import calls as calling
from chat import segment
from chat.models import Turn
from chat.settle import settle
from tests.support.engine import Engine, journaled, kinds, spoken
from tests.support.notation import TU, T
from tests.support.scripted import Said, calls, fails, says


class TestAFault:
    def test_of_the_model_shows_a_reset_and_is_tried_again_t45_t47(self, engine: Engine) -> None:
        """One visible answer; the usage of all attempts is summed."""
        failed = fails("transient", blocks=[T("The val")])
        engine.script(failed, failed, says("Open."))

        events = engine.say()

        assert kinds(events) == [
            "user_text", "text_delta", "reset", "text_delta", "reset", "text_delta", "done"
        ]  # fmt: skip
        assert spoken(engine.stored()[-1]) == "Open."
        assert events[-1]["usage"] == {"output_tokens": 21}
        assert Turn.objects.get().rounds == 1

    def test_of_the_model_that_stays_ends_the_turn_with_the_reason_t48_t49(
        self, engine: Engine
    ) -> None:
        """Nothing of it becomes the assistant's words."""
        engine.script(fails("no_credit", blocks=[T("half")]))

        events = engine.say()

        assert kinds(events) == ["user_text", "text_delta", "reset", "error", "done"]
        assert (events[-2]["code"], events[-1]["stopReason"]) == ("no_credit", "failed")
        assert [spoken(message) for message in engine.stored()] == ["open V1"]
        assert Turn.objects.get().error == "no_credit"

    def test_of_our_own_ends_the_turn_too_t34_t109(self, engine: Engine) -> None:
        """Settled, said once, without any detail."""
        engine.script(Said(blocks=[T("half")], fault=RuntimeError("secret")))

        events = engine.say()

        assert (events[-2]["code"], events[-1]["stopReason"]) == ("internal", "failed")
        assert "secret" not in str(events)
        assert engine.conversation().live is None

    def test_of_our_own_answers_what_was_asked(
        self, engine: Engine, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Contract 7, rule 4: the result is always a list the API accepts."""
        engine.script(calls(TU("a1")))
        monkeypatch.setattr(
            calling, "newest_calls", fails_once(RuntimeError(), calling.newest_calls)
        )

        events = engine.say()

        assert kinds(events)[-3:] == ["tool_result", "error", "done"]
        assert engine.call().state == "not_run"
        assert engine.stored()[-1]["content"][0]["content"].startswith("not run")

    def test_of_the_database_at_the_end_is_tried_again(
        self, engine: Engine, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The lease outlasts a short outage, so nothing is given up."""
        monkeypatch.setattr(segment, "SETTLE_AGAIN", (0.0, 0.0))
        monkeypatch.setattr("chat.segment.settle", fails_once(OperationalError(), settle))

        events = engine.say()

        assert events[-1]["stopReason"] == "end_turn"

    def test_of_the_database_that_stays_leaves_the_turn_to_recovery(
        self, engine: Engine, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Rule 8: no `done` that is not committed."""
        monkeypatch.setattr(segment, "SETTLE_AGAIN", ())
        monkeypatch.setattr("chat.segment.settle", fails_once(OperationalError(), settle))
        turn = engine.send()

        engine.until(lambda: engine.is_idle(turn))

        turn.refresh_from_db()
        assert turn.status == "running"
        assert "done" not in kinds(journaled(turn))


def fails_once(error: Exception, act: Callable[..., Any]) -> Callable[..., Any]:
    """Return `act`, which fails the first time."""
    left = [error]

    def acting(*args: Any, **named: Any) -> Any:
        if left:
            raise left.pop()
        return act(*args, **named)

    return acting
