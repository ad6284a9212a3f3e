"""Several processes that begin at the same moment, each with a database connection of its own."""

import multiprocessing
import traceback
from collections.abc import Callable, Sequence
from typing import Any

from django.db import connections

WAIT = 60
FORK = multiprocessing.get_context("fork")


def together(jobs: Sequence[Callable[[], Any]]) -> list[Any]:
    """Run each job in a process, released by one barrier; return what they return, an exception as its text."""
    # A child must not use its parent's connection.
    connections.close_all()
    barrier, answers = FORK.Barrier(len(jobs)), FORK.SimpleQueue()
    children = [
        FORK.Process(target=_child, args=(place, job, barrier, answers))
        for place, job in enumerate(jobs)
    ]
    for child in children:
        child.start()
    got = dict(answers.get() for _ in children)
    for child in children:
        child.join(WAIT)
    return [got[place] for place in range(len(jobs))]


def _child(place: int, job: Callable[[], Any], barrier: Any, answers: Any) -> None:
    try:
        barrier.wait(WAIT)
        answer = job()
    except BaseException:  # noqa: BLE001  whatever happened belongs into the parent's test
        answer = traceback.format_exc()
    answers.put((place, answer))
    connections.close_all()
