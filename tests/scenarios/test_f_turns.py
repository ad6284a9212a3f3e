"""Scenarios F: what a turn does to the stored conversation, whatever happens while it runs."""

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import OperationalError, connection

from chat import segment, sweep
from chat.closing import CRASH
from chat.conclude import conclude
from chat.models import ToolCall, Turn
from chat.settle import settle
from history.errors import Busy
from history.messages import faults
from tests.chat.starting import send, together
from tests.history.conftest import Api, said
from tests.scenarios.whole import rows
from tests.support import rows as left
from tests.support.engine import NOW, Engine, Valves, kinds, spoken
from tests.support.notation import TU
from tests.support.scripted import calls, says

HOLD = calls(TU("a1", v=1), before="I will open V1.")


def texts(engine: Engine) -> list[str]:
    return [spoken(message) for message in engine.stored()]


def test_f01_a_turn_that_settles_is_one_version_with_all_of_it(engine: Engine) -> None:
    engine.script(calls(TU("a1", "read_gauge"), before="I look."), says("7 bar."))
    turn = engine.send("how much?")
    begun = Api(engine.owner).get("c-1").body

    done = engine.watch(turn)[-1]

    stored = Api(engine.owner).get("c-1").body
    assert (begun["version"], begun["messages"]) == (1, [])
    assert (stored["version"], done["version"]) == (2, 2)
    assert [message["role"] for message in stored["messages"]] == ["user", "assistant"] * 2
    assert stored["live"] is None


def test_f02_stop_keeps_the_settled_prefix_and_no_half_block(engine: Engine) -> None:
    engine.script(says("The valve is open.", hold=2), says("Yes."))
    turn = engine.send()
    engine.until_held()

    engine.stop(turn)
    engine.watch(turn)

    assert texts(engine) == ["open V1", "The valv"]
    assert faults(engine.stored()) == []
    engine.say("and now?")
    assert texts(engine)[-2:] == ["and now?", "Yes."]


def test_f03_a_watcher_that_goes_away_ends_no_turn_and_another_device_sees_it(
    engine: Engine,
) -> None:
    engine.script(calls(TU("a1", "read_gauge")), says("7 bar.", hold=1))
    turn = engine.send()
    gone = engine.watching(turn)
    engine.until_held()
    gone.cancel()
    engine.until(gone.done)
    engine.release()

    events = engine.watch(turn)

    assert (gone.cancelled(), events[-1]["stopReason"]) == (True, "end_turn")
    other = Api(engine.owner)
    (row,) = other.list().body["conversations"]
    assert (row["version"], row["live"]) == (2, None)
    assert spoken(other.get("c-1").body["messages"][-1]) == "7 bar."


def test_f04_a_process_that_dies_mid_turn_leaves_the_version_before_and_recovery_heals(
    owner: User, valves: Valves
) -> None:
    api = Api(owner)
    api.put("c-1", messages=said("before"))
    turn = left.begun(owner)
    left.kept(turn, TU("a1", "read_gauge"))
    left.text(turn, "Then I ")
    left.abandon(turn)

    between = api.get("c-1").body
    sweep.recover(set(), every=False)

    after = api.get("c-1").body
    assert (between["version"], between["messages"]) == (1, said("before"))
    assert (after["version"], after["live"]) == (2, None)
    assert after["messages"][:2] == said("before")
    assert spoken(after["messages"][-1]) == "Then I "
    assert faults(after["messages"]) == []
    assert valves.read == 0


def test_f05_a_delete_while_the_turn_streams_discards_it_and_revives_nothing(
    engine: Engine,
) -> None:
    engine.script(says("The valve is open.", hold=2))
    turn = engine.send()
    watched = engine.watching(turn)
    engine.until_held()
    phone = Api(engine.owner)

    deleted = phone.delete("c-1").body
    buried = rows()["Conversation"]
    events = engine.result(watched)
    engine.until(lambda: engine.is_idle(turn))

    assert (events[-1]["type"], events[-1]["stopReason"]) == ("done", "deleted")
    assert phone.get("c-1").status_code == 410
    assert phone.list().body["deleted"] == [deleted]
    assert rows()["Conversation"] == buried
    assert "open V1" not in str([*Turn.objects.values(), rows()])


def test_f06_of_two_turns_sent_together_one_is_busy_and_one_is_paid(
    owner: User, valves: Valves
) -> None:
    for number in range(3):
        cid = f"c-{number}"
        found = together(*(partial(send, owner, text, conversation_id=cid) for text in "AB"))

        assert sorted(type(one).__name__ for one in found) == ["Busy", "Started"]
        busy = next(one for one in found if isinstance(one, Busy))
        assert busy.facts == {"turnId": Turn.objects.get(conversation__cid=cid).turn_id}


def test_f07_when_the_holder_of_the_lease_dies_the_next_send_goes_through(engine: Engine) -> None:
    dead = left.begun(engine.owner, "open V1")
    with pytest.raises(Busy):
        engine.send("open V2")

    left.abandon(dead)
    sweep.recover(set(), every=False)
    engine.script(says("V2 is open."))
    engine.say("open V2")

    assert texts(engine)[-2:] == ["open V2", "V2 is open."]
    assert Turn.objects.get(pk=dead.pk).status == "interrupted"


def test_f08_a_held_call_is_shown_as_waiting_and_no_write_of_history_triggers_it(
    engine: Engine, valves: Valves, told: Callable[..., None]
) -> None:
    engine.script(HOLD)
    turn = engine.send()
    engine.watch(turn)
    phone = Api(engine.owner)

    shown = phone.get("c-1").body
    replay = phone("GET", "chat/history/c-1").body["transcript"]
    yes = [*shown["messages"], {"role": "user", "content": "Approved. Go on."}]
    told(phone.put("c-1", messages=yes), 409, "pending")
    result = {"type": "tool_result", "tool_use_id": "a1", "content": "done"}
    forged = [*shown["messages"], {"role": "user", "content": [result]}]
    told(phone.put("c-1", messages=forged), 409, "pending")
    engine.turn_over()

    assert shown["live"] == {"turnId": turn.turn_id, "status": "held"}
    assert "pending" not in kinds(replay)
    assert [call["callId"] for call in phone("GET", "chat/pending").body["pending"]] == ["a1"]
    assert (valves.opened, ToolCall.objects.get().state) == ([], "pending")
    assert phone.get("c-1").body["messages"] == shown["messages"]


def test_f09_a_save_that_fails_is_not_called_saved_and_is_done_again(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A full disk at the settle: nothing is said to be done until it is, and the words are not lost."""
    engine.script(says("It is open."))
    seen: list[int] = []
    fails = iter([True, True, False])

    def settling(*args: Any, **named: Any) -> Any:
        seen.append(Api(engine.owner).get("c-1").body["version"])
        if next(fails):
            raise OperationalError("database or disk is full")
        return settle(*args, **named)

    monkeypatch.setattr(segment, "SETTLE_AGAIN", (0.0, 0.0))
    monkeypatch.setattr("chat.segment.settle", settling)

    events = engine.say()

    assert seen == [1, 1, 1]
    assert kinds(events).count("done") == 1
    assert (events[-1]["version"], texts(engine)) == (2, ["open V1", "It is open."])


def test_f10_a_turn_builds_on_what_is_stored_not_on_what_a_process_remembers(
    engine: Engine,
) -> None:
    engine.script(says("One."), says("Two."))
    engine.say("first")

    Api(engine.owner).put("c-1", messages=said("rewritten elsewhere"))
    engine.say("second")

    sent = engine.model.requests[-1].messages
    assert [spoken(message) for message in sent if isinstance(message["content"], list)][
        -1
    ] == "second"
    assert "rewritten elsewhere" in str(sent)
    assert "first" not in str(sent)
    assert engine.stored()[:2] == said("rewritten elsewhere")


def test_f11_a_restart_between_the_end_of_the_stream_and_the_save_keeps_what_was_shown(
    owner: User, valves: Valves
) -> None:
    turn = left.begun(owner)
    left.text(turn, "The valve ", "is open.")
    left.abandon(turn)

    sweep.recover(set(), every=True)

    stored = Api(owner).get("c-1").body
    assert [spoken(message) for message in stored["messages"]] == ["open V1", "The valve is open."]
    assert left.told(turn)[-1]["stopReason"] == "interrupted"
    assert (stored["version"], stored["live"]) == (2, None)


def test_f12_a_settle_whose_waiter_is_cancelled_is_whole(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine.script(says("It is open."))
    turn = engine.send()
    watched = engine.watching(turn)

    def cancelling(*args: Any, **named: Any) -> Any:
        watched.get_loop().call_soon_threadsafe(watched.cancel)
        return settle(*args, **named)

    monkeypatch.setattr("chat.segment.settle", cancelling)
    with pytest.raises(asyncio.CancelledError):
        engine.result(watched)
    engine.until(lambda: engine.is_idle(turn))

    assert (engine.conversation().version, texts(engine)) == (2, ["open V1", "It is open."])


def test_f12_a_settle_that_fails_at_any_statement_leaves_the_state_before(
    owner: User, valves: Valves
) -> None:
    """Every statement of the settle fails once: nothing of it may stay. Then it goes through."""
    Api(owner).put("c-1", messages=said("before"))
    turn = left.begun(owner)
    left.text(turn, "It is open.")
    left.abandon(turn)
    before = (rows(), list(Turn.objects.values()))
    failing = Failing()

    with connection.execute_wrapper(failing):
        while not concluded(turn):
            assert (rows(), list(Turn.objects.values())) == before, failing.what
            failing.at, failing.seen = failing.at + 1, 0

    assert failing.at > 8
    assert left.stored(turn)[:2] == said("before")
    assert spoken(left.stored(turn)[-1]) == "It is open."


def concluded(turn: Turn) -> bool:
    try:
        return conclude(turn.pk, CRASH, now=NOW)
    except OperationalError:
        return False


class Failing:
    """Fails the statement number `at` that writes."""

    def __init__(self) -> None:
        self.at, self.seen = 1, 0
        self.what = ""

    def __call__(self, run: Any, sql: str, params: Any, many: Any, context: Any) -> Any:
        if sql.startswith(("INSERT", "UPDATE", "DELETE")) or "FOR UPDATE" in sql:
            self.seen += 1
            if self.seen == self.at:
                self.what = sql
                raise OperationalError("disk I/O error")
        return run(sql, params, many, context)
