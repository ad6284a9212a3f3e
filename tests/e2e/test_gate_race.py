"""The gate under fire: processes that race for a decision, and every way around it that somebody might try."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User

from chat import conclude, decisions, desk, turns
from chat.closing import STOP
from chat.models import ToolCall, Turn
from history import store
from history.clock import now_ms
from history.errors import Refused
from tests.history.crowd import FORK, together
from tests.support import gates
from tests.support.gates import Gate

ROOT = Path(__file__).resolve().parents[2]
PROCESSES = 4
GATES = 300 if os.environ.get("KENNY_LONG") else 60
RACES = 20


@pytest.fixture
def owner_id(transactional_db: None) -> int:
    return User.objects.create_user("alice").pk


@pytest.mark.timeout(300)
@pytest.mark.django_db(transaction=True)
class TestProcesses:
    def test_of_four_have_exactly_one_effect_a_gate(self, owner_id: int) -> None:
        held = [gates.hold(owner_id, path=f"race/{number}") for number in range(GATES)]
        barrier = FORK.Barrier(PROCESSES)
        ran = together([partial(gates.race, held, owner_id=owner_id, barrier=barrier)] * PROCESSES)

        assert all(isinstance(got, list) for got in ran), ran
        effects = [call for got in ran for call in got]
        assert sorted(effects) == sorted(gate.call_id for gate in held)
        begun = ToolCall.objects.exclude(started_at=None).count()
        assert begun == GATES

    def test_that_approve_deny_and_stop_at_once_have_one_winner(self, owner_id: int) -> None:
        held = [gates.hold(owner_id, path=f"mixed/{number}") for number in range(RACES)]
        barrier = FORK.Barrier(3)
        jobs: list[Callable[[], Any]] = [
            partial(each, act, held, owner_id=owner_id, barrier=barrier)
            for act in (approve, deny, stop)
        ]
        approved, denied, stopped = together(jobs)

        for number, gate in enumerate(held):
            call = ToolCall.objects.get(call_id=gate.call_id)
            assert not (approved[number] and denied[number]), "two decisions on one call"
            assert (call.started_at is not None) <= approved[number], "an effect without a yes"
            if denied[number]:
                assert call.state == ToolCall.State.DENIED
            assert stopped[number], "a stop is always taken"
            assert call.state != ToolCall.State.PENDING

    @pytest.mark.postgres
    def test_do_so_on_postgres_too(self) -> None:
        if "KENNY_TEST_DATABASE_URL" in os.environ:
            return  # this is that run
        env = {
            **os.environ,
            "KENNY_TEST_DATABASE_URL": "postgres://postgres@127.0.0.1:5432/kenny_gates?options=-c%20statement_timeout%3D0",
        }
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k"]
        done = subprocess.run(
            [*command, "not postgres_too", __file__, str(ROOT / "tests/chat/test_gate_bypasses.py")],
            cwd=ROOT, env=env, capture_output=True, text=True, check=False, timeout=300,
        )  # fmt: skip

        assert done.returncode == 0, done.stdout[-3000:]


def each(
    act: Callable[[Gate, int], bool], held: list[Gate], *, owner_id: int, barrier: Any
) -> list[bool]:
    gates.own_boot()
    got = []
    for gate in held:
        barrier.wait(60)
        got.append(act(gate, owner_id))
    return got


def approve(gate: Gate, owner_id: int) -> bool:
    try:
        started = decisions.decide(gate.answer(), owner_id=owner_id, now=now_ms())
    except Refused:
        return False
    gates.run(started.turn, owner_id=owner_id)
    return True


def deny(gate: Gate, owner_id: int) -> bool:
    try:
        decisions.decide(gate.answer(approve=False), owner_id=owner_id, now=now_ms())
    except Refused:
        return False
    return True


def stop(gate: Gate, owner_id: int) -> bool:
    stopping = turns.stop(gate.turn_id, owner_id=owner_id)
    if stopping.held:
        conclude.conclude(stopping.turn.pk, STOP, now=now_ms())
    return True


@pytest.mark.django_db(transaction=True)
class TestRows:
    def refused(self, gate: Gate, owner_id: int, **changes: Any) -> str:
        with pytest.raises(Refused) as raised:
            decisions.decide(gate.answer(**changes), owner_id=owner_id, now=now_ms())
        return raised.value.code

    def test_of_somebody_else_are_not_found(self, owner_id: int) -> None:
        gate = gates.hold(owner_id, path="mine")
        stranger = User.objects.create_user("mallory").pk

        assert self.refused(gate, stranger) == "not_found"

    def test_of_a_deleted_conversation_are_gone(self, owner_id: int) -> None:
        gate = gates.hold(owner_id, path="gone")
        store.bury(owner_id=owner_id, cid=gate.conversation_id, now=now_ms())

        assert self.refused(gate, owner_id) == "deleted"
        call = ToolCall.objects.get(call_id=gate.call_id)
        assert (call.state, call.args, call.canonical_args) == ("superseded", {}, "")

    def test_are_shown_whole_however_long_t105(self, owner_id: int) -> None:
        """The last line of five thousand characters is where the danger stands."""
        path = "a" * 5_000 + "\nrm -rf /"
        gates.hold(owner_id, path=path)

        (shown,) = desk.pending(owner_id=owner_id)

        assert shown["args"] == {"path": path, "content": path}
        assert json.loads(ToolCall.objects.get().canonical_args) == shown["args"]

    def test_run_only_what_was_shown(self, owner_id: int, settings: Any) -> None:
        gate = gates.hold(owner_id, path="shown")
        ToolCall.objects.filter(call_id=gate.call_id).update(
            canonical_args='{"content":"x","path":"other"}'
        )
        started = decisions.decide(gate.answer(), owner_id=owner_id, now=now_ms())
        gates.run(started.turn, owner_id=owner_id)

        folder = Path(settings.KENNY_DATA_DIR) / "workspaces" / str(owner_id)
        assert not (folder / "other").exists()
        assert not (folder / "shown").exists()

    def test_approved_never_begin_for_somebody_deactivated_meanwhile(self, owner_id: int) -> None:
        gate = gates.hold(owner_id, path="late")
        started = decisions.decide(gate.answer(), owner_id=owner_id, now=now_ms())
        User.objects.filter(pk=owner_id).update(is_active=False)

        assert not gates.run(started.turn, owner_id=owner_id)

    def test_expired_are_refused_and_never_run(self, owner_id: int) -> None:
        gate = gates.hold(owner_id, path="overdue")
        ToolCall.objects.filter(call_id=gate.call_id).update(expires_at=1)

        assert self.refused(gate, owner_id) == "expired"
        assert Turn.objects.get(turn_id=gate.turn_id).status == "held"
        assert desk.pending(owner_id=owner_id) == []
