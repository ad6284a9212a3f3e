"""The readable description of the API in a browser, under the content policy."""

from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Open
from tests.support.server import Server

pytestmark = pytest.mark.browser
OPERATIONS = 19


class TestDocs:
    def test_show_every_operation_without_another_host_or_a_message(
        self, open_page: Open, demo: Server
    ) -> None:
        page = open_page(demo)
        hosts = set()
        page.on("request", lambda request: hosts.add(urlsplit(request.url).netloc))

        page.goto("/api/docs")

        shown = page.locator(".opblock")
        expect(page.get_by_role("heading", name="kenny")).to_be_visible()
        expect(shown.nth(OPERATIONS - 1)).to_be_visible()
        page.locator(".opblock-summary-control", has_text="/api/chat/stream").click()
        expect(page.get_by_text("The turn id was used for another request").first).to_be_visible()
        assert hosts - {""} == {urlsplit(demo.address).netloc}
