"""One server that dies again and again on the same data, and what was found after each recovery."""

import contextlib
import http.client
import itertools
import signal
import sqlite3
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

import psycopg
from websockets.exceptions import WebSocketException

from tests.support.cast import Cast
from tests.support.checker import Seen, look
from tests.support.http import Client
from tests.support.server import Server, wait_until
from tests.support.upstream import Upstream

KEPT = """
    SELECT max(e.last_seq) FROM chat_turnevent e JOIN chat_turn t ON t.id = e.turn_id
    WHERE t.turn_id = '{}'
"""


class Scene:
    """A server, a person, the upstream that answers. `restart` names the point at which the process dies next."""

    def __init__(
        self,
        *,
        env: Mapping[str, str],
        cast: Cast | None = None,
        upstream: Upstream | None = None,
        data: Path | None = None,
    ) -> None:
        self.server = Server(env=env, data=data)
        self._cast, self._upstream = cast, upstream
        self._seen: dict[tuple[str, str], Seen] = {}
        self._numbers = itertools.count(1)
        self._token = ""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._upstream:
            self._upstream.release()
        self.server.close()

    @property
    def cast(self) -> Cast:
        assert self._cast is not None
        return self._cast

    @property
    def upstream(self) -> Upstream:
        assert self._upstream is not None
        return self._upstream

    @property
    def client(self) -> Client:
        return Client(self.server.port, self._token)

    def names(self) -> tuple[str, str]:
        """Return ids for a conversation and a turn that no other case uses."""
        number = next(self._numbers)
        return f"c-{number}", f"t-{number}"

    def restart(self, *, armed: str, survives: bool = True) -> None:
        """Start the process on its data, told to die at the point `armed`; it may die of it at once.

        What was found after earlier deaths must be found again.
        """
        if self.server.process is not None and self.server.process.poll() is None:
            self.server.kill()
        self.server.env["KENNY_FAIL"] = f"{armed}:kill" if armed else ""
        if not survives:
            self.dies(self.server.start)
            return
        self.server.start()
        if not self._token:
            self._token = self.server.users("ada")["ada"]
        self.all_as_before()

    def dies(self, act: Callable[[], object]) -> None:
        """Do what brings the process to its point, and wait until it is dead."""
        gone = (OSError, http.client.HTTPException, WebSocketException, RuntimeError)
        with contextlib.suppress(*gone):
            act()
        process = self.server.process
        assert process is not None
        assert process.wait(60) == -signal.SIGKILL

    def terminate(self) -> None:
        process = self.server.process
        assert process is not None
        process.send_signal(signal.SIGTERM)

    def look(self, conversation: str, turn: str) -> Seen:
        """Read a conversation whose turn runs no more, and remember what was found."""

        def settled() -> bool:
            live = self.client.get(f"/api/conversations/{conversation}").json["live"]
            return live is None or live["status"] == "held"

        wait_until(settled, within=60, what=f"{turn} is settled")
        seen = self._seen[conversation, turn] = look(self.client, conversation, turn)
        return seen

    def forget(self, turn: str) -> None:
        """What was found of a turn has been replaced by a person since."""
        self._seen = {ids: seen for ids, seen in self._seen.items() if ids[1] != turn}

    def all_as_before(self) -> None:
        """Raise AssertionError when something moved that was found before: another restart changes nothing."""
        for (conversation, turn), seen in self._seen.items():
            assert look(self.client, conversation, turn) == seen, f"{turn} changed by itself"

    def pending(self) -> set[str]:
        """Return the ids of the calls that wait for the person."""
        return {call["callId"] for call in self.client.get("/api/chat/pending").json["pending"]}

    def kept(self, turn: str) -> int:
        """Return the number of the last event of a turn that the database has."""
        url = self.server.env.get("DATABASE_URL", "")
        query = KEPT.format(turn)
        if url:
            with psycopg.connect(url) as connection:
                row = connection.execute(query).fetchone()
        else:
            with contextlib.closing(sqlite3.connect(self.server.data / "kenny.sqlite3")) as file:
                row = file.execute(query).fetchone()
        return int(row[0] or 0) if row else 0

    def take_file(self, name: str) -> str | None:
        """Take a file out of the person's workspace, so that a second effect would show; None when it is not there."""
        found = list(self.server.data.glob(f"workspaces/*/{name}"))
        if not found:
            return None
        text = found[0].read_text()
        found[0].unlink()
        return text
