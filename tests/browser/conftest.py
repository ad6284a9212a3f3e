"""A real Chromium on the real product. No test may leave a console message, an error or a report of the content policy."""

import shutil
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.browser.devices import account
from tests.support.http import Client
from tests.support.server import PASSWORD, Server
from tests.support.upstream import Upstream

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PATIENCE = 60_000  # ms; two cores run much else at the same time
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
REPORTS = "addEventListener('securitypolicyviolation', (e) => console.error(`policy: ${e.violatedDirective}`))"

Open = Callable[..., Page]
expect.set_options(timeout=PATIENCE / 2)


def chromium_path() -> str | None:
    """Return Debian's Chromium; without its window, where that is installed: the same engine for two thirds of the CPU."""
    return shutil.which("chromium-headless-shell") or shutil.which("chromium")


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """A browser for one file: its driver keeps an event loop running, under which no asynchronous test could run."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium_path(), args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def demo() -> Iterator[Server]:
    """The product as it comes, without a key: the demo model answers."""
    with Server() as server:
        yield server


@pytest.fixture(scope="session")
def provider() -> Iterator[Upstream]:
    with Upstream() as scripted:
        yield scripted


@pytest.fixture
def upstream(provider: Upstream) -> Upstream:
    """The provider with nothing left of what an earlier test wanted it to say."""
    provider._queue.clear()
    provider.hold()
    return provider


@pytest.fixture(scope="session")
def keyed(provider: Upstream) -> Iterator[Server]:
    """The product with a key, whose answers the test writes."""
    with Server(env={"ANTHROPIC_API_KEY": "test", "ANTHROPIC_BASE_URL": provider.url}) as server:
        yield server


@pytest.fixture
def person(keyed: Server, request: pytest.FixtureRequest) -> tuple[str, Client]:
    """An account that only this test uses: its name, and a client with a token of it."""
    return account(keyed, request.node.name)


@pytest.fixture
def open_page(chromium: Browser) -> Iterator[Open]:
    """Open a window of its own, signed in on a server; all its messages are kept and must be none."""
    complaints: list[str] = []
    contexts = []

    def open_window(
        server: Server,
        *,
        user: str = "root",
        path: str = "/",
        theme: str = "light",
        wide: int = 1280,
        expected: str | tuple[str, ...] = "",
        signed_in: bool = True,
        browser: Browser | None = None,
        **more: Any,
    ) -> Page:
        context = (browser or chromium).new_context(
            viewport={"width": wide, "height": 844},
            color_scheme="dark" if theme == "dark" else "light",
            base_url=server.address,
            **more,
        )
        context.set_default_timeout(PATIENCE)
        contexts.append(context)
        context.add_init_script(REPORTS)
        allowed = [
            text for text in ((expected,) if isinstance(expected, str) else expected) if text
        ]

        def hear(message: Any) -> None:
            if not any(text in message.text for text in allowed):
                complaints.append(f"{message.type}: {message.text}")

        # Of all tabs of the window, those opened later too.
        context.on("console", hear)
        context.on("weberror", lambda raised: complaints.append(f"error: {raised.error}"))
        if signed_in:
            context.add_cookies(session(server, user))
        page = context.new_page()
        page.goto(path)
        if signed_in:
            expect(page.locator("button[data-new]")).to_be_enabled()
        return page

    yield open_window
    for context in contexts:
        context.unroute_all(behavior="ignoreErrors")  # what is on its way concerns no test any more
        context.close()
    assert complaints == []


def session(server: Server, user: str) -> list[Any]:
    """Sign in by the form, undrawn, and return the cookies: drawing it for each test would be most of what it costs."""
    cookies = server.sign_in(user, agent=AGENT).headers["cookie"].split("; ")
    shared = {"url": server.address, "httpOnly": True, "sameSite": "Lax"}
    return [
        shared | {"name": name, "value": value}
        for name, value in (c.split("=", 1) for c in cookies)
    ]


def sign_in(page: Page, *, user: str, path: str = "/") -> None:
    page.goto(path)
    page.get_by_role("textbox", name="Username").fill(user)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    expect(page.locator("button[data-new]")).to_be_enabled()


def say(page: Page, words: str, *, box: str = "Message Claude") -> None:
    field = page.get_by_role("textbox", name=box)
    field.fill(words)
    field.press("Enter")


def answered(page: Page) -> None:
    """Wait until the answer is over."""
    page.get_by_role("article", name="Claude").last.wait_for()
    page.get_by_role("button", name="Stop").wait_for(state="hidden", timeout=60_000)


def shown(page: Page) -> str:
    """Return what the transcript shows, as nodes."""
    return str(page.locator(".messages").evaluate("(el) => el.innerHTML"))


AGENT = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0.0.0 Safari/537.36"
STILL = "() => document.getAnimations().every((one) => !(one instanceof CSSTransition))"


def findings(page: Page, *, preload: bool = True) -> list[tuple[str, str]]:
    """Return what axe finds, as (rule, where). `preload` off keeps it from copying style sheets into the page.

    What is fading has the contrast of no state, so it is waited for.
    """
    page.wait_for_function(STILL)
    options = {"runOnly": RULES, "preload": preload}
    violations = Axe().run(page, options=options).response["violations"]
    return [(found["id"], str(node["target"])) for found in violations for node in found["nodes"]]
