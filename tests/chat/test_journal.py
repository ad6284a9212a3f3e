"""One flush for all turns of a process: packed, guarded by the lease, and one bad row stops nobody else."""

import asyncio
import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import IntegrityError

from chat import journal as module
from chat import lease
from chat.events import Reset
from chat.journal import Journal, LeaseLost
from chat.models import Turn, TurnEvent
from chat.tape import Tape
from tests.support import rows
from tests.support.engine import Valves


class Desk:
    """A journal that flushes when the test says so, and the turns it keeps."""

    def __init__(self, owner: User) -> None:
        self._loop = asyncio.Runner()
        self.journal = self._loop.run(_made())
        self.owner = owner
        self.lost: list[int] = []
        self.stopped: list[int] = []

    def tape(self, cid: str = "c-1") -> Tape:
        turn = rows.begun(self.owner, cid=cid)
        tape = Tape(
            turn_pk=turn.pk, turn_id=turn.turn_id, conversation_id=cid, fence=turn.fence, start=1
        )
        self.journal.track(
            tape,
            on_lost=lambda: self.lost.append(turn.pk),
            on_stop=lambda: self.stopped.append(turn.pk),
        )
        return tape

    def flush(self) -> None:
        self._loop.run(self.journal.flush())

    def commit(self, *wanted: tuple[Tape, Callable[[Turn], Any] | None]) -> list[Any]:
        """Have these committed by one flush; return their results, refusals included."""

        async def all_of_them() -> list[Any]:
            work = [asyncio.ensure_future(self.journal.commit(tape, job)) for tape, job in wanted]
            await asyncio.sleep(0)
            await self.journal.flush()
            return await asyncio.gather(*work, return_exceptions=True)

        return self._loop.run(all_of_them())

    def release(self, tape: Tape) -> None:
        self._loop.run(self.journal.release(tape))

    def close(self) -> None:
        self._loop.close()


async def _made() -> Journal:
    return Journal()


@pytest.fixture
def desk(owner: User, valves: Valves) -> Iterator[Desk]:
    desk = Desk(owner)
    yield desk
    desk.close()


def kept(tape: Tape) -> list[str]:
    """Return the types of what is kept of a tape, the message it answers left out."""
    found = TurnEvent.objects.filter(turn_id=tape.turn_pk, last_seq__gt=1).order_by("last_seq")
    return [event["type"] for row in found for event in json.loads(row.events)]


def broken(error: Exception) -> Callable[[Turn], None]:
    def job(_: Turn) -> None:
        raise error

    return job


class TestAFlush:
    def test_writes_one_row_for_each_turn(self, desk: Desk) -> None:
        """Rule 1."""
        first, second = desk.tape("c-1"), desk.tape("c-2")
        for tape in (first, second):
            tape.say("text_delta", "a")
            tape.append(Reset())

        desk.flush()

        assert TurnEvent.objects.filter(last_seq=3).count() == 2
        assert kept(first) == kept(second) == ["text_delta", "reset"]
        assert first.shown == 2

    def test_writes_only_what_is_new(self, desk: Desk) -> None:
        """Rule 1."""
        tape = desk.tape()
        tape.say("text_delta", "a")
        desk.flush()
        tape.say("text_delta", "b")

        desk.flush()

        found = TurnEvent.objects.filter(turn_id=tape.turn_pk).order_by("last_seq")
        assert list(found.values_list("last_seq", flat=True)) == [1, 2, 3]

    def test_of_nothing_asks_no_database(self, desk: Desk) -> None:
        desk.tape()

        desk.flush()

        assert TurnEvent.objects.count() == 1

    def test_leaves_what_was_released_to_the_settle(self, desk: Desk) -> None:
        """Rule 16: the remaining events are written in settle's transaction."""
        tape = desk.tape()
        tape.say("text_delta", "a")

        desk.release(tape)
        desk.flush()

        assert (kept(tape), len(tape.unkept())) == ([], 1)


class TestAJob:
    def test_runs_in_the_transaction_of_its_events(self, desk: Desk) -> None:
        """Rules 2, 8: neither without the other."""
        tape = desk.tape()
        tape.append(Reset())

        def job(turn: Turn) -> str:
            assert TurnEvent.objects.filter(turn=turn, last_seq=2).exists()
            return "done"

        assert desk.commit((tape, job)) == ["done"]
        assert tape.shown == 1

    def test_that_fails_takes_its_events_along_and_the_lease(self, desk: Desk) -> None:
        """Rule 4."""
        tape = desk.tape()
        tape.append(Reset())

        (refused,) = desk.commit((tape, broken(IntegrityError())))

        assert isinstance(refused, LeaseLost)
        assert (kept(tape), tape.lost, desk.lost) == ([], True, [tape.turn_pk])

    @pytest.mark.parametrize(
        "error", [IntegrityError(), ValueError(), KeyError("a fault of our own")]
    )
    def test_that_fails_stops_no_other_turn(self, desk: Desk, error: Exception) -> None:
        """Rule 4: one bad row must not stop every turn of a process (it did)."""
        good, bad, other = (desk.tape(f"c-{n}") for n in range(3))
        for tape in (good, bad, other):
            tape.append(Reset())

        found = desk.commit((good, None), (bad, broken(error)), (other, lambda turn: turn.pk))

        assert (found[0], type(found[1]), found[2]) == (None, LeaseLost, other.turn_pk)
        assert kept(good) == kept(other) == ["reset"]
        assert desk.lost == [bad.turn_pk]

    def test_is_done_even_if_nobody_waits_for_it_any_more_t34(self, desk: Desk) -> None:
        """A save is not undone by the end of who asked for it."""
        tape = desk.tape()
        tape.append(Reset())

        async def impatient() -> None:
            work = asyncio.ensure_future(desk.journal.commit(tape))
            await asyncio.sleep(0)
            work.cancel()
            await desk.journal.flush()

        desk._loop.run(impatient())

        assert kept(tape) == ["reset"]

    def test_of_a_turn_that_is_not_kept_is_refused(self, desk: Desk) -> None:
        tape = desk.tape()
        desk.release(tape)

        async def late() -> None:
            with pytest.raises(LeaseLost):
                await desk.journal.commit(tape)

        desk._loop.run(late())


class TestALease:
    @pytest.mark.parametrize(
        "change", [{"fence": 9}, {"lease_owner": "another"}, {"status": "interrupted"}]
    )
    def test_that_is_lost_writes_nothing(self, desk: Desk, change: dict[str, Any]) -> None:
        """Rules 4, 8: fence, owner and running, in the flush's own transaction."""
        tape, other = desk.tape("c-1"), desk.tape("c-2")
        tape.append(Reset())
        other.append(Reset())
        Turn.objects.filter(pk=tape.turn_pk).update(**change)

        found = desk.commit((tape, lambda turn: turn.pk), (other, None))

        assert (type(found[0]), found[1]) == (LeaseLost, None)
        assert (kept(tape), kept(other)) == ([], ["reset"])
        assert (tape.closed, tape.lost, desk.lost) == (True, True, [tape.turn_pk])

    def test_is_renewed_by_the_flusher(self, desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
        """Rule 8: whether there is anything to keep or not, in the database's time."""
        tape = desk.tape()
        Turn.objects.update(lease_until="2020-01-01T00:00:00+00:00")
        monkeypatch.setattr(lease, "RENEW_EVERY", 0.0)

        desk.flush()

        assert Turn.objects.filter(pk=tape.turn_pk, lease_until__gt=lease.now()).exists()

    def test_of_another_is_not_renewed(self, desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
        """Rule 8."""
        desk.tape()
        Turn.objects.update(lease_until="2020-01-01T00:00:00+00:00", fence=9)
        monkeypatch.setattr(lease, "RENEW_EVERY", 0.0)

        desk.flush()

        assert not Turn.objects.filter(lease_until__gt=lease.now()).exists()


class TestTheStopFlag:
    def test_is_read_by_every_flush(self, desk: Desk) -> None:
        """Rule 13."""
        tape = desk.tape()
        tape.append(Reset())
        Turn.objects.update(stop=True)

        desk.flush()

        assert desk.stopped == [tape.turn_pk]

    def test_is_read_though_there_is_nothing_to_keep(
        self, desk: Desk, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Rule 13: at least once a second."""
        tape = desk.tape()
        Turn.objects.update(stop=True)
        desk.flush()
        assert desk.stopped == []

        monkeypatch.setattr(module, "LOOK_EVERY", 0.0)
        desk.flush()

        assert desk.stopped == [tape.turn_pk]
