"""Health checks, and that deleted words leave the files: through a real server."""

import sqlite3
from pathlib import Path

from tests.support.server import Server, wait_until

CANARY = "zanzibarcanary"


class TestHealth:
    def test_answers_without_a_session_or_a_known_host(self, server: Server) -> None:
        for path in ("/livez", "/readyz"):
            answer = server.stranger().get(path, host="10.1.2.3")

            assert (answer.status, answer.text) == (200, "ok\n")
            assert "set-cookie" not in answer.headers

    def test_is_not_ready_while_the_database_cannot_be_written(self, tmp_path: Path) -> None:
        with Server(data=tmp_path) as server:
            other = sqlite3.connect(tmp_path / "kenny.sqlite3", isolation_level=None)
            other.execute("BEGIN IMMEDIATE")

            refused = server.stranger().get("/readyz")
            other.close()

            assert (refused.status, refused.text) == (503, "the database is slow\n")
            assert server.stranger().get("/livez").status == 200
            wait_until(
                lambda: server.stranger().get("/readyz").status == 200,
                within=30,
                what="ready again",
            )

    def test_shows_figures_to_this_machine_only(self, server: Server) -> None:
        assert "kenny_open_doors 0" in server.stranger().get("/metrics").text
        assert server.stranger().get("/metrics", x_forwarded_for="10.0.0.1").status == 404


class TestDeletedWords:
    def test_are_gone_from_the_files_soon_and_after_a_clean_stop(self, tmp_path: Path) -> None:
        with Server(data=tmp_path) as server:
            alice = server.user("alice")
            self._write_and_delete(server, "one")
            assert alice.get("/api/conversations").json["conversations"] == []

            wait_until(
                lambda: not self._found(tmp_path),
                within=60,
                what="the words are gone while it runs",
            )
            self._write_and_delete(server, "two")
            status = server.stop()

            assert status == 0
            assert self._found(tmp_path) == []

    @staticmethod
    def _write_and_delete(server: Server, cid: str) -> None:
        root = server.sign_in("root")
        account = root.get("/").text.split('"account": "')[1].split('"')[0]
        messages = [{"role": "user", "content": f"{CANARY} {number}"} for number in range(300)]
        path = f"/api/conversations/{cid}"
        assert (
            root.request("PUT", path, {"messages": messages}, x_kenny_account=account).status == 201
        )
        assert root.request("DELETE", path, x_kenny_account=account).status == 200

    @staticmethod
    def _found(folder: Path) -> list[str]:
        files = [path for path in folder.iterdir() if path.is_file() and path.name != "server.log"]
        return [path.name for path in files if CANARY.encode() in path.read_bytes()]
