"""What the tests of sync share: a person of a test's own, tabs of one browser, the line cut, answers held, lost or doubled."""

import secrets
import time
import zlib
from collections.abc import Callable
from typing import Any

from playwright.sync_api import Locator, Page, Route, WebSocketRoute, expect

from tests.support.http import Client
from tests.support.server import Server

OFFLINE = "You are offline. Messages wait here and are sent when you are back."
CUT = ("ERR_INTERNET_DISCONNECTED", "ERR_FAILED")  # what Chromium says of a request without a line
SIGNED_OUT = ("401", "403")

_known: dict[tuple[int, str], Client] = {}


def account(server: Server, test: str, suffix: str = "") -> tuple[str, Client]:
    """Return the name of an account that only this test uses, and a client with a token of it."""
    name = f"s{zlib.crc32(test.encode()) % 10**8}{suffix}"
    client = _known.get((server.port, name))
    if client is None:
        client = _known[server.port, name] = server.user(name)
    return name, client


def stored(client: Client, title: str, *texts: str) -> str:
    """Store a conversation through the API and return its id."""
    cid = f"c-{secrets.token_hex(6)}"
    roles = ("user", "assistant")
    messages = [
        {"role": roles[n % 2], "content": text} for n, text in enumerate(texts or ("words",))
    ]
    body = {"title": title, "messages": messages}
    assert client.request("PUT", f"/api/conversations/{cid}", body).status == 201
    return cid


def titles(client: Client) -> list[str]:
    return sorted(row["title"] for row in client.get("/api/conversations").json["conversations"])


def link(page: Page, title: str) -> Locator:
    return page.get_by_role("navigation", name="Conversations").get_by_role(
        "link", name=title, exact=True
    )


def row(page: Page, title: str) -> Locator:
    return page.locator("li.row").filter(has=page.get_by_role("link", name=title, exact=True))


def choose(page: Page, title: str, item: str) -> None:
    page.get_by_role("navigation", name="Conversations").get_by_role(
        "button", name=f"Options for {title}", exact=True
    ).click()
    page.get_by_role("menuitem", name=item, exact=True).click()


def rename(page: Page, title: str, to: str) -> None:
    choose(page, title, "Rename")
    page.keyboard.type(to)
    page.keyboard.press("Enter")


def box(page: Page) -> Locator:
    return page.get_by_role("textbox", name="Message Claude")


def tab(page: Page, path: str = "/") -> Page:
    """Open another tab of the same browser and wait until it works."""
    other = page.context.new_page()
    other.goto(path)
    expect(other.locator("button[data-new]")).to_be_enabled()
    return other


def cut(page: Page) -> None:
    """Take the line from this browser; it is told as browsers tell it."""
    linked(page)
    page.context.set_offline(True)
    expect(page.get_by_role("main").get_by_text(OFFLINE)).to_be_visible()


def join(page: Page) -> None:
    page.context.set_offline(False)
    expect(page.get_by_text(OFFLINE)).to_be_hidden()


def stays(page: Page, database: str) -> dict[str, list[Any]]:
    """Return what the database of an account holds, by store."""
    script = """(name) => new Promise((resolve) => {
        const request = indexedDB.open(name);
        request.onupgradeneeded = () => { request.transaction.abort(); };
        request.onerror = () => resolve({});
        request.onsuccess = async () => {
            const db = request.result, out = {};
            for (const store of db.objectStoreNames) {
                const all = db.transaction(store).objectStore(store).getAll();
                out[store] = await new Promise((done) => { all.onsuccess = () => done(all.result); });
            }
            db.close();
            resolve(out);
        };
    })"""
    found: dict[str, list[Any]] = page.evaluate(script, database)
    return found


def until(page: Page, holds: Callable[[], object], what: str, *, within: float = 30) -> None:
    """Ask again until it holds, while the page and what stands in its line go on."""
    end = time.monotonic() + within
    while not holds():
        assert time.monotonic() < end, f"not within {within} s: {what}"
        page.wait_for_timeout(30)


def linked(page: Page) -> None:
    """Wait until the page's socket is open."""
    expect(page.locator("body")).to_have_attribute("data-link", "open")


class Line:
    """Stands between the page and the server: counts what the page writes, and lets a test lose, hold or double answers."""

    def __init__(self, page: Page) -> None:
        self.sent: list[tuple[str, str]] = []
        self._rules: list[tuple[str, Callable[[Route], None]]] = []
        page.context.route("**/api/**", self._meet)

    def _meet(self, route: Route) -> None:
        request = route.request
        if request.method != "GET":
            self.sent.append((request.method, request.url.split("/api/")[1]))
        for n, (method, act) in enumerate(self._rules):
            if method == request.method:
                del self._rules[n]
                act(route)
                return
        route.continue_()

    def next(self, method: str, act: Callable[[Route], None]) -> None:
        """Let the next request of this method meet `act` instead of the server."""
        self._rules.append((method, act))

    def count(self, method: str) -> int:
        return sum(1 for known, _ in self.sent if known == method)


def lost_answer(route: Route) -> None:
    """The server acts, its answer never arrives."""
    route.fetch()
    route.abort()


def doubled(route: Route) -> None:
    """The request arrives twice."""
    route.fetch()
    route.fulfill(response=route.fetch())


def answering(status: int, body: str = "<h1>A proxy</h1>") -> Callable[[Route], None]:
    return lambda route: route.fulfill(status=status, body=body, content_type="text/html")


class Socket:
    """The page's sockets: what the page sends, and whether anything passes."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.frames: list[str] = []
        self.deaf = False
        self.shut = False
        self._open: list[WebSocketRoute] = []
        page.context.route_web_socket("**/ws/chat**", self._meet)

    def _meet(self, route: WebSocketRoute) -> None:
        if self.shut:
            route.close(code=4012)
            return
        server = route.connect_to_server()
        self._open.append(route)

        def up(message: str | bytes) -> None:
            self.frames.append(str(message))
            server.send(message)

        def down(message: str | bytes) -> None:
            if not self.deaf:
                route.send(message)

        route.on_message(up)
        server.on_message(down)

    def close(self) -> None:
        for one in self._open:
            one.close(code=4012)
        self._open.clear()

    def sends(self) -> int:
        return sum('"type":"send"' in frame for frame in self.frames)


def number(page: Page) -> str:
    found: str = page.evaluate("JSON.parse(document.querySelector('#config').textContent).account")
    return found


def leave(page: Page) -> None:
    page.get_by_role("button", name="Sign out").click()


def left(page: Page) -> None:
    page.get_by_role("textbox", name="Username").wait_for()


def leave_all_the_same(page: Page) -> None:
    """Sign out, with something unsent or without."""
    leave(page)
    dialog = page.get_by_role("dialog", name="Sign out?")
    name = page.get_by_role("textbox", name="Username")
    expect(dialog.or_(name)).to_be_visible()
    if dialog.is_visible():
        dialog.get_by_role("button", name="Sign out").click()
    name.wait_for()
