"""Scenarios H08 and H12 with real processes: an operator's move to PostgreSQL, and power that is cut."""

import contextlib
import hashlib
import http.client
import json
import secrets
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.history.conftest import picture, said
from tests.history.test_blobs import shot
from tests.support.server import PASSWORD, Client, Server, database, wait_until

pytestmark = pytest.mark.timeout(300)
LIST = "/api/conversations"
MOVED = (
    "auth.user",
    "accounts",
    "account",
    "mfa",
    "history.syncstate",
    "history.conversation",
    "history.blob",
    "history.bloblink",
    "history.scaledcopy",
    "history.look",
    "chat",
)


PICTURE = picture()
PICTURE_OF_C1 = f"{LIST}/c-1/images/{hashlib.sha256(PICTURE).hexdigest()}"


def odd() -> list[dict[str, Any]]:
    """Return a list that a careless database would change."""
    value = {"b": 1e16, "a": 2**70, "10": -0.0, "9": "\x00 \u2028"}
    use = {"type": "tool_use", "id": "toolu_1", "name": "t", "input": value}
    return [{"role": "user", "content": [shot(PICTURE)]}, {"role": "assistant", "content": [use]}]


@pytest.mark.postgres
def test_h08_a_move_from_sqlite_to_postgresql_keeps_all_and_changes_the_epoch(
    tmp_path: Path,
) -> None:
    """The commands of docs/export.md, one by one."""
    dump = tmp_path / "kenny.json"
    with Server() as old:
        alice = old.user("alice")
        for cid in ("c-1", "c-2", "c-3"):
            for _ in range(2):
                alice.request("PUT", f"{LIST}/{cid}", {"title": f"Title {cid}", "messages": odd()})
        alice.request("DELETE", f"{LIST}/c-3")
        before = alice.get(LIST).json
        bodies = [alice.get(f"{LIST}/{cid}") for cid in ("c-1", "c-2")]
        old.stop()
        old.manage("dumpdata", *MOVED, "--output", str(dump))

        with (
            database() as url,
            contextlib.closing(Server(data=old.data, env={"DATABASE_URL": url})) as new,
        ):
            new.manage("migrate", "--verbosity", "0")
            new.manage("loaddata", str(dump))
            new.manage("rotate_sync_epoch")
            new.manage("rebuild_search")
            new.start()
            same = Client(new.port, alice.token)
            after = same.get(LIST).json
            delta = same.get(f"{LIST}?since={before['cursor']}").json

            assert (after["epoch"] != before["epoch"], delta["reset"]) == (True, "epoch_changed")
            assert delta["full"] is True
            assert [after[name] for name in ("conversations", "deleted")] == [
                before[name] for name in ("conversations", "deleted")
            ]
            assert after["cursor"].endswith(".7")
            for cid, body in zip(("c-1", "c-2"), bodies, strict=True):
                found = same.get(f"{LIST}/{cid}")
                assert (json.dumps(found.json), found.headers["etag"]) == (
                    json.dumps(body.json),
                    body.headers["etag"],
                )
            assert same.get(PICTURE_OF_C1).content == PICTURE
            assert [hit["id"] for hit in same.get(f"{LIST}?q=Title+c-2").json["conversations"]] == [
                "c-2"
            ]
            assert same.request("PUT", f"{LIST}/c-1", {"title": "goes on"}).json["version"] == 3
            assert same.request("PUT", f"{LIST}/c-new", {"title": "new"}).status == 201
            assert new.sign_in("alice", password=PASSWORD).get(LIST).status == 200


@pytest.fixture(
    params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)],
)
def server(request: pytest.FixtureRequest) -> Iterator[Server]:
    with database() if request.param == "postgresql" else contextlib.nullcontext("") as url:
        env = {"DATABASE_URL": url} if url else {}
        with Server(env=env) as server:
            yield server


class Writer(threading.Thread):
    """Saves one conversation again and again until the server is gone, and keeps what it was told last."""

    def __init__(self, alice: Client, cid: str) -> None:
        super().__init__()
        self.alice, self.cid = alice, cid
        self.version, self.word = 0, ""

    def run(self) -> None:
        with contextlib.suppress(OSError, http.client.HTTPException):
            while True:
                word = secrets.token_hex(8)
                body = {"messages": said(word)}
                answer = self.alice.request("PUT", f"{LIST}/{self.cid}", body)
                assert answer.status in {200, 201}
                self.version, self.word = answer.json["version"], word


def test_h12_what_was_acknowledged_is_there_after_the_process_is_killed(server: Server) -> None:
    """Eight writers, `kill -9` in the middle, a restart: each has at least the version it was told."""
    alice = server.user("alice")
    writers = [Writer(alice, f"c-{n}") for n in range(8)]
    for writer in writers:
        writer.start()
    wait_until(lambda: all(it.version > 2 for it in writers), within=60, what="all have written")

    server.kill()
    for writer in writers:
        writer.join(60)
    server.start()

    for writer in writers:
        stored = alice.get(f"{LIST}/{writer.cid}").json
        # One more may have been committed whose answer never came.
        assert stored["version"] - writer.version in {0, 1}
        if stored["version"] == writer.version:
            assert stored["messages"] == said(writer.word)
    found = alice.get(LIST).json
    assert sum(row["version"] for row in found["conversations"]) == int(
        found["cursor"].rsplit(".", 1)[1]
    )
