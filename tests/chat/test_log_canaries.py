"""Faults of our own whose words hold what somebody said: told by type and place, never by those words."""

import logging
from collections.abc import Iterator
from io import StringIO

import pytest
from django.db import IntegrityError

from chat import desk
from kenny.logs import OneLine
from tests.history.conftest import Api
from tests.support.engine import Engine, Valves
from tests.support.notation import TU
from tests.support.scripted import Said, calls

CANARY = "canary-9b1e"


@pytest.fixture
def printed() -> Iterator[StringIO]:
    """All that the process logs, as its handler writes it."""
    stream = StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(OneLine("%(levelname)s %(name)s %(message)s"))
    root = logging.getLogger()
    root.addHandler(handler)
    yield stream
    root.removeHandler(handler)


class TestTheLog:
    def test_tells_of_a_tool_that_failed_without_its_words(
        self, engine: Engine, valves: Valves, printed: StringIO
    ) -> None:
        valves.error = RuntimeError(CANARY)
        engine.script(calls(TU("a1", "read_gauge", v=1)))

        engine.say(CANARY)

        log = printed.getvalue()
        assert CANARY not in log
        assert "Traceback: RuntimeError" in log

    def test_tells_of_a_model_that_failed_without_its_words(
        self, engine: Engine, printed: StringIO
    ) -> None:
        engine.script(Said(fault=KeyError(CANARY)))

        engine.say()

        log = printed.getvalue()
        assert CANARY not in log
        assert "KeyError" in log

    def test_tells_of_a_request_that_failed_without_its_values(
        self, engine: Engine, printed: StringIO, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def refuse(*_: object, **__: object) -> None:
            raise IntegrityError(f"Key (title)=({CANARY}) exists.") from ValueError(CANARY)

        monkeypatch.setattr(desk, "pending", refuse)

        answer = Api(engine.owner)("GET", "chat/pending")

        log = printed.getvalue()
        assert answer.status_code == 500
        assert CANARY not in log
        assert CANARY not in answer.content.decode()
        assert "IntegrityError" in log
        assert "ValueError" in log

    @pytest.mark.parametrize("name", ["django.security.DisallowedHost", "django.security.csrf"])
    def test_tells_of_what_django_suspects_without_a_header(
        self, printed: StringIO, name: str
    ) -> None:
        logging.getLogger(name).error("Invalid HTTP_HOST header: %r.", CANARY)

        log = printed.getvalue()
        assert CANARY not in log
        assert name in log

    def test_tells_of_a_lost_task_without_its_error(self, printed: StringIO) -> None:
        logging.getLogger("asyncio").error(
            "Task exception was never retrieved\nfuture: <Task exception=%r>", ValueError(CANARY)
        )

        assert "never retrieved" in printed.getvalue()
        assert CANARY not in printed.getvalue()
