"""The palette and the keys: all commands from one box, and none by accident."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Open, findings
from tests.browser.own import conversation, person
from tests.support.server import Server

pytestmark = [pytest.mark.browser, pytest.mark.timeout(180)]


@pytest.fixture
def page(keyed: Server, open_page: Open) -> Page:
    """Show a person with two conversations, of which none is open."""
    client = person(keyed, "palette")
    conversation(client, "Alpha plan")
    conversation(client, "Beta notes")
    window = open_page(keyed, user="palette")
    window.get_by_role("link", name="Beta notes", exact=True).wait_for()
    return window


def box(page: Page) -> Locator:
    return page.get_by_role("combobox", name="Find a conversation or a command")


def chosen(page: Page) -> Locator:
    """Return the option that the box says is the active one."""
    return page.locator(f"#{box(page).get_attribute('aria-activedescendant')}")


class TestPalette:
    def test_55_the_palette_finds_conversations_and_commands(self, page: Page) -> None:
        page.keyboard.press("Control+k")
        expect(box(page)).to_be_focused()
        expect(page.get_by_role("option", name="Alpha plan")).to_be_visible()
        expect(page.get_by_role("option", name="List of keys")).to_be_visible()

        page.keyboard.type("beta")
        expect(page.get_by_role("option", name="Alpha plan")).to_have_count(0)
        expect(chosen(page)).to_have_text("Beta notes")
        page.keyboard.press("Enter")

        expect(page.get_by_role("heading", level=1)).to_have_text("Beta notes")
        expect(page).to_have_url(re.compile("/c/c-"))

    def test_55_arrows_go_round_and_escape_returns_to_where_one_was(self, page: Page) -> None:
        message = page.get_by_role("textbox", name="Message Claude")
        message.fill("half a thought")
        page.keyboard.press("Control+k")
        options = page.get_by_role("option")
        names = options.all_inner_texts()

        page.keyboard.press("ArrowUp")
        expect(chosen(page)).to_have_text(names[-1].split("\n")[0])
        expect(options.last).to_have_attribute("aria-selected", "true")
        expect(page.locator("[role=option][aria-selected=true]")).to_have_count(1)
        page.keyboard.press("ArrowDown")
        expect(options.first).to_have_attribute("aria-selected", "true")
        assert findings(page) == []
        page.keyboard.press("Escape")

        expect(page.get_by_role("dialog")).to_have_count(0)
        expect(message).to_be_focused()
        expect(message).to_have_value("half a thought")

    def test_55_what_nothing_is_called_goes_to_the_search_of_all_texts(self, page: Page) -> None:
        page.keyboard.press("Control+k")
        page.keyboard.type("zebra")
        expect(page.get_by_role("status").filter(has_text="1 choice")).to_be_visible()
        page.keyboard.press("Enter")

        expect(page.get_by_role("searchbox", name="Search")).to_have_value("zebra")
        expect(page.get_by_text("No conversation matches “zebra”.")).to_be_visible()

    def test_55_commands_on_the_open_conversation(self, page: Page) -> None:
        page.get_by_role("link", name="Alpha plan", exact=True).click()
        expect(page.get_by_role("article", name="Claude")).to_be_visible()

        page.keyboard.press("Control+k")
        page.keyboard.type("rename")
        page.keyboard.press("Enter")
        expect(page.get_by_role("textbox", name="Title")).to_be_focused()
        page.keyboard.type("Omega")
        page.keyboard.press("Enter")

        expect(page.get_by_role("heading", level=1)).to_have_text("Omega")
        expect(page.get_by_role("link", name="Omega", exact=True)).to_be_visible()


class TestKeys:
    def test_55_the_keys_of_new_chat_composer_and_the_list(self, page: Page) -> None:
        page.get_by_role("link", name="Alpha plan", exact=True).click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Alpha plan")
        message = page.get_by_role("textbox", name="Message Claude")

        page.keyboard.press("Shift+Escape")
        expect(message).to_be_focused()
        page.keyboard.press("Control+/")
        dialog = page.get_by_role("dialog", name="List of keys")
        expect(dialog).to_contain_text("Ctrl+Shift+O")
        expect(dialog).to_contain_text("New chat")
        assert findings(page) == []
        page.keyboard.press("Escape")
        page.keyboard.press("Control+Shift+O")

        expect(page.get_by_role("heading", level=1)).to_have_text("New chat")
        expect(message).to_be_focused()

    def test_55_no_key_without_a_modifier_is_a_command_in_a_text_field(self, page: Page) -> None:
        message = page.get_by_role("textbox", name="Message Claude")
        message.focus()
        page.keyboard.type("a/b")
        expect(message).to_have_value("a/b")
        expect(message).to_be_focused()

        page.get_by_role("heading", level=1).click()
        page.keyboard.press("/")

        expect(page.get_by_role("searchbox", name="Search")).to_be_focused()
        page.keyboard.type("x/")
        expect(page.get_by_role("searchbox", name="Search")).to_have_value("x/")

    def test_58_alt_and_arrows_go_from_message_to_message(self, page: Page) -> None:
        page.get_by_role("link", name="Alpha plan", exact=True).click()
        claude = page.get_by_role("article", name="Claude")
        expect(claude).to_be_visible()
        message = page.get_by_role("textbox", name="Message Claude")
        message.focus()

        page.keyboard.press("Alt+ArrowUp")
        expect(claude).to_be_focused()
        page.keyboard.press("Alt+ArrowUp")
        expect(page.get_by_role("article", name="You")).to_be_focused()
        page.keyboard.press("Alt+ArrowUp")
        expect(page.get_by_role("article", name="You")).to_be_focused()
        page.keyboard.press("Alt+ArrowDown")
        expect(claude).to_be_focused()
        page.keyboard.press("Alt+ArrowDown")

        expect(message).to_be_focused()
