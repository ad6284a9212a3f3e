"""Several processes that begin at the same moment, each with a database connection of its own."""

import multiprocessing
import traceback
from collections.abc import Callable, Sequence
from typing import Any

from django.db import connections
from django.db.backends.postgresql.base import DatabaseWrapper

WAIT = 100
FORK = multiprocessing.get_context("fork")


def together(jobs: Sequence[Callable[[], Any]]) -> list[Any]:
    """Run each job in a process, released by one barrier; return what they return, an exception as its text."""
    _let_go()
    barrier, answers = FORK.Barrier(len(jobs)), FORK.Queue()
    children = [
        FORK.Process(target=_child, args=(place, job, barrier, answers), daemon=True)
        for place, job in enumerate(jobs)
    ]
    for child in children:
        child.start()
    try:
        got = dict(answers.get(timeout=WAIT) for _ in children)
    finally:
        for child in children:
            child.join(1)
            child.kill()
    return [got[place] for place in range(len(jobs))]


def _let_go() -> None:
    """Close connections and pools: a child must not use its parent's, and a pool's threads do not live on in it."""
    connections.close_all()
    for connection in connections.all():
        if isinstance(connection, DatabaseWrapper):
            connection.close_pool()


def _child(place: int, job: Callable[[], Any], barrier: Any, answers: Any) -> None:
    try:
        barrier.wait(WAIT)
        answer = job()
    except BaseException:  # noqa: BLE001  whatever happened belongs into the parent's test
        answer = traceback.format_exc()
    answers.put((place, answer))
    _let_go()
