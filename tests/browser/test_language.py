"""The page in another language: the whole of it, with its dates and numbers, from the sign-in to an answer."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Open, findings, say
from tests.support.catalogues import entries
from tests.support.server import PASSWORD, Server
from tests.support.upstream import Upstream, fails

pytestmark = pytest.mark.browser
LOCALE = Path(__file__).parents[2] / "locale/de/LC_MESSAGES"
ENGLISH = {
    entry.text
    for domain in ("django", "djangojs")
    for entry in entries(LOCALE / f"{domain}.po")
    if len(entry.text) > 7 and "%" not in entry.text and entry.text not in entry.forms
}
TOLD = """() => [
  ...[...document.querySelectorAll('body, template')].map((el) => (el.content ?? el).textContent),
  ...[...document.querySelectorAll('*')].flatMap((el) => ['aria-label', 'title', 'placeholder', 'alt'].map((name) => el.getAttribute(name) ?? '')),
].map((text) => text.replace(/\\s+/g, ' '))"""


def german(open_page: Open, server: Server, *, user: str = "root", locale: str = "de-AT") -> Page:
    """Open a window whose browser asks for German, through the German sign-in."""
    page = open_page(server, path="/accounts/login/", signed_in=False, locale=locale)
    page.get_by_label("Benutzername").fill(user)
    page.get_by_label("Passwort").fill(PASSWORD)
    page.get_by_role("button", name="Anmelden").click()
    expect(page.locator("button[data-new]")).to_be_enabled()
    return page


def english_left(page: Page) -> set[str]:
    """Return the catalogue's English texts that stand on the page, what only screen readers are told included."""
    page.evaluate(
        "document.querySelectorAll('script, article .md, #polite p').forEach((el) => el.remove())"
    )
    told = page.evaluate(TOLD)
    return {text for text in ENGLISH if any(text in words for words in told)}


class TestGerman:
    def test_57_is_spoken_by_every_part_of_the_client(self, demo: Server, open_page: Open) -> None:
        demo.user("anna")  # whose list holds no title of another test
        page = german(open_page, demo, user="anna")

        box = page.get_by_role("textbox", name="Claude schreiben")
        box.fill("hello")
        box.press("Enter")
        page.get_by_role("button", name="Stopp").wait_for()
        page.get_by_role("button", name="Stopp").wait_for(state="hidden")

        expect(page.locator("html")).to_have_attribute("lang", "de")
        expect(page.get_by_role("article", name="Sie", exact=True)).to_have_text("hello")
        expect(page.get_by_role("heading", name="Heute")).to_be_visible()
        assert findings(page) == []
        assert english_left(page) == set()

    def test_57_tells_what_the_server_says_too(
        self, keyed: Server, upstream: Upstream, open_page: Open
    ) -> None:
        page = german(open_page, keyed)
        upstream.queue(fails("invalid_request_error", status=400, prose="odd"))

        say(page, "Hallo", box="Claude schreiben")

        expect(
            page.get_by_text("Claude hat diese Anfrage als fehlerhaft abgelehnt.").last
        ).to_be_visible()
        page.reload()
        expect(
            page.get_by_text("Claude hat diese Anfrage als fehlerhaft abgelehnt.").last
        ).to_be_visible()

    def test_57_has_its_own_dates_and_numbers(self, demo: Server, open_page: Open) -> None:
        page = german(open_page, demo, locale="de-DE")
        written = page.evaluate("""async () => {
          const base = document.querySelector('script[type=module]').src.replace('main.js', 'core/');
          const [times, words] = await Promise.all([import(base + 'times.js'), import(base + 'gettext.js')]);
          return [times.long(Date.UTC(2026, 10, 30, 12)), words.number(12345), words.language()];
        }""")

        assert "Montag, 30. November 2026" in written[0]
        assert written[1:] == ["12.345", "de-DE"]

    def test_57_is_written_on_the_pages_of_an_account(self, demo: Server, open_page: Open) -> None:
        page = german(open_page, demo)

        for path in ("", "password/change/", "sessions/", "delete/", "2fa/", "logout/"):
            page.goto(f"/accounts/{path}")
            expect(page.locator("html")).to_have_attribute("lang", "de")
            assert english_left(page) == set(), path


class TestChoosing:
    def test_57_outdoes_what_the_browser_asks_for(self, demo: Server, open_page: Open) -> None:
        demo.user("polyglot")
        page = open_page(demo, user="polyglot")
        page.goto("/accounts/")
        page.get_by_role("button", name="Deutsch").click()

        expect(page.get_by_role("heading", name="Erscheinungsbild")).to_be_visible()
        expect(page.get_by_role("button", name="Deutsch")).to_have_attribute("aria-pressed", "true")
        page.goto("/")
        expect(page.get_by_role("button", name="Neuer Chat", exact=True)).to_be_enabled()

        page.goto("/accounts/")
        page.get_by_role("button", name="English").click()
        expect(page.get_by_role("heading", name="Appearance")).to_be_visible()
