"""Accounts that follow each other in one browser while a page of the first is still open, or comes back from the browser's memory."""

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.conftest import Open, answered, say, session, sign_in
from tests.browser.devices import (
    CUT,
    Line,
    account,
    box,
    cut,
    leave_all_the_same,
    link,
    linked,
    number,
    rename,
    stays,
    stored,
    titles,
    until,
)
from tests.support.http import Client
from tests.support.server import Server
from tests.support.upstream import Upstream, says

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = [pytest.mark.browser, pytest.mark.timeout(180)]

COUNT = """() => {
    const { json } = Response.prototype;
    window.read = 0;
    Response.prototype.json = function () { return json.call(this).finally(() => setTimeout(() => { window.read += 1; })); };
}"""  # answers whose bodies the page has been given, and has done with
REFUSED = (*CUT, "400", "401", "404", "409")


@pytest.fixture
def page(keyed: Server, person: tuple[str, Client], open_page: Open) -> Page:
    return open_page(keyed, user=person[0], expected=REFUSED)


def taken_over(page: Page, name: str) -> Page:
    """Let somebody else sign in in another tab, until this page has seen it; return that tab."""
    page.context.clear_cookies()
    second = page.context.new_page()
    sign_in(second, user=name)
    shut(page)
    return second


def shut(page: Page) -> None:
    """Wait until this page has seen that somebody else is here."""
    dialog = page.get_by_role("dialog", name="Somebody else signed in in this browser")
    expect(dialog).to_be_visible()


class Held:
    """What is on its way until the test says so."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.held: list[Callable[[], None]] = []
        self.line = Line(page)
        page.evaluate(COUNT)

    def answer(self, method: str, path: str = "") -> None:
        """Hold the answer to the next request of this method and of a path with these characters; the server has acted."""

        def wait(route: Route) -> None:
            if path not in route.request.url:
                self.line.next(method, wait)
                route.continue_()
                return
            response = route.fetch()
            self.held.append(lambda: route.fulfill(response=response))

        self.line.next(method, wait)

    def request(self, method: str) -> None:
        """Hold the next request of this method; the server knows nothing of it."""
        self.line.next(method, lambda route: self.held.append(route.continue_))

    def release(self) -> None:
        while self.held:
            self.held.pop()()

    def taken_in(self, count: int) -> None:
        """Wait until the page has drawn what came of so many answers."""
        self.page.wait_for_function("count => window.read >= count", arg=count)
        self.page.evaluate(
            "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
        )


class TestSwitching:
    """X's page is open in a tab when Y signs in in another; what it had asked for is answered later."""

    def test_e4_an_answer_that_comes_after_the_switch_is_of_x_alone(
        self, keyed: Server, page: Page, person: tuple[str, Client]
    ) -> None:
        other_name, other_client = account(keyed, person[0], "b")
        stored(person[1], "Alpha")
        link(page, "Alpha").wait_for()
        linked(page)
        way = Held(page)
        way.answer("PATCH")
        way.answer("GET", "/api/conversations?since=")
        rename(page, "Alpha", "Secret of X")
        stored(person[1], "Another of X")
        until(page, lambda: len(way.held) == 2, "both answers are on their way")
        second = taken_over(page, other_name)
        read = page.evaluate("window.read")
        way.release()
        way.taken_in(read + 2)

        for one in (page, second):
            assert " of X" not in one.locator("body").inner_text()
        kept = stays(second, f"kenny:{number(second)}")
        assert (kept["conversations"], kept["outbox"], kept["messages"]) == ([], [], [])
        assert stays(page, f"kenny:{number(page)}").get("conversations", []) == []
        assert titles(other_client) == []

        sent = len(way.line.sent)
        leave_all_the_same(second)
        sign_in(second, user=person[0])
        expect(link(second, "Secret of X")).to_be_visible()
        expect(link(second, "Another of X")).to_be_visible()
        database = f"kenny:{number(second)}"
        until(second, lambda: stays(second, database)["outbox"] == [], "nothing waits any more")
        assert way.line.sent[sent:] == []

    def test_e5_what_the_first_session_asked_for_changes_nothing_in_the_second(
        self, keyed: Server, page: Page, person: tuple[str, Client]
    ) -> None:
        other_name, _ = account(keyed, person[0], "b")
        stored(person[1], "Alpha")
        link(page, "Alpha").wait_for()
        linked(page)
        way = Held(page)
        way.answer("PATCH")
        rename(page, "Alpha", "First")
        until(page, lambda: titles(person[1]) == ["First"], "the server acted")
        second = taken_over(page, other_name)
        leave_all_the_same(second)
        sign_in(second, user=person[0])
        link(second, "First").wait_for()
        database = f"kenny:{number(second)}"
        until(second, lambda: stays(second, database)["outbox"] == [], "the first change is known")
        until(second, lambda: bool(stays(second, database)["conversations"]), "it keeps the list")

        late = way.held.pop()
        way.request("PATCH")
        rename(second, "First", "Second")
        until(second, lambda: len(way.held) == 1, "the second change is on its way")
        read = page.evaluate("window.read")
        late()
        way.taken_in(read + 1)
        [waiting] = stays(second, database)["outbox"]
        assert waiting["change"] == {"title": "Second"}
        way.release()
        until(second, lambda: titles(person[1]) == ["Second"], "the second change is there")
        expect(link(second, "Second")).to_be_visible()

    def test_e5_what_waits_in_the_first_session_goes_with_the_second(
        self, keyed: Server, page: Page, person: tuple[str, Client], upstream: Upstream
    ) -> None:
        """The first page stays open, shut; neither what it wrote nor the list waits for it."""
        other_name, other_client = account(keyed, person[0], "b")
        linked(page)
        socket = Line(page)
        cut(page)
        say(page, "Written in the first")
        expect(page.get_by_text("Waiting to be sent")).to_be_visible()
        page.context.clear_cookies()
        page.context.set_offline(False)
        dialog = page.get_by_role("dialog", name="Your session has ended")
        expect(dialog).to_be_visible()
        second = page.context.new_page()
        sign_in(second, user=other_name)
        shut(page)
        leave_all_the_same(second)
        upstream.queue(says("Answered in the second."))
        sign_in(second, user=person[0])

        link(second, "Written in the first").click()
        second.get_by_text("Answered in the second.").wait_for()
        answered(second)
        assert titles(other_client) == []
        assert titles(person[1]) == ["Written in the first"]
        assert socket.sent == []


SHOWN = "dispatchEvent(new PageTransitionEvent('pageshow', { persisted: %s }))"


def signed_in_unheard(page: Page, server: Server, name: str | None) -> None:
    """Let the browser be somebody else's without a word to this page: one that sleeps in the browser's memory hears none."""
    page.context.clear_cookies()
    if name is not None:
        page.context.add_cookies(session(server, name))


class TestComingBack:
    """A page from the browser's memory of pages (bfcache).

    A headless Chromium keeps no page there that has a socket open or is sent with `no-store`, as ours are; other
    browsers may. So the test sends the page the event that such a browser does.
    """

    def test_e7_it_shows_the_account_that_is_signed_in_now(
        self, keyed: Server, page: Page, person: tuple[str, Client]
    ) -> None:
        other_name, other_client = account(keyed, person[0], "b")
        stored(person[1], "Secret of X", "words of X")
        stored(other_client, "Chat of Y")
        link(page, "Secret of X").click()
        page.get_by_text("words of X").wait_for()
        box(page).fill("half a thought of X")
        linked(page)
        signed_in_unheard(page, keyed, other_name)
        page.evaluate("window.same = true")
        page.evaluate(SHOWN % "false")
        assert page.evaluate("window.same")  # a page that is shown for the first time stays

        page.evaluate(SHOWN % "true")
        expect(link(page, "Chat of Y")).to_be_visible()
        assert " of X" not in page.locator("body").inner_text()
        expect(box(page)).to_have_value("")

    def test_e7_with_nobody_signed_in_it_asks_who_is_there(
        self, keyed: Server, page: Page, person: tuple[str, Client]
    ) -> None:
        stored(person[1], "Secret of X")
        link(page, "Secret of X").wait_for()
        linked(page)
        signed_in_unheard(page, keyed, None)

        page.evaluate(SHOWN % "true")
        page.get_by_role("textbox", name="Username").wait_for()
        assert " of X" not in page.locator("body").inner_text()
