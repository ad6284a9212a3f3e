"""`kill -9` at each named point of a turn, then a restart: nothing acknowledged is lost, nothing runs twice.

One server dies again and again on the same data. The restart that recovers from one death is armed for the next, and
everything that was found after a recovery must still be so after the later ones.
"""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.deaths import Case, Outside, Recovering, Unanswered, Unsent, Unwritten
from tests.e2e.deaths_later import (
    Cutting,
    Deleting,
    Draining,
    Editing,
    Gate,
    Parallel,
    Settling,
    Stopping,
)
from tests.support.cast import Cast
from tests.support.crashing import Scene
from tests.support.server import database, wait_until
from tests.support.upstream import Upstream


def some() -> Sequence[Case]:
    """The deaths of every run: one of each kind. What settles again at a start may not be armed with `settle.written`."""
    unanswered = Unanswered()
    return [
        Outside(),
        unanswered,
        Recovering("recover.begun", unanswered),
        Gate("message.committed", state="pending"),
        Gate("decide.committed", state="void"),
        Gate("call.claimed", state="unknown"),
        Gate("call.done", state="unknown", ran=True),
        Stopping("stop.committed", reason="stopped"),
        Deleting("delete.written", gone=False),
        Settling("settle.written"),
    ]


def others() -> Sequence[Case]:
    """All other points."""
    unanswered, settled = Unanswered(), Settling("settle.committed", reason="end_turn")
    cutting = Cutting(settled)
    return [
        Unsent("send.received"),
        Unsent("send.written"),
        unanswered,
        Recovering("recover.committed", unanswered),
        Unwritten(),
        Gate("decide.received", state="pending"),
        Gate("decide.written", state="pending"),
        Gate("call.written", state="unknown", ran=True),
        Parallel("call.recorded", stored=1),
        Parallel("call.written", stored=0),
        Stopping("stop.received", reason="interrupted"),
        Settling("message.committed"),
        Settling("settle.begun"),
        settled,
        cutting,
        Deleting("delete.committed", gone=True),
        Editing(cutting),
        Draining("drain.begun"),
        Draining("drain.settled"),
    ]


@pytest.fixture
def scene(env: dict[str, str], cast: Cast, upstream: Upstream) -> Iterator[Scene]:
    with Scene(env=env, cast=cast, upstream=upstream) as made:
        yield made


def run(scene: Scene, cases: Sequence[Case], subtests: Any) -> None:
    """Die of each case in turn, look at it after the restart that is armed for the next, and finish all at the end."""
    before: Case | None = None
    for case in [*cases, None]:
        scene.restart(armed=case.point if case else "", survives=not (case and case.at_start))
        if before is not None and not (case and case.at_start):
            with subtests.test(point=before.point or "from outside", step="look"):
                before.look(scene)
        if case is not None:
            case.play(scene)
            before = case
    for case in cases:
        with subtests.test(point=case.point or "from outside", step="finish"):
            case.finish(scene)
    scene.restart(armed="")


@pytest.mark.timeout(600)
class TestKill:
    def test_at_one_point_of_each_kind_loses_and_repeats_nothing(
        self, scene: Scene, subtests: pytest.Subtests
    ) -> None:
        run(scene, some(), subtests)

    @pytest.mark.long
    def test_at_every_other_point_loses_and_repeats_nothing(
        self, scene: Scene, subtests: pytest.Subtests
    ) -> None:
        run(scene, others(), subtests)

    @pytest.mark.postgres
    @pytest.mark.long
    @pytest.mark.parametrize("cases", [some, others])
    def test_does_so_on_postgres_once_the_lease_is_over(
        self,
        env: dict[str, str],
        cast: Cast,
        upstream: Upstream,
        subtests: pytest.Subtests,
        cases: Callable[[], Sequence[Case]],
    ) -> None:
        with database() as url:
            own = {**env, "DATABASE_URL": url, "KENNY_LEASE_SECONDS": "3"}
            with Scene(env=own, cast=cast, upstream=upstream) as scene:
                run(scene, cases(), subtests)


class TestFirstStart:
    def test_killed_halfway_begins_anew(self, tmp_path: Path, env: dict[str, str]) -> None:
        with Scene(env=env, data=tmp_path) as scene:
            scene.server.spawn()
            made = tmp_path / "kenny.sqlite3"
            wait_until(made.exists, within=60, what="the database file is there")
            scene.server.kill()
            scene.server.start()

            assert scene.server.stranger().get("/readyz").status == 200
