"""A device whose clock is not the server's: it is said, in the reader's language, and keeps nobody from working."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Open, answered, findings, say, sign_in
from tests.browser.devices import link, linked, rename, stored, titles, until
from tests.browser.test_language import german
from tests.support.http import Client
from tests.support.server import Server
from tests.support.upstream import Upstream, says

pytestmark = [pytest.mark.browser, pytest.mark.timeout(180)]

SET = "(() => { const now = Date.now.bind(Date); Date.now = () => now() + %d * 60_000; })()"


def ahead(open_page: Open, keyed: Server, name: str, *, minutes: int) -> Page:
    """Open a window whose clock is so many minutes ahead of the server's, which runs on the same machine."""
    page = open_page(keyed, signed_in=False)
    page.context.add_init_script(SET % minutes)
    sign_in(page, user=name)
    linked(page)
    return page


class TestAClockThatIsWrong:
    @pytest.mark.parametrize(
        ("minutes", "words"),
        [(7, "7 minutes ahead of"), (-7, "7 minutes behind"), (60 * 24 * 365, "365 days ahead of")],
    )
    def test_is_said_until_it_is_dismissed(
        self,
        keyed: Server,
        open_page: Open,
        person: tuple[str, Client],
        minutes: int,
        words: str,
    ) -> None:
        page = ahead(open_page, keyed, person[0], minutes=minutes)
        notice = page.get_by_role("main").get_by_text(
            f"The clock of this device is {words} the server's. Times on this page may look wrong."
        )
        expect(notice).to_be_visible()
        assert findings(page) == []
        page.get_by_role("main").get_by_role("button", name="Dismiss").click()
        expect(notice).to_be_hidden()
        stored(person[1], "Heard of later")
        link(page, "Heard of later").wait_for()  # so another answer has come
        expect(page.get_by_text("The clock of this device")).to_have_count(0)

    def test_is_said_in_german(
        self, keyed: Server, open_page: Open, person: tuple[str, Client]
    ) -> None:
        page = german(open_page, keyed, user=person[0])
        page.add_init_script(SET % 180)
        page.reload()

        expect(
            page.get_by_text("Die Uhr dieses Geräts geht gegenüber der des Servers um 3 Stunden")
        ).to_be_visible()

    @pytest.mark.parametrize("minutes", [4, -4])
    def test_is_not_said_below_five_minutes(
        self, keyed: Server, open_page: Open, person: tuple[str, Client], minutes: int
    ) -> None:
        page = ahead(open_page, keyed, person[0], minutes=minutes)
        stored(person[1], "Heard of later")
        link(page, "Heard of later").wait_for()

        expect(page.get_by_text("The clock of this device")).to_have_count(0)

    @pytest.mark.parametrize("minutes", [-20, 20])
    def test_keeps_nobody_from_working(
        self,
        keyed: Server,
        open_page: Open,
        person: tuple[str, Client],
        upstream: Upstream,
        minutes: int,
    ) -> None:
        page = ahead(open_page, keyed, person[0], minutes=minutes)
        upstream.queue(says("Whatever the time."))
        say(page, "What time is it?")
        page.get_by_text("Whatever the time.").wait_for()
        answered(page)
        rename(page, "What time is it?", "Now")
        until(page, lambda: titles(person[1]) == ["Now"], "the change is there")
