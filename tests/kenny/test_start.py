"""`manage.py serve` from an empty folder: what it makes, prints and refuses."""

import os
import re
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.server import PASSWORD, ROOT, Client, Server, cpu_seconds, database


@pytest.fixture
def empty(tmp_path: Path) -> Iterator[Server]:
    """A server without a first account, not started yet."""
    server = Server(
        data=tmp_path, env={"DJANGO_SUPERUSER_USERNAME": "", "DJANGO_SUPERUSER_PASSWORD": ""}
    )
    yield server
    server.close()


def link_in(log: str) -> str:
    found = re.findall(r"http://\S+(/accounts/setup/\S+)", log)
    assert len(found) == 1, "the link is printed once"
    return str(found[0])


def cpu_of(server: Server) -> float:
    assert server.process is not None
    return cpu_seconds(server.process.pid)


def fill_in(server: Server, link: str, name: str) -> int:
    page = Client(server.port).get(link)
    token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', page.text)
    if token is None:
        return page.status
    fields = {
        "csrfmiddlewaretoken": token[1],
        "username": name,
        "password1": PASSWORD,
        "password2": PASSWORD,
    }
    body = "&".join(f"{key}={value.replace(' ', '+')}" for key, value in fields.items()).encode()
    cookie = page.headers["set-cookie"].split(";")[0]
    kind = "application/x-www-form-urlencoded"
    return Client(server.port).post(link, body, content_type=kind, cookie=cookie).status


class TestFirstStart:
    def test_prints_a_link_that_makes_the_first_account_once(self, empty: Server) -> None:
        empty.start()
        link = link_in(empty.log)

        first, second = fill_in(empty, link, "anna"), fill_in(empty, link, "mallory")

        assert (first, second) == (302, 410)
        assert empty.sign_in("anna").get("/accounts/").status == 200
        assert empty.stop() == 0
        empty.start()
        assert empty.log.count("/accounts/setup/") == 1 + empty.log.count(
            "/accounts/setup/[hidden]"
        )

    def test_keeps_the_link_out_of_log_and_data(self, empty: Server) -> None:
        empty.start()
        secret = link_in(empty.log).split("/")[-2]
        Client(empty.port).get(f"/accounts/setup/{secret}/")

        empty.stop()

        assert empty.log.count(secret) == 1
        files = [
            path for path in empty.data.rglob("*") if path.is_file() and path.name != "server.log"
        ]
        assert not [path.name for path in files if secret.encode() in path.read_bytes()]

    def test_makes_the_account_of_the_environment_and_prints_no_link(self, server: Server) -> None:
        assert "/accounts/setup/" not in server.log
        assert server.sign_in("root").get("/admin/").status == 200

    def test_keeps_the_data_to_its_own_account(self, server: Server) -> None:
        modes = {
            path.name: stat.S_IMODE(path.stat().st_mode)
            for path in [server.data, server.data / "secret-key"]
        }

        assert modes == {server.data.name: 0o700, "secret-key": 0o600}


class TestSecondStart:
    def test_ignores_the_environments_account_and_does_nothing_twice(self, tmp_path: Path) -> None:
        server = Server(data=tmp_path)
        server.start()
        first = cpu_of(server)
        server.stop()
        server.env["DJANGO_SUPERUSER_USERNAME"] = "second"

        server.start()

        # 5 s is the promise for an idle machine; here other tests run beside this one, so its work is compared.
        assert cpu_of(server) < 0.9 * first
        assert Client(server.port).get("/readyz").status == 200
        with pytest.raises(AssertionError):
            server.sign_in("second")
        server.close()

    def test_keeps_sessions_alive(self, tmp_path: Path) -> None:
        server = Server(data=tmp_path).start()
        root = server.sign_in("root")
        server.kill()

        server.start()

        assert root.get("/api/conversations").status == 200
        server.close()

    def test_on_the_same_data_is_refused_while_the_first_runs(self, server: Server) -> None:
        second = Server(data=server.data)
        refused = subprocess.run(
            [sys.executable, "manage.py", "serve"],
            cwd=ROOT,
            env=second.env,
            capture_output=True,
            text=True,
            check=False,
        )

        assert refused.returncode != 0
        assert (
            refused.stderr.strip()
            == "CommandError: KENNY_DATA_DIR is in use: another server runs on it."
        )

    def test_on_a_taken_port_says_so(self, server: Server, tmp_path: Path) -> None:
        second = Server(data=tmp_path, env={"KENNY_PORT": str(server.port)})

        status = second.spawn().wait(60)

        assert status != 0
        assert "KENNY_HOST, KENNY_PORT" in second.log
        assert "Traceback" not in second.log


class TestCommandLine:
    def test_create_token_prints_the_token_last_while_the_server_runs(self, server: Server) -> None:
        output = server.manage("create_token", "alice")

        token = output.split()[-1]
        assert token.startswith("kny_")
        assert Client(server.port, token).get("/api/conversations").status == 200

    def test_create_token_refuses_a_name_that_nobody_has(self, server: Server) -> None:
        with pytest.raises(RuntimeError, match="no user of that name"):
            server.manage("create_token", "nobody")


class TestWrongValues:
    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("KENNY_PORT", "eighty"),
            ("KENNY_BASE_URL", "chat.internal"),
            ("DATABASE_URL", "mysql://root:hunter22@db/kenny"),
            ("KENNY_SECRET_KEY", "short"),
            ("ANTHROPIC_API_KEY_FILE", "/nowhere/key"),
        ],
    )
    def test_stop_every_command_with_one_line_that_names_the_variable(
        self, name: str, value: str, tmp_path: Path
    ) -> None:
        env = {**os.environ, "KENNY_DATA_DIR": str(tmp_path), name: value}
        del env["DJANGO_SETTINGS_MODULE"]  # the tests' own settings look elsewhere for a database

        done = subprocess.run(
            [sys.executable, "manage.py", "serve"],
            cwd=ROOT,
            env=env,
            capture_output=True,
            text=True,
            check=False,
        )

        assert done.returncode == 1
        assert len(done.stderr.splitlines()) == 1
        assert name in done.stderr
        assert value not in done.stderr


@pytest.mark.postgres
class TestPostgres:
    def test_takes_two_servers_on_one_database(self, tmp_path: Path) -> None:
        with database() as url:
            servers = [Server(env={"DATABASE_URL": url}) for _ in range(2)]
            for server in servers:
                server.spawn()
            try:
                for server in servers:
                    server.wait()

                token = servers[0].users("alice")["alice"]

                assert [
                    Client(server.port, token).get("/api/conversations").status
                    for server in servers
                ] == [200, 200]
                assert [Client(server.port).get("/readyz").status for server in servers] == [
                    200,
                    200,
                ]
            finally:
                for server in servers:
                    server.close()
