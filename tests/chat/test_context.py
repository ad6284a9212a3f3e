"""The context meter, and the room that is made near the end of a window."""

import pytest

from chat.context import Meter, added, carried
from tests.support.engine import Engine, Valves
from tests.support.listing import entry, lists
from tests.support.notation import TU
from tests.support.scripted import calls, fails, says

MODEL = "claude-sonnet-5-5"
FULL = {
    "input_tokens": 100,
    "cache_creation_input_tokens": 200,
    "cache_read_input_tokens": 450,
    "output_tokens": 60,
}


class TestAdded:
    def test_sums_tokens_and_keeps_the_latest_figures(self) -> None:
        one = {"input_tokens": 1, "contextTokens": 5, "contextWindow": 10}
        two = {"input_tokens": 2, "contextTokens": 3}

        assert added(one, two) == {"input_tokens": 3, "contextTokens": 3, "contextWindow": 10}
        assert carried(added(one, two)) == {"contextTokens": 3, "contextWindow": 10}


class TestMeter:
    def test_measures_all_that_the_api_read_and_said(self) -> None:
        measured = Meter({}, model=MODEL, listed=[entry()]).measured(FULL)

        assert measured == FULL | {"contextTokens": 810, "contextWindow": 1000}

    def test_measures_nothing_without_the_apis_figures(self) -> None:
        assert Meter({}, model=MODEL, listed=[entry()]).measured({"output_tokens": 3}) == {
            "output_tokens": 3
        }

    def test_knows_no_window_of_a_model_that_is_not_listed(self) -> None:
        assert Meter({}, model=MODEL, listed=[]).measured({"input_tokens": 3}) == {
            "input_tokens": 3,
            "contextTokens": 3,
        }

    @pytest.mark.parametrize(("tokens", "asked"), [(799, None), (800, 500), (2000, 500)])
    def test_asks_for_room_from_four_fifths_of_the_window_on(
        self, tokens: int, asked: int | None
    ) -> None:
        meter = Meter({"contextTokens": tokens}, model=MODEL, listed=[entry()])

        assert meter.edit_from == asked

    @pytest.mark.parametrize(
        "listed", [[], [entry(edits=False)], [entry(window=None)], [entry("b")]]
    )
    def test_asks_for_none_where_the_model_does_not_offer_it(
        self, listed: list[dict[str, object]]
    ) -> None:
        meter = Meter({"contextTokens": 999, "contextEditing": 1}, model=MODEL, listed=listed)

        assert meter.edit_from is None
        assert not meter.overflown()

    def test_goes_on_asking_once_it_has_begun(self) -> None:
        meter = Meter({"contextTokens": 900}, model=MODEL, listed=[entry()])
        assert meter.edit_from

        usage = meter.measured({"input_tokens": 300})

        assert usage["contextEditing"] == 1
        assert meter.edit_from == 500
        assert Meter(carried(usage), model=MODEL, listed=[entry()]).edit_from == 500

    def test_makes_room_once_for_a_request_that_was_too_long(self) -> None:
        meter = Meter({}, model=MODEL, listed=[entry()])

        assert (meter.overflown(), meter.overflown()) == (True, False)
        assert meter.edit_from == 500


class TestATurn:
    def test_tells_how_full_the_context_is(self, engine: Engine, valves: Valves) -> None:
        lists(engine, entry())
        engine.script(
            calls(TU("a1", "read_gauge"), usage={"input_tokens": 10, "output_tokens": 5}),
            says("7 bar.", usage={"input_tokens": 30, "output_tokens": 2}),
        )

        events = engine.say()

        assert events[-1]["usage"] == {
            "input_tokens": 40, "output_tokens": 7, "contextTokens": 32, "contextWindow": 1000
        }  # fmt: skip

    def test_asks_for_room_in_the_next_request_and_in_the_next_turn(self, engine: Engine) -> None:
        lists(engine, entry())
        engine.script(
            calls(TU("a1", "read_gauge"), usage=FULL), says("done", usage={"input_tokens": 90})
        )

        engine.say()
        engine.say("and now?")

        assert [request.edit_from for request in engine.model.requests] == [None, 500, 500]

    def test_begins_a_shorter_list_without(self, engine: Engine) -> None:
        lists(engine, entry())
        engine.script(says("done", usage=FULL))
        engine.say()

        engine.say("instead", truncate_at=0, version=engine.conversation().version)

        assert engine.model.requests[-1].edit_from is None

    def test_tries_a_request_that_was_too_long_once_more_with_room(self, engine: Engine) -> None:
        lists(engine, entry())
        engine.script(fails("too_long"), says("It fits."))

        events = engine.say()

        assert events[-1]["stopReason"] == "end_turn"
        assert [request.edit_from for request in engine.model.requests] == [None, 500]

    @pytest.mark.parametrize("edits", [True, False])
    def test_ends_when_it_is_too_long_even_so(self, engine: Engine, edits: bool) -> None:  # noqa: FBT001  a case
        lists(engine, entry(edits=edits))
        engine.script(fails("too_long"), fails("too_long"))

        events = engine.say()

        assert (events[-2]["type"], events[-1]["stopReason"]) == ("error", "failed")
        assert len(engine.model.requests) == (2 if edits else 1)
        assert engine.conversation().live is None

    def test_names_a_full_window(self, engine: Engine) -> None:
        engine.script(says("half", stop="model_context_window_exceeded"))

        events = engine.say()

        assert events[-2]["code"] == "context_full"

    def test_is_followed_by_one_that_works_again(self, engine: Engine) -> None:
        """An overflow never bricks a conversation: what made it too long can be taken back."""
        lists(engine, entry(edits=False))
        engine.script(says("fine"), fails("too_long"), says("fine again"))
        engine.say("short")
        engine.say("far too long")

        version = engine.conversation().version
        events = engine.say("shorter", truncate_at=2, version=version)

        assert events[-1]["stopReason"] == "end_turn"
        assert len(engine.stored()) == 4

    def test_is_kept_in_its_row(self, engine: Engine) -> None:
        lists(engine, entry())
        engine.script(says("done", usage=FULL))

        engine.say()

        assert engine.conversation().turns.get().usage["contextTokens"] == 810
