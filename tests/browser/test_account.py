"""The account page: tokens, sessions, data out and in, the end; in both themes and on a phone."""

import json
import re
import time
from pathlib import Path

import pytest
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value
from playwright.sync_api import Page, expect

from tests.browser.conftest import Open, findings
from tests.browser.own import conversation, person
from tests.support.http import Client
from tests.support.server import PASSWORD, Server

pytestmark = [pytest.mark.browser, pytest.mark.timeout(180)]

PAGES = ["/accounts/", "/accounts/sessions/", "/accounts/delete/", "/accounts/2fa/"]


def code(secret: str) -> str:
    """Return what an authenticator app shows at this moment."""
    return str(format_hotp_value(hotp_value(secret, int(time.time()) // 30)))


@pytest.fixture
def ada(keyed: Server) -> Client:
    return person(keyed, "account")


@pytest.fixture
def page(keyed: Server, ada: Client, open_page: Open) -> Page:
    del ada
    window = open_page(keyed, user="account")
    window.goto("/accounts/")
    return window


class TestLooks:
    @pytest.mark.parametrize("theme", ["light", "dark"])
    def test_57_pages_are_free_of_faults_and_fit_a_phone(
        self, keyed: Server, ada: Client, open_page: Open, theme: str
    ) -> None:
        del ada
        page = open_page(keyed, user="account", theme=theme)
        for wide in (1280, 390):
            page.set_viewport_size({"width": wide, "height": 844})
            for path in PAGES:
                page.goto(path)
                assert (path, wide, findings(page)) == (path, wide, [])
                assert page.evaluate("document.documentElement.scrollWidth") <= wide


class TestTokens:
    def test_a_token_is_shown_once_works_and_ends(self, keyed: Server, page: Page) -> None:
        page.get_by_label("Name of the token").fill("backup script")
        page.get_by_role("button", name="Make a token").click()
        shown = page.get_by_role("status")
        expect(shown).to_contain_text("Here is the token “backup script”.")
        token = shown.locator("code").inner_text()
        assert Client(keyed.port, token).get("/api/conversations").status == 200

        page.goto("/accounts/")
        expect(page.get_by_text(token)).to_have_count(0)
        page.get_by_role("button", name="Revoke backup script").click()
        expect(page.get_by_role("status")).to_contain_text("The token is revoked")

        assert Client(keyed.port, token).get("/api/conversations").status == 401


class TestSessions:
    def test_end_one_and_end_all_others(self, keyed: Server, open_page: Open, page: Page) -> None:
        phone = open_page(keyed, user="account", wide=390, expected="401")
        page.goto("/accounts/sessions/")
        expect(page.get_by_text("Chrome on Linux").first).to_be_visible()
        expect(page.get_by_text("this one", exact=True)).to_have_count(1)

        page.get_by_role("button", name="End all others").click()
        expect(page.get_by_role("status")).to_contain_text(
            re.compile("other sessions? ha(s|ve) ended")
        )
        expect(page.get_by_role("listitem")).to_have_count(1)
        expect(page.get_by_role("button", name="End all others")).to_be_disabled()
        phone.goto("/accounts/")
        expect(phone.get_by_role("heading", name="Sign in to kenny")).to_be_visible()
        page.get_by_role("button", name="End this session").click()

        expect(page.get_by_role("heading", name="Sign in to kenny")).to_be_visible()

    def test_one_session_is_ended_by_its_button(
        self, keyed: Server, open_page: Open, page: Page
    ) -> None:
        phone = open_page(keyed, user="account", wide=390, expected="401")
        page.goto("/accounts/sessions/")
        before = page.get_by_role("listitem").count()

        page.get_by_role("button", name="End the session last seen").first.click()
        expect(page.get_by_role("status")).to_contain_text("That session has ended.")

        expect(page.get_by_role("listitem")).to_have_count(before - 1)
        phone.goto("/accounts/")
        expect(phone.get_by_role("heading", name="Sign in to kenny")).to_be_visible()


class TestSecondFactor:
    def test_is_set_up_shown_as_codes_and_asked_for_at_sign_in(
        self, keyed: Server, open_page: Open
    ) -> None:
        keyed.user("careful")
        page = open_page(keyed, user="careful")
        page.goto("/accounts/")
        page.get_by_role("link", name="Second factor").click()
        page.get_by_role("link", name="Activate").click()
        page.get_by_label("Password").fill(PASSWORD)
        page.get_by_role("button", name="Confirm").click()
        secret = page.get_by_label("Authenticator secret").input_value()
        assert findings(page) == []

        page.get_by_label("Authenticator code").fill(code(secret))
        page.get_by_role("button", name="Activate").click()
        expect(page.get_by_role("heading", name="Recovery Codes")).to_be_visible()
        assert findings(page) == []
        page.context.clear_cookies()
        page.goto("/accounts/login/")
        page.get_by_label("Username").fill("careful")
        page.get_by_label("Password").fill(PASSWORD)
        page.get_by_role("button", name="Sign in").click()

        expect(page).to_have_url(re.compile("/accounts/2fa/authenticate/"))
        assert findings(page) == []
        page.goto("/accounts/sessions/")
        expect(page.get_by_label("Code")).to_be_visible()
        expect(page.get_by_role("link", name="Account")).to_have_count(0)


class TestData:
    def test_goes_out_and_comes_back(self, ada: Client, page: Page, tmp_path: Path) -> None:
        conversation(ada, "Alpha plan")
        with page.expect_download() as download:
            page.get_by_role("link", name="Export my data").click()
        target = tmp_path / "mine.zip"
        download.value.save_as(target)

        page.get_by_label("Export to take back").set_input_files(target)
        page.get_by_role("button", name="Take it back").click()
        expect(page.get_by_role("status")).to_contain_text("1 was here already.")
        ada.request("DELETE", "/api/conversations")
        page.get_by_label("Export to take back").set_input_files(target)
        page.get_by_role("button", name="Take it back").click()

        expect(page.get_by_role("status")).to_contain_text("1 conversation was taken in.")
        rows = ada.get("/api/conversations").json["conversations"]
        assert [row["title"] for row in rows] == ["Alpha plan"]

    def test_what_is_no_export_is_refused_in_words(
        self, ada: Client, page: Page, tmp_path: Path
    ) -> None:
        target = tmp_path / "other.zip"
        target.write_text(json.dumps({"a": 1}))

        page.get_by_label("Export to take back").set_input_files(target)
        page.get_by_role("button", name="Take it back").click()

        expect(page.get_by_text("This is no export of kenny, or it is damaged.")).to_be_visible()
        assert findings(page) == []
        assert ada.get("/api/conversations").json["conversations"] == []


class TestLanguageAndTheme:
    def test_what_is_chosen_here_holds_in_the_chats_too(self, ada: Client, page: Page) -> None:
        browsers = page.get_by_role("button", name="As the browser")
        expect(browsers).to_have_attribute("aria-pressed", "true")
        page.get_by_role("button", name="Deutsch").click()
        expect(page.locator("html")).to_have_attribute("lang", "de")
        assert ada.get("/api/preferences").json["language"] == "de"
        page.goto("/")
        expect(page.locator("html")).to_have_attribute("lang", "de")
        page.goto("/accounts/")
        page.locator("button[name=language][value='']").click()
        expect(page.locator("html")).to_have_attribute("lang", "en")
        expect(browsers).to_have_attribute("aria-pressed", "true")
        page.get_by_role("button", name="Dark").click()

        expect(page.locator("html")).to_have_attribute("data-theme", "dark")


class TestLeaving:
    def test_asks_for_password_and_name_and_then_all_is_gone(
        self, keyed: Server, open_page: Open
    ) -> None:
        client = keyed.user("leaver")
        page = open_page(keyed, user="leaver")
        page.goto("/accounts/")
        page.get_by_role("link", name="Delete my account").click()

        page.get_by_label("Your password").fill(PASSWORD)
        page.get_by_label("Your username").fill("someone")
        page.get_by_role("button", name="Delete my account").click()
        expect(page.get_by_text("That is not the name of this account.")).to_be_visible()
        assert client.get("/api/conversations").status == 200
        page.get_by_label("Your password").fill(PASSWORD)
        page.get_by_label("Your username").fill("leaver")
        page.get_by_role("button", name="Delete my account").click()

        expect(page.get_by_role("heading", name="Sign in to kenny")).to_be_visible()
        assert client.get("/api/conversations").status == 401
