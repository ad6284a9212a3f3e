"""What the page does when the line drops, the server fails or another device is at work; the test writes the answers."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Open, answered, say, shown
from tests.support.server import Server
from tests.support.upstream import Upstream, calls, fails, says, use

pytestmark = [pytest.mark.browser, pytest.mark.timeout(180)]

LONG = "\n\n".join(f"Paragraph {n} of a **long** answer with `code` in it." for n in range(40))
OFFLINE = "You are offline. Messages wait here and are sent when you are back."


def offline(page: Page, *, on: bool) -> None:
    """The network of this window alone; its socket is told as the browser tells it."""
    page.context.set_offline(on)


class TestReconnect:
    def test_a_dropped_line_costs_no_character_and_doubles_none(
        self, keyed: Server, upstream: Upstream, open_page: Open
    ) -> None:
        upstream.queue(says(LONG, delay=0.01))
        page = open_page(keyed, expected="ERR_INTERNET_DISCONNECTED")

        say(page, "Tell me a lot")
        page.get_by_text("Paragraph 2 of").wait_for()
        offline(page, on=True)
        expect(page.get_by_role("main").get_by_text(OFFLINE)).to_be_visible(timeout=10_000)
        offline(page, on=False)
        answered(page)

        expect(page.get_by_text(OFFLINE)).to_be_hidden()
        assert re.findall(r"Paragraph (\d+) of", page.locator("article.claude").inner_text()) == [
            str(n) for n in range(40)
        ]
        live = shown(page)
        page.reload()
        page.get_by_text("Paragraph 39 of").wait_for()
        assert shown(page) == live

    def test_a_message_written_offline_is_sent_when_the_line_is_back(
        self, keyed: Server, upstream: Upstream, open_page: Open
    ) -> None:
        early = "WebSocket is closed before the connection is established"
        page = open_page(keyed, expected=("ERR_INTERNET_DISCONNECTED", early))
        offline(page, on=True)
        page.get_by_role("main").get_by_text(OFFLINE).wait_for()

        say(page, "Sent later")
        expect(page.get_by_text("Waiting to be sent")).to_be_visible()
        upstream.queue(says("It came."))
        offline(page, on=False)
        answered(page)

        expect(page.get_by_role("article", name="Claude")).to_contain_text("It came.")
        expect(page.get_by_text("Waiting to be sent")).to_be_hidden()

    def test_a_reload_in_the_middle_of_an_answer_goes_on_with_it(
        self, keyed: Server, upstream: Upstream, open_page: Open
    ) -> None:
        upstream.queue(says(LONG, delay=0.01))
        page = open_page(keyed)

        say(page, "Tell me a lot again")
        page.get_by_text("Paragraph 2 of").wait_for()
        page.reload()
        page.get_by_text("Paragraph 3 of").wait_for()
        answered(page)

        expect(page.get_by_role("article", name="You")).to_have_count(1)
        assert re.findall(r"Paragraph (\d+) of", page.locator("article.claude").inner_text()) == [
            str(n) for n in range(40)
        ]


class TestFailure:
    def test_a_failed_answer_says_why_and_retry_replaces_it(
        self, keyed: Server, upstream: Upstream, open_page: Open
    ) -> None:
        upstream.queue(fails("invalid_request_error", status=400, prose="odd"))
        page = open_page(keyed)

        say(page, "Please try")
        retry = page.get_by_role("button", name="Retry")
        retry.wait_for(timeout=30_000)
        upstream.queue(says("Now it works."))
        retry.click()
        page.get_by_text("Now it works.").wait_for()
        answered(page)

        expect(retry).to_be_hidden()
        expect(page.get_by_role("article", name="You")).to_have_count(1)
        page.reload()
        page.get_by_text("Now it works.").wait_for()
        expect(page.get_by_role("article", name="You")).to_have_count(1)

    def test_a_message_sent_while_claude_answers_waits_its_turn(
        self, keyed: Server, upstream: Upstream, open_page: Open
    ) -> None:
        upstream.queue(says("First answer.", hold_after=1), says("Second answer."))
        page = open_page(keyed)

        say(page, "one")
        page.get_by_role("button", name="Stop").wait_for()
        say(page, "two")
        expect(page.get_by_text("Waiting to be sent")).to_be_visible()
        upstream.release()
        page.get_by_text("Second answer.").wait_for()
        answered(page)

        expect(page.get_by_role("article", name="Claude")).to_have_count(2)


class TestTwoWindows:
    def test_a_gate_decided_in_one_window_goes_from_the_other(
        self, keyed: Server, upstream: Upstream, open_page: Open
    ) -> None:
        upstream.queue(calls(use("write_file", path="a.md", content="x")), says("Written."))
        page = open_page(keyed)
        say(page, "Write a.md")
        gate = page.get_by_role("group", name="Approval needed")
        gate.wait_for()
        other = open_page(keyed, path=page.url.removeprefix(keyed.address))

        other.get_by_role("group", name="Approval needed").get_by_role(
            "button", name="Approve"
        ).click()
        page.get_by_text("Written.", exact=True).wait_for()
        other.get_by_text("Written.", exact=True).wait_for()

        expect(gate).to_have_count(0)
        expect(other.get_by_role("group", name="Approval needed")).to_have_count(0)
        answered(page)
        answered(other)
        assert shown(page) == shown(other)

    def test_another_person_finds_nothing(
        self, keyed: Server, upstream: Upstream, open_page: Open
    ) -> None:
        upstream.queue(says("For root alone."))
        page = open_page(keyed)
        say(page, "A secret")
        answered(page)
        keyed.user("stranger")

        other = open_page(
            keyed, user="stranger", path=page.url.removeprefix(keyed.address), expected="404"
        )

        expect(other.get_by_role("main")).to_contain_text("This conversation was not found.")
        expect(
            other.get_by_role("navigation", name="Conversations").get_by_role("listitem")
        ).to_have_count(0)
