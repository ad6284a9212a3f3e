"""The list of conversations: find, rename, pin, delete and undo, export."""

import zlib
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Open
from tests.support.server import Server

pytestmark = [pytest.mark.browser, pytest.mark.timeout(180)]


@pytest.fixture
def page(keyed: Server, open_page: Open, request: pytest.FixtureRequest) -> Page:
    """A person of the test's own with two conversations."""
    name = f"list{zlib.crc32(request.node.name.encode())}"
    client = keyed.user(name)
    for cid, title in (("c-alpha", "Alpha plan"), ("c-beta", "Beta notes")):
        body = {"title": title, "messages": [{"role": "user", "content": f"about {title}"}]}
        assert client.request("PUT", f"/api/conversations/{cid}", body).status == 201
    window = open_page(keyed, user=name)
    link(window, "Beta notes").wait_for()
    return window


def link(page: Page, title: str) -> Locator:
    return page.get_by_role("navigation", name="Conversations").get_by_role(
        "link", name=title, exact=True
    )


def choose(page: Page, title: str, item: str) -> None:
    page.get_by_role("button", name=f"Options for {title}", exact=True).click()
    page.get_by_role("menuitem", name=item, exact=True).click()


class TestList:
    def test_a_row_opens_its_conversation_and_the_address_follows(self, page: Page) -> None:
        link(page, "Alpha plan").click()

        expect(page.get_by_role("heading", level=1)).to_have_text("Alpha plan")
        expect(page.get_by_role("article", name="You")).to_have_text("about Alpha plan")
        assert page.url.endswith("/c/c-alpha")
        page.go_back()
        expect(page.get_by_role("heading", level=1)).to_have_text("New chat")

    def test_search_filters_titles_and_escape_clears_it(self, page: Page) -> None:
        search = page.get_by_role("searchbox", name="Search")

        search.fill("alpha")
        expect(link(page, "Beta notes")).to_have_count(0)
        expect(link(page, "Alpha plan")).to_be_visible()
        search.press("Escape")

        expect(link(page, "Beta notes")).to_be_visible()
        search.fill("zebra")
        expect(page.get_by_text("No conversation matches “zebra”.")).to_be_visible()

    def test_a_new_title_is_kept(self, page: Page) -> None:
        choose(page, "Alpha plan", "Rename")
        page.keyboard.type("Gamma")
        page.keyboard.press("Enter")
        expect(link(page, "Gamma")).to_be_focused()

        with page.expect_response(lambda answer: answer.request.method == "GET"):
            page.reload()

        expect(link(page, "Gamma")).to_be_visible()
        expect(link(page, "Alpha plan")).to_have_count(0)

    def test_pinned_ones_stand_first(self, page: Page) -> None:
        choose(page, "Alpha plan", "Pin")

        expect(page.get_by_role("heading", name="Pinned")).to_be_visible()
        first = page.get_by_role("navigation", name="Conversations").get_by_role("listitem").first
        expect(first).to_contain_text("Alpha plan")

    def test_a_delete_can_be_undone_and_else_is_sent_when_the_page_goes(self, page: Page) -> None:
        choose(page, "Alpha plan", "Delete")
        expect(link(page, "Alpha plan")).to_have_count(0)
        page.get_by_role("button", name="Undo").click()
        expect(link(page, "Alpha plan")).to_be_focused()
        choose(page, "Beta notes", "Delete")
        expect(page.get_by_text("Deleted “Beta notes”")).to_be_visible()

        page.reload()
        link(page, "Alpha plan").wait_for()

        expect(link(page, "Beta notes")).to_have_count(0)

    def test_an_export_holds_what_was_said(self, page: Page, tmp_path: Path) -> None:
        choose(page, "Alpha plan", "Export")
        with page.expect_download() as download:
            page.get_by_role("dialog").get_by_role("button", name="Markdown").click()

        target = tmp_path / "export.md"
        download.value.save_as(target)
        assert target.read_text() == "# Alpha plan\n\n## You\n\nabout Alpha plan\n"

    def test_a_whole_chat_is_driven_by_keys_alone(self, page: Page) -> None:
        page.keyboard.press("Control+Shift+O")
        expect(page.get_by_role("textbox", name="Message Claude")).to_be_focused()

        page.get_by_role("searchbox", name="Search").focus()
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", level=1)).to_have_text("Beta notes")
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        expect(page.get_by_role("menuitem", name="Rename")).to_be_focused()
        page.keyboard.press("ArrowUp")
        expect(page.get_by_role("menuitem", name="Delete")).to_be_focused()
        page.keyboard.press("Escape")

        expect(page.get_by_role("button", name="Options for Beta notes")).to_be_focused()
