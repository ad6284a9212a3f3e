"""The settings: at once, for the account on every device, for the theme in this browser; and the end of all conversations."""

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Open, findings
from tests.browser.own import conversation, person
from tests.support.http import Client
from tests.support.server import Server
from tests.support.upstream import Upstream, says

pytestmark = [pytest.mark.browser, pytest.mark.timeout(180)]

NOTHING = dict.fromkeys(("sendKey", "announcements", "language", "model", "agentId"))


@pytest.fixture
def ada(keyed: Server) -> Client:
    client = person(keyed, "settings")
    assert client.request("PATCH", "/api/preferences", NOTHING).status == 200
    return client


def open_settings(page: Page) -> Locator:
    page.get_by_role("button", name="Settings", exact=True).click()
    return page.get_by_role("dialog", name="Settings")


def kept(client: Client) -> dict[str, str | None]:
    answer: dict[str, str | None] = client.get("/api/preferences").json
    return answer


class TestSettings:
    @pytest.mark.parametrize("theme", ["light", "dark"])
    @pytest.mark.parametrize("wide", [390, 1280])
    def test_57_are_free_of_faults(
        self, keyed: Server, ada: Client, open_page: Open, theme: str, wide: int
    ) -> None:
        conversation(ada, "One")
        page = open_page(keyed, user="settings", theme=theme, wide=wide)
        if wide == 390:
            page.get_by_role("button", name="Conversations").click()
        page.get_by_role("link", name="One", exact=True).wait_for()

        dialog = open_settings(page)
        expect(dialog.get_by_role("option", name="Default (workspace)")).to_be_attached()
        assert findings(page) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= wide
        dialog.get_by_role("button", name="Delete all conversations").click()
        expect(page.get_by_role("alertdialog", name="Delete 1 conversation?")).to_be_visible()

        assert findings(page) == []

    def test_55_a_choice_is_kept_with_the_account_and_shown_on_every_device(
        self, keyed: Server, ada: Client, open_page: Open
    ) -> None:
        page = open_page(keyed, user="settings")
        dialog = open_settings(page)

        with page.expect_response("**/api/preferences"):
            dialog.get_by_role("radio", name="Ctrl+Enter sends").check()
        with page.expect_response("**/api/preferences"):
            dialog.get_by_role("radio", name="Only start and end").check()
        expect(dialog.get_by_role("option", name="kenny")).to_be_attached()
        with page.expect_response("**/api/preferences"):
            dialog.get_by_role("combobox", name="Agent").select_option("kenny")
        assert kept(ada) == {
            **NOTHING,
            "sendKey": "ctrl",
            "announcements": "ends",
            "agentId": "kenny",
        }
        other = open_page(keyed, user="settings")
        dialog = open_settings(other)

        expect(dialog.get_by_role("radio", name="Ctrl+Enter sends")).to_be_checked()
        expect(dialog.get_by_role("radio", name="Only start and end")).to_be_checked()
        expect(dialog.get_by_role("combobox", name="Agent")).to_have_value("kenny")
        with other.expect_response("**/api/preferences"):
            dialog.get_by_role("radio", name="Enter sends, Shift+Enter").check()
        assert kept(ada)["sendKey"] is None

    def test_55_a_new_conversation_begins_with_what_was_chosen(
        self, keyed: Server, ada: Client, open_page: Open, upstream: Upstream
    ) -> None:
        page = open_page(keyed, user="settings")
        dialog = open_settings(page)
        expect(dialog.get_by_role("option", name="kenny")).to_be_attached()
        with page.expect_response("**/api/preferences"):
            dialog.get_by_role("combobox", name="Agent").select_option("kenny")
        with page.expect_response("**/api/preferences"):
            dialog.get_by_role("radio", name="Ctrl+Enter sends").check()
        page.keyboard.press("Escape")
        upstream.queue(says("Hello."))

        message = page.get_by_role("textbox", name="Message Claude")
        message.fill("one")
        message.press("Enter")
        expect(message).to_have_value("one\n")
        message.press("Control+Enter")
        expect(page.get_by_role("article", name="Claude")).to_contain_text("Hello.")

        rows = ada.get("/api/conversations").json["conversations"]
        assert [row["agentId"] for row in rows] == ["kenny"]

    def test_46_another_tab_follows_within_a_second(
        self, keyed: Server, ada: Client, open_page: Open
    ) -> None:
        del ada
        page = open_page(keyed, user="settings")
        other = page.context.new_page()
        other.goto("/")
        expect(other.locator("button[data-new]")).to_be_enabled()
        hint = other.get_by_text("Ctrl+Enter sends · Enter makes a new line")
        expect(hint).to_be_hidden()

        page.bring_to_front()
        open_settings(page).get_by_role("radio", name="Ctrl+Enter sends").check()
        page.get_by_role("dialog").get_by_role("radio", name="Dark").check()

        expect(hint).to_be_attached()
        expect(other.locator("html")).to_have_attribute("data-theme", "dark")

    def test_55_what_the_server_refuses_is_taken_back_with_the_reason(
        self, keyed: Server, ada: Client, open_page: Open
    ) -> None:
        del ada
        page = open_page(keyed, user="settings", expected="400")
        dialog = open_settings(page)
        page.route(
            "**/api/preferences",
            lambda route: route.fulfill(
                status=400, json={"error": {"code": "bad_request", "message": "Not that one."}}
            ),
        )

        dialog.get_by_role("radio", name="Only start and end").check()
        expect(dialog.get_by_role("radio", name="Each paragraph of an answer")).to_be_checked()
        dialog.get_by_role("button", name="Close").click()

        expect(page.get_by_text("Not that one.")).to_be_visible()

    def test_55_the_theme_holds_at_once_and_in_the_next_page(
        self, keyed: Server, ada: Client, open_page: Open
    ) -> None:
        del ada
        page = open_page(keyed, user="settings")
        html, dialog = page.locator("html"), open_settings(page)
        expect(dialog.get_by_role("radio", name="As the system")).to_be_checked()

        dialog.get_by_role("radio", name="Dark").check()
        expect(html).to_have_attribute("data-theme", "dark")
        page.reload()
        expect(html).to_have_attribute("data-theme", "dark")
        dialog = open_settings(page)
        expect(dialog.get_by_role("radio", name="Dark")).to_be_checked()
        dialog.get_by_role("radio", name="As the system").check()
        page.reload()

        assert html.get_attribute("data-theme") is None

    def test_55_another_language_comes_with_the_next_page_and_on_other_devices(
        self, keyed: Server, ada: Client, open_page: Open
    ) -> None:
        page = open_page(keyed, user="settings")
        message = page.get_by_role("textbox")
        message.last.fill("half a thought")

        open_settings(page).get_by_role("combobox", name="Language").select_option("de")
        expect(page.locator("html")).to_have_attribute("lang", "de")
        expect(page.locator("#message")).to_have_value("half a thought")
        assert kept(ada)["language"] == "de"
        page.locator("[data-command=settings]").click()
        page.locator("select[name=language]").select_option("")

        expect(page.locator("html")).to_have_attribute("lang", "en")

    def test_55_ctrl_comma_opens_them_and_escape_goes_back(
        self, keyed: Server, ada: Client, open_page: Open
    ) -> None:
        del ada
        page = open_page(keyed, user="settings")
        message = page.get_by_role("textbox", name="Message Claude")
        message.focus()

        page.keyboard.press("Control+,")
        expect(page.get_by_role("dialog", name="Settings")).to_be_visible()
        page.keyboard.press("Escape")

        expect(message).to_be_focused()


class TestDeleteAll:
    def test_53_all_go_after_a_question_that_names_the_count(
        self, keyed: Server, ada: Client, open_page: Open
    ) -> None:
        for title in ("One", "Two", "Three"):
            conversation(ada, title)
        conversation(ada, "Shelf", archived=True)
        page = open_page(keyed, user="settings")
        page.get_by_role("link", name="Two", exact=True).click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Two")

        dialog = open_settings(page)
        expect(dialog).to_contain_text("There are 4 conversations.")
        dialog.get_by_role("button", name="Delete all conversations").click()
        question = page.get_by_role("alertdialog", name="Delete all 4 conversations?")
        expect(question.get_by_role("button", name="Cancel")).to_be_focused()
        question.get_by_role("button", name="Cancel").click()
        assert len(ada.get("/api/conversations").json["conversations"]) == 4
        open_settings(page).get_by_role("button", name="Delete all conversations").click()
        with page.expect_response(lambda answer: answer.request.method == "DELETE"):
            question.get_by_role("button", name="Delete 4 conversations").click()

        expect(page.get_by_text("No conversations yet.")).to_be_visible()
        expect(page.get_by_role("heading", level=1)).to_have_text("New chat")
        assert ada.get("/api/conversations").json["conversations"] == []
        dialog = open_settings(page)
        expect(dialog.get_by_role("button", name="Delete all conversations")).to_be_disabled()
