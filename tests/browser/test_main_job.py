"""The main job with the demo model: sign in, chat, watch tools run, say yes or no, come back."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Open, answered, say, shown
from tests.support.server import Server

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]


class TestMainJob:
    def test_signs_in_to_a_page_that_says_no_claude_is_behind_it(
        self, demo: Server, open_page: Open
    ) -> None:
        page = open_page(demo)

        expect(page).to_have_title("New chat · kenny")
        expect(page.get_by_role("heading", level=1)).to_have_text("New chat")
        expect(
            page.get_by_text("Demo model: no Claude is behind these answers.", exact=True)
        ).to_be_visible()
        for name in ("New chat", "Send"):
            expect(page.get_by_role("button", name=name, exact=True)).to_have_count(1)
        expect(page.get_by_role("searchbox", name="Search")).to_be_visible()

    def test_a_first_message_becomes_a_conversation_that_reads_the_same_after_a_reload(
        self, demo: Server, open_page: Open
    ) -> None:
        page = open_page(demo)

        say(page, "What is in my workspace?")
        expect(page.get_by_role("button", name="Stop")).to_be_visible()
        expect(page).to_have_url(re.compile(r"/c/c-[0-9a-f]+$"))
        answered(page)
        live = shown(page)
        page.reload()
        page.get_by_role("article", name="Claude").wait_for()

        expect(page.get_by_role("heading", level=1)).to_have_text("What is in my workspace?")
        expect(page.get_by_role("main").get_by_text("list_files", exact=True)).to_have_count(1)
        assert shown(page) == live

    def test_a_held_call_shows_every_argument_survives_a_reload_and_runs_once_approved(
        self, demo: Server, open_page: Open
    ) -> None:
        page = open_page(demo)
        gate = page.get_by_role("group", name="Approval needed")

        say(page, "Write lists/tour.md: one\u202etwo")
        gate.wait_for(timeout=60_000)
        page.reload()
        gate.wait_for()

        expect(gate).to_contain_text("write_file")
        expect(gate).to_contain_text("lists/tour.md")
        expect(gate).to_contain_text("one\\u{202e}two")
        expect(page).to_have_title(re.compile("^● "))
        row = page.get_by_role("navigation", name="Conversations").locator("li[data-id]").first
        expect(row).to_contain_text("waiting for you")
        gate.get_by_role("button", name="Approve").click()
        answered(page)
        expect(gate).to_have_count(0)
        live = shown(page)
        page.reload()
        page.get_by_role("article", name="Claude").wait_for()
        assert shown(page) == live
        assert "done" in live

    def test_a_denied_call_does_not_run(self, demo: Server, open_page: Open) -> None:
        page = open_page(demo)
        gate = page.get_by_role("group", name="Approval needed")

        say(page, "Delete README.txt")
        gate.wait_for(timeout=60_000)
        gate.get_by_role("button", name="Deny").click()
        answered(page)

        expect(gate).to_have_count(0)
        expect(page.locator("details.tool .state").last).to_have_text("denied")
        say(page, "Read README.txt")
        expect(page.locator("details.tool .state").last).to_contain_text("done", timeout=60_000)
        answered(page)

    def test_stop_keeps_what_was_shown(self, demo: Server, open_page: Open) -> None:
        page = open_page(demo)
        say(page, "Read README.txt")
        page.locator("article.claude .md").first.wait_for()

        page.get_by_role("button", name="Stop").click()
        expect(page.get_by_text("Stopped", exact=True).first).to_be_visible(timeout=20_000)

        words = page.locator("article.claude .md").first.inner_text()
        page.reload()
        page.get_by_role("article", name="Claude").wait_for()
        assert words
        expect(page.locator("article.claude .md").first).to_have_text(words, use_inner_text=True)

    def test_an_image_of_a_tool_keeps_its_place_and_opens_whole(
        self, demo: Server, open_page: Open
    ) -> None:
        page = open_page(demo)
        say(page, "Show me the picture welcome.png")
        image = page.locator(".called img")
        image.wait_for(timeout=60_000)
        answered(page)

        assert int(image.get_attribute("width") or 0) > 0
        page.get_by_role("button", name="Open Image from read_file").click()
        dialog = page.get_by_role("dialog", name="Image")
        expect(dialog).to_be_visible()
        page.keyboard.press("Escape")
        expect(dialog).to_be_hidden()
        expect(page.get_by_role("button", name="Open Image from read_file")).to_be_focused()


class TestForEveryone:
    def test_the_theme_of_the_switch_is_kept_by_the_server(
        self, demo: Server, open_page: Open
    ) -> None:
        page = open_page(demo)

        page.get_by_role("button", name="Dark theme").click()
        page.reload()

        expect(page.locator("html")).to_have_attribute("data-theme", "dark")
        expect(page.get_by_role("button", name="Light theme")).to_be_visible()

    @pytest.mark.parametrize("wide", [320, 390, 768, 1280])
    def test_nothing_makes_the_page_scroll_sideways(
        self, demo: Server, open_page: Open, wide: int
    ) -> None:
        page = open_page(demo, wide=wide)
        say(page, "x" * 300)
        answered(page)

        assert page.evaluate("document.documentElement.scrollWidth") <= wide
        assert page.evaluate("document.querySelector('.scroll').scrollWidth") <= wide
