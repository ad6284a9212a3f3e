"""Many at once: one conversation live in two tabs and on a phone, and the marks of the list in each."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Open, answered, say, shown
from tests.browser.devices import box, choose, link, linked, row, stored, tab
from tests.support.http import Client
from tests.support.server import Server
from tests.support.upstream import Upstream, calls, says, use

pytestmark = [pytest.mark.browser, pytest.mark.timeout(180)]

LONG = "\n\n".join(f"Paragraph {n} of an answer with `code` in it." for n in range(30))


@pytest.fixture
def page(keyed: Server, person: tuple[str, Client], open_page: Open) -> Page:
    page = open_page(keyed, user=person[0])
    linked(page)
    return page


class TestManyAtOnce:
    def test_one_answer_is_live_in_two_tabs_and_on_a_phone_and_ends_the_same(
        self,
        keyed: Server,
        person: tuple[str, Client],
        page: Page,
        open_page: Open,
        upstream: Upstream,
    ) -> None:
        upstream.queue(calls(use("write_file", path="a.md", content="x")), says(LONG, delay=0.01))
        say(page, "Write and tell")
        page.get_by_role("group", name="Approval needed").wait_for()
        path = page.evaluate("location.pathname")
        other = tab(page, path)
        phone = open_page(keyed, user=person[0], wide=390, path=path)
        for one in (other, phone):
            one.get_by_role("group", name="Approval needed").wait_for()
        phone.get_by_role("button", name="Approve").click()

        for one in (page, other, phone):
            one.get_by_text("Paragraph 29 of").wait_for()
            answered(one)
        assert shown(page) == shown(other)
        assert (
            page.locator("article.claude .md").inner_text()
            == phone.locator("article.claude .md").inner_text()
        )

    def test_the_list_marks_who_waits_and_what_is_new_in_words(
        self, page: Page, person: tuple[str, Client], upstream: Upstream
    ) -> None:
        cid = stored(person[1], "Alpha")
        link(page, "Alpha").click()
        page.get_by_role("article", name="You").wait_for()
        page.get_by_role("button", name="New chat").click()
        upstream.queue(calls(use("delete_file", path="a.md")))
        say(page, "Delete a.md")
        page.get_by_role("group", name="Approval needed").wait_for()
        page.get_by_role("button", name="New chat").click()
        expect(row(page, "Delete a.md").locator(".mark")).to_contain_text("waiting for you")

        more = [{"role": "user", "content": "one"}, {"role": "assistant", "content": "two"}]
        assert (
            person[1].request("PUT", f"/api/conversations/{cid}", {"messages": more}).status == 200
        )
        expect(row(page, "Alpha").locator(".mark")).to_have_text("Unread")
        link(page, "Alpha").click()
        page.get_by_text("two", exact=True).wait_for()
        expect(row(page, "Alpha").locator(".mark")).to_be_hidden()
        page.reload()
        expect(row(page, "Alpha").locator(".mark")).to_be_hidden()
        box(page).fill("Half")
        expect(row(page, "Alpha").locator(".mark")).to_have_text("Draft")
        choose(page, "Delete a.md", "Delete")
