"""`python -m tests.load.bench page`: what the browser client costs, in real Chromium, beside what was asked of it.

The requirements are frontend.md's 1 and 14 and its figures 3.3 and 3.4. "4x" is Chromium's own CPU throttling.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from statistics import median
from typing import Any

from playwright.sync_api import Browser, CDPSession, Page, sync_playwright

from tests.browser.conftest import FLAGS, answered, chromium_path, say, sign_in
from tests.browser.test_scroll import kept, timings
from tests.browser.test_stream import MIXED, WATCH
from tests.support.server import Server
from tests.support.upstream import Upstream, says

RUNS = 3
OPEN = """(title) => { const link = [...document.querySelectorAll('li.row a')].find((a) => a.textContent === title);
    const began = performance.now(); link.click();
    return new Promise((done) => { const look = () => document.querySelector('.messages').textContent.includes('Message 1999.')
        ? requestAnimationFrame(() => { const c = new MessageChannel(); c.port1.onmessage = () => done(performance.now() - began); c.port2.postMessage(0); })
        : requestAnimationFrame(look); look(); }); }"""


@dataclass(frozen=True, slots=True)
class Stage:
    """A server whose answers are written here, and a browser."""

    browser: Browser
    server: Server
    upstream: Upstream

    def window(self, path: str = "/", *, user: str = "root") -> Page:
        context = self.browser.new_context(
            base_url=self.server.address, viewport={"width": 1280, "height": 844}
        )
        page = context.new_page()
        sign_in(page, user=user, path=path)
        return page


@contextmanager
def stage() -> Iterator[Stage]:
    with (
        Upstream() as upstream,
        Server(env={"ANTHROPIC_API_KEY": "test", "ANTHROPIC_BASE_URL": upstream.url}) as server,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=chromium_path(), args=FLAGS)
        yield Stage(browser, server, upstream)
        browser.close()


def throttled(page: Page, rate: int) -> CDPSession:
    session = page.context.new_cdp_session(page)
    session.send("Emulation.setCPUThrottlingRate", {"rate": rate})
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    return session


def busy(session: CDPSession) -> float:
    """Return the seconds of CPU that the page's main thread has used so far; time in which others ran is not its own."""
    metrics = session.send("Performance.getMetrics")["metrics"]
    return float(next(metric["value"] for metric in metrics if metric["name"] == "TaskDuration"))


def arrival(at: Stage, *, rate: int) -> dict[str, float]:
    """Stream 10 KB at 400 characters a second and return what a reader and the main thread notice of it."""
    page = at.window()
    session = throttled(page, rate)
    at.upstream.hold()
    at.upstream.queue(says(MIXED[:10_000], chunk=8, delay=0.02, hold_after=0))
    say(page, "Tell me all")
    page.get_by_text("Claude is thinking", exact=True).wait_for()
    page.evaluate(WATCH)
    page.wait_for_timeout(1000)
    worked, began, sent = busy(session), time.monotonic(), time.time() * 1000
    at.upstream.release()
    page.wait_for_function("() => window.seen.first")
    answered(page)
    share = (busy(session) - worked) / (time.monotonic() - began)
    seen: dict[str, Any] = page.evaluate("window.seen")
    page.context.close()
    return {
        "first": seen["first"] - sent,
        "updates": seen["updates"] / ((seen["last"] - seen["first"]) / 1000),
        "task": max(seen["tasks"], default=0),
        "share": share * 100,
    }


def long_conversation(at: Stage) -> dict[str, float]:
    """Open 2,000 messages that the browser keeps, then type and switch the theme with all of them drawn."""
    client = at.server.user("reader")
    kept(client, "c-2000", 2000)
    kept(client, "c-short", 2)
    page = at.window("/c/c-2000", user="reader")
    page.get_by_text("Message 1999.").wait_for()
    opened, again = [], []
    for _ in range(RUNS):
        page.goto(
            "/c/c-short"
        )  # what the page held in memory is gone, what the browser keeps is not
        page.get_by_text("Message 1.", exact=True).wait_for()
        opened.append(page.evaluate(OPEN, "Long c-2000"))
        page.evaluate(
            "() => [...document.querySelectorAll('li.row a')].find((a) => a.textContent === 'Long c-short').click()"
        )
        page.get_by_text("Message 1.", exact=True).wait_for()
        again.append(page.evaluate(OPEN, "Long c-2000"))
    page.evaluate(
        """async () => { const box = document.querySelector('.scroll');
        for (let i = 0; i < 60 && document.querySelectorAll('.messages article').length < 2000; i += 1) {
            box.scrollTop = 0; await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))); } }"""
    )
    figures = timings(page)
    page.context.close()
    return {"opened": median(opened), "again": median(again), **figures}


def first_load(at: Stage) -> dict[str, float]:
    """Return the bytes over the wire of the chat page with an empty cache, and the number of requests."""
    page = at.window()
    session = page.context.new_cdp_session(page)
    session.send("Network.enable")
    session.send("Network.clearBrowserCache")
    sizes: list[float] = []
    session.on("Network.loadingFinished", lambda event: sizes.append(event["encodedDataLength"]))
    page.reload(wait_until="networkidle")
    page.context.close()
    return {"bytes": sum(sizes), "requests": len(sizes)}


def line(what: str, value: float, unit: str, asked: str) -> None:
    print(f"{what:58} {value:9.1f} {unit:3} asked: {asked}")


def report() -> None:
    with stage() as at:
        for rate in (1, 4):
            runs = [arrival(at, rate=rate) for _ in range(RUNS)]
            found = {name: median(run[name] for run in runs) for name in runs[0]}
            line(f"{rate}x first text after the first delta", found["first"], "ms", "at most 150")
            line(
                f"{rate}x updates while a mixed answer streams",
                found["updates"],
                "/s",
                "at least 8",
            )
            line(
                f"{rate}x longest task, 10 KB answer",
                found["task"],
                "ms",
                "at most 50 (0: none over 50)",
            )
            line(f"{rate}x main thread while 10 KB stream", found["share"], "%", "under 2")
        found = long_conversation(at)
        line("1x 2,000 messages opened from IndexedDB", found["opened"], "ms", "at most 300")
        line("1x 2,000 messages opened from memory", found["again"], "ms", "at most 300")
        line("1x a key typed, 2,000 messages drawn", found["key"], "ms", "at most 16")
        line("1x theme switched, 2,000 messages drawn", found["theme"], "ms", "at most 100")
        found = first_load(at)
        line("first load with an empty cache", found["bytes"] / 1000, "KB", "under 200")
        line("first load, requests", found["requests"], "", "-")
