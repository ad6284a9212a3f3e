"""The door of /ws/chat through real sockets: origin, session, token, account, and the end of each."""

import asyncio
import contextlib
import json
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from tests.support.http import Client
from tests.support.server import Server


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody's browser: its cookies and the number of its account."""

    server: Server
    cookie: str
    number: int
    browser: Client

    def path(self, account: object = None) -> str:
        return f"/ws/chat?account={self.number if account is None else account}"


def person(server: Server, name: str) -> Person:
    browser = server.sign_in(name)
    output = server.manage(
        "shell",
        "--no-imports",
        "-c",
        f"from django.contrib.auth.models import User as U; print(U.objects.get(username={name!r}).pk)",
    )
    return Person(server, browser.headers["cookie"], int(output.split()[-1]), browser)


@pytest.fixture(scope="module")
def alice(server: Server) -> Person:
    return person(server, "alice")


@contextlib.asynccontextmanager
async def socket(
    server: Server, path: str = "/ws/chat", *, origin: str | None = None, **headers: str
) -> AsyncIterator[ClientConnection]:
    """Open a socket without any header of its own beyond those given."""
    sent = {"origin": origin} if origin is not None else {}
    sent |= headers
    async with connect(f"ws://127.0.0.1:{server.port}{path}", additional_headers=sent) as client:
        yield client


async def outcome(
    server: Server, path: str = "/ws/chat", *, origin: str | None = None, **headers: str
) -> object:
    """Return "open", the HTTP status of a refusal, or the close code."""
    try:
        async with socket(server, path, origin=origin, **headers) as client:
            first = json.loads(await asyncio.wait_for(client.recv(), 10))
            return "open" if first["type"] == "hello" else first
    except InvalidStatus as refused:
        return refused.response.status_code
    except ConnectionClosed as closed:
        return closed.rcvd.code if closed.rcvd else None


class TestOrigin:
    async def test_of_the_site_opens(self, alice: Person) -> None:
        server = alice.server

        for host in ("127.0.0.1", "localhost"):
            origin = f"http://{host}:{server.port}"
            assert await outcome(server, alice.path(), origin=origin, cookie=alice.cookie) == "open"

    @pytest.mark.parametrize(
        "template",
        ["http://127.0.0.1:1", "https://127.0.0.1:{port}", "ftp://127.0.0.1:{port}", "http://127.0.0.1", "null",
         "http://evil.example", "http://127.0.0.1:{port}/", "http://127.0.0.1.evil.example:{port}"],
    )  # fmt: skip
    async def test_of_another_scheme_host_or_port_is_403(
        self, alice: Person, template: str
    ) -> None:
        origin = template.format(port=alice.server.port)

        assert await outcome(alice.server, alice.path(), origin=origin, cookie=alice.cookie) == 403

    @pytest.mark.parametrize("template", ["http://127.0.0.1:{port}.evil.example", "", "evil"])
    async def test_that_is_none_at_all_is_refused(self, alice: Person, template: str) -> None:
        origin = template.format(port=alice.server.port)

        assert await outcome(alice.server, alice.path(), origin=origin, cookie=alice.cookie) in {
            400,
            403,
        }

    async def test_that_is_wrong_is_403_with_a_token_too(self, server: Server) -> None:
        token = server.manage("create_token", "alice").split()[-1]

        refused = await outcome(
            server, origin="http://evil.example", authorization=f"Bearer {token}"
        )

        assert refused == 403

    async def test_may_be_missing_with_a_token_only(self, alice: Person) -> None:
        token = alice.server.manage("create_token", "alice").split()[-1]

        assert await outcome(alice.server, authorization=f"Bearer {token}") == "open"
        assert await outcome(alice.server, alice.path(), cookie=alice.cookie) == 403


class TestCredentials:
    async def test_that_are_missing_or_wrong_are_4001(self, server: Server) -> None:
        site = server.address

        assert await outcome(server, origin=site) == 4001
        assert await outcome(server) == 4001
        assert (
            await outcome(server, "/ws/chat?account=1", origin=site, cookie="sessionid=nothing")
            == 4001
        )
        assert await outcome(server, authorization="Bearer kny_wrong") == 4001

    @pytest.mark.parametrize("account", ["", "0", "1", "x"])
    async def test_must_be_those_of_the_account_that_the_page_names(
        self, alice: Person, account: str
    ) -> None:
        site = alice.server.address

        assert (
            await outcome(alice.server, alice.path(account), origin=site, cookie=alice.cookie)
            == 4001
        )
        assert await outcome(alice.server, "/ws/chat", origin=site, cookie=alice.cookie) == 4001

    async def test_at_another_address_find_no_socket(self, alice: Person) -> None:
        site = alice.server.address

        assert await outcome(alice.server, "/ws/other", origin=site, cookie=alice.cookie) == 403

    async def test_under_a_fallback_of_the_secret_key_open_and_stay_good(
        self, tmp_path: Path
    ) -> None:
        server = Server(data=tmp_path, env={"KENNY_SECRET_KEY": "first " * 10}).start()
        root = person(server, "root")
        server.stop()
        server.env |= {
            "KENNY_SECRET_KEY": "second " * 10,
            "KENNY_SECRET_KEY_FALLBACKS": ("first " * 10).strip(),
        }
        server.start()

        opened = await outcome(server, root.path(), origin=server.address, cookie=root.cookie)

        assert opened == "open"
        assert root.browser.get("/api/conversations").status == 200
        server.close()


LIMIT = 2.0


async def closed_within(client: ClientConnection, seconds: float) -> tuple[int | None, float]:
    """Return the close code and how long it took."""
    started = time.monotonic()
    with contextlib.suppress(ConnectionClosed):
        while True:
            await asyncio.wait_for(client.recv(), seconds)
    return client.close_code, time.monotonic() - started


class TestCutOff:
    """Within the 2 seconds that are promised."""

    async def test_comes_with_sign_out(self, server: Server) -> None:
        bob = await asyncio.to_thread(person, server, "bob")
        async with socket(server, bob.path(), origin=server.address, cookie=bob.cookie) as client:
            await client.recv()
            token = bob.browser.headers["x-csrftoken"]

            await asyncio.to_thread(
                bob.browser.post,
                "/accounts/logout/",
                f"csrfmiddlewaretoken={token}".encode(),
                content_type="application/x-www-form-urlencoded",
            )
            code, seconds = await closed_within(client, 5)

        assert code == 4001
        assert seconds < LIMIT

    @pytest.mark.parametrize(
        "change",
        ["u.is_active = False", "u.set_password('another right horse 10')"],
        ids=["deactivation", "a new password"],
    )
    async def test_comes_with(self, server: Server, change: str) -> None:
        name = f"user{abs(hash(change)) % 10_000}"
        token = (await asyncio.to_thread(server.users, name))[name]
        who = await asyncio.to_thread(person, server, name)
        command = f"from django.contrib.auth.models import User\nu = User.objects.get(username={name!r})\n{change}\nu.save()"
        async with (
            socket(server, who.path(), origin=server.address, cookie=who.cookie) as browser,
            socket(server, authorization=f"Bearer {token}") as program,
        ):
            await browser.recv()
            await program.recv()
            await asyncio.sleep(1.5)  # a sweep has seen both doors open

            await asyncio.to_thread(server.manage, "shell", "--no-imports", "-c", command)
            ends = await asyncio.gather(closed_within(browser, 5), closed_within(program, 5))

        assert [code for code, _ in ends] == [4001, 4001]
        assert max(seconds for _, seconds in ends) < LIMIT

    async def test_comes_with_a_revoked_token_and_spares_the_browser(self, alice: Person) -> None:
        server = alice.server
        token = (await asyncio.to_thread(server.manage, "create_token", "alice")).split()[-1]
        async with (
            socket(server, alice.path(), origin=server.address, cookie=alice.cookie) as browser,
            socket(server, authorization=f"Bearer {token}") as program,
        ):
            await browser.recv()
            await program.recv()

            command = f"from kenny.accounts.models import ApiToken as A; A.objects.filter(token_key={token[:15]!r}).delete()"
            await asyncio.to_thread(server.manage, "shell", "--no-imports", "-c", command)
            code, seconds = await closed_within(program, 5)
            await browser.send('{"type":"ping"}')
            alive = await asyncio.wait_for(browser.recv(), 5)

        assert (code, seconds < LIMIT) == (4001, True)
        assert alive
