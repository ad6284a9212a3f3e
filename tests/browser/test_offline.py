"""Without a line: what can still be read, written, renamed and deleted, what it is marked with, and that it arrives once."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Open, answered, say, sign_in
from tests.browser.devices import (
    CUT,
    OFFLINE,
    Line,
    Socket,
    box,
    choose,
    cut,
    join,
    link,
    linked,
    lost_answer,
    rename,
    row,
    stored,
    tab,
    titles,
    until,
)  # fmt: skip
from tests.support.http import Client
from tests.support.server import Server
from tests.support.upstream import Upstream, says

pytestmark = [pytest.mark.browser, pytest.mark.timeout(180)]


@pytest.fixture
def page(keyed: Server, person: tuple[str, Client], open_page: Open) -> Page:
    return open_page(keyed, user=person[0], expected=CUT)


class TestDrafts:
    def test_34_each_conversation_has_its_own_draft_that_survives_a_reload(
        self, page: Page, person: tuple[str, Client]
    ) -> None:
        stored(person[1], "Alpha")
        link(page, "Alpha").wait_for()
        box(page).fill("for a new chat")
        link(page, "Alpha").click()
        expect(box(page)).to_have_value("")
        box(page).press_sequentially("for Alpha")
        page.reload()

        expect(box(page)).to_have_value("for Alpha")
        expect(row(page, "Alpha").locator(".mark")).to_have_text("Draft")
        page.get_by_role("button", name="New chat").click()
        expect(box(page)).to_have_value("for a new chat")
        box(page).fill("")
        page.reload()
        expect(box(page)).to_have_value("")

    def test_35_a_draft_shows_in_another_tab_unless_its_box_is_written_in(self, page: Page) -> None:
        other = tab(page)
        other.get_by_role("searchbox", name="Search").focus()
        box(page).fill("typed here")
        expect(box(other)).to_have_value("typed here")

        box(other).focus()
        box(page).fill("typed here and more")
        third = tab(page)  # what was told before this one opened has arrived by the time it works
        expect(box(third)).to_have_value("typed here and more")
        box(other).press_sequentially("!")
        expect(box(other)).to_have_value("typed here!")


class TestSending:
    def test_38_a_message_shows_at_once_as_sending_and_loses_the_mark_when_it_is_there(
        self, keyed: Server, person: tuple[str, Client], open_page: Open, upstream: Upstream
    ) -> None:
        page = open_page(keyed, signed_in=False)
        socket = Socket(page)
        sign_in(page, user=person[0])
        linked(page)
        page.evaluate(
            """() => { const log = document.querySelector(".messages");
            addEventListener("keydown", (event) => { if (event.key === "Enter") window.pressed = performance.now(); }, true);
            new MutationObserver(() => { window.shownAfter ??= performance.now() - window.pressed; }).observe(log, { childList: true }); }"""
        )
        upstream.queue(says("Here.", hold_after=1))
        socket.deaf = True
        say(page, "Quick")

        expect(page.get_by_role("article", name="You")).to_have_text("Quick")
        expect(page.get_by_role("main").get_by_text("Sending", exact=True)).to_be_visible()
        assert page.evaluate("window.shownAfter") <= 1_500  # 50 ms on a machine of its own
        socket.deaf = False
        socket.close()
        expect(page.get_by_role("main").get_by_text("Sending", exact=True)).to_be_hidden()
        upstream.release()
        answered(page)
        upstream.hold()

    def test_38_what_is_refused_stays_as_not_sent_with_retry_and_delete(
        self, keyed: Server, person: tuple[str, Client], open_page: Open
    ) -> None:
        page = open_page(keyed, user=person[0], expected=(*CUT, "413"))
        page.context.route("**/api/chat/stream", lambda route: route.fulfill(
            status=413, json={"error": {"code": "too_large", "message": "Too large.", "limit": 1}}))  # fmt: skip
        box(page).fill("with an image")
        page.locator("input[type=file]").set_input_files("docs/page.png")
        page.get_by_role("button", name="Remove page.png").wait_for()
        page.get_by_role("button", name="Send").click()

        expect(page.get_by_text("Not sent. Too large.")).to_be_visible()
        expect(row(page, "with an image").locator(".mark")).to_contain_text("Not sent")
        page.reload()
        expect(page.get_by_text("Not sent. Too large.")).to_be_visible()
        expect(page.get_by_role("button", name="Retry")).to_be_visible()
        page.get_by_role("button", name="Delete", exact=True).click()
        expect(box(page)).to_have_value("with an image")
        expect(link(page, "with an image")).to_have_count(0)

    def test_44_a_message_whose_ack_was_lost_is_sent_again_and_has_one_effect(
        self, keyed: Server, person: tuple[str, Client], open_page: Open, upstream: Upstream
    ) -> None:
        page = open_page(keyed, signed_in=False)
        socket = Socket(page)
        sign_in(page, user=person[0])
        linked(page)
        upstream.queue(says("One answer."))
        socket.deaf = True
        say(page, "Only once")
        until(page, lambda: titles(person[1]) == ["Only once"], "the send arrived")
        socket.deaf = False
        socket.close()

        page.get_by_text("One answer.").wait_for()
        answered(page)
        until(page, lambda: socket.sends() >= 2, "it was sent again")
        listed = person[1].get("/api/conversations?include=messages").json["conversations"]
        assert [[m["role"] for m in one["messages"]] for one in listed] == [["user", "assistant"]]
        expect(page.get_by_role("article", name="You")).to_have_count(1)


class TestLine:
    def test_39_a_short_break_shows_nothing_and_a_long_one_says_so_until_it_is_over(
        self, keyed: Server, person: tuple[str, Client], open_page: Open
    ) -> None:
        page = open_page(keyed, signed_in=False, expected="WebSocket connection")
        socket = Socket(page)
        sign_in(page, user=person[0])
        linked(page)
        page.evaluate("""() => { window.said = []; new MutationObserver(() => window.said.push(document.querySelector("chat-notices").textContent))
            .observe(document.querySelector("chat-notices"), { childList: true, subtree: true, characterData: true }); }""")
        socket.close()
        linked(page)
        assert "Reconnecting…" not in "".join(page.evaluate("window.said"))

        socket.shut = True
        socket.close()
        expect(page.get_by_text("Reconnecting…")).to_be_visible()
        socket.shut = False
        page.get_by_role("button", name="Try now").click()
        expect(page.get_by_text("Reconnecting…")).to_be_hidden()
        linked(page)

    def test_40_the_line_is_tried_at_once_when_it_is_said_to_be_back(self, page: Page) -> None:
        cut(page)
        expect(page.get_by_text(OFFLINE)).to_have_count(1)
        page.evaluate(
            """() => { window.heard = []; new MutationObserver((all) => { for (const one of all) for (const node of one.addedNodes)
            window.heard.push(node.textContent); }).observe(document.querySelector("#polite"), { childList: true }); }"""
        )
        join(page)
        expect(page.locator("body")).to_have_attribute("data-link", "open", timeout=5_000)
        until(page, lambda: "Connected again" in page.evaluate("window.heard"), "it is said")
        assert page.evaluate("window.heard").count("Connected again") == 1


class TestWithoutALine:
    def test_41_reads_searches_writes_renames_and_deletes_with_marks(
        self, page: Page, person: tuple[str, Client], upstream: Upstream
    ) -> None:
        client = person[1]
        for title in ("Alpha plan", "Beta notes", "Gamma"):
            stored(client, title, f"about {title}", f"answer on {title}")
        link(page, "Alpha plan").click()
        page.get_by_text("answer on Alpha plan").wait_for()
        page.get_by_role("button", name="New chat").click()
        page.reload()
        link(page, "Alpha plan").wait_for()
        cut(page)

        link(page, "Alpha plan").click()
        expect(page.get_by_text("answer on Alpha plan")).to_be_visible()
        search = page.get_by_role("searchbox", name="Search")
        search.fill("beta")
        expect(link(page, "Alpha plan")).to_have_count(0)
        search.fill("")
        rename(page, "Beta notes", "Delta")
        expect(row(page, "Delta").locator(".mark")).to_contain_text("Not synced")
        choose(page, "Gamma", "Delete")
        expect(link(page, "Gamma")).to_have_count(0)
        expect(page.get_by_text("2 changes wait for the connection.")).to_be_visible()
        page.get_by_role("button", name="New chat").click()
        say(page, "Written on the train")
        expect(row(page, "Written on the train").locator(".mark")).to_contain_text("Not synced")
        expect(page.get_by_text("Waiting to be sent")).to_be_visible()
        upstream.queue(says("It arrived."))
        join(page)
        page.get_by_text("It arrived.").wait_for()
        answered(page)
        expect(row(page, "Delta").locator(".mark")).not_to_contain_text("Not synced")
        expect(row(page, "Written on the train").locator(".mark")).to_be_hidden()
        until(
            page,
            lambda: titles(client) == ["Alpha plan", "Delta", "Written on the train"],
            "all of it is on the server",
        )

    def test_41_what_was_written_without_a_line_survives_a_crash(
        self, keyed: Server, person: tuple[str, Client], page: Page, upstream: Upstream
    ) -> None:
        cut(page)
        say(page, "Before the crash")
        expect(page.get_by_text("Waiting to be sent")).to_be_visible()
        context = page.context
        page.close()  # nothing of the page runs any more
        context.set_offline(False)
        upstream.queue(says("After the crash."))
        again = context.new_page()
        again.goto("/")

        link(again, "Before the crash").click()
        again.get_by_text("After the crash.").wait_for()
        answered(again)
        expect(again.get_by_role("article", name="You")).to_have_count(1)
        assert titles(person[1]) == ["Before the crash"]

    def test_42_a_never_synced_chat_says_so_and_deleting_it_sends_nothing(
        self, page: Page, person: tuple[str, Client]
    ) -> None:
        line = Line(page)
        cut(page)
        say(page, "Never sent")
        expect(row(page, "Never sent").locator(".mark")).to_contain_text("Not synced")
        choose(page, "Never sent", "Delete")
        expect(link(page, "Never sent")).to_have_count(0)
        join(page)
        linked(page)
        with page.expect_response("**/api/conversations**"):
            page.reload()

        expect(page.locator("button[data-new]")).to_be_enabled()
        expect(link(page, "Never sent")).to_have_count(0)
        assert line.sent == []
        assert person[1].get("/api/conversations").json["deleted"] == []

    def test_43_a_pending_delete_survives_a_reload_is_sent_once_and_the_list_never_brings_it_back(
        self, page: Page, person: tuple[str, Client]
    ) -> None:
        stored(person[1], "Doomed")
        link(page, "Doomed").wait_for()
        line = Line(page)
        choose(page, "Doomed", "Delete")
        expect(link(page, "Doomed")).to_have_count(0)
        assert line.sent == []
        with page.expect_response(lambda answer: answer.request.method == "DELETE"):
            page.reload()

        expect(page.locator("button[data-new]")).to_be_enabled()
        expect(link(page, "Doomed")).to_have_count(0)
        page.reload()
        linked(page)
        assert line.count("DELETE") == 1
        assert titles(person[1]) == []

    def test_44_a_delete_whose_answer_was_lost_is_repeated_until_the_server_says_so(
        self, page: Page, person: tuple[str, Client]
    ) -> None:
        cid = stored(person[1], "Doomed twice")
        link(page, "Doomed twice").wait_for()
        line = Line(page)
        line.next("DELETE", lost_answer)
        choose(page, "Doomed twice", "Delete")
        page.reload()
        until(page, lambda: line.count("DELETE") == 2, "it was repeated")

        tomb = person[1].get("/api/conversations").json["deleted"]
        assert [(one["id"], one["version"]) for one in tomb] == [(cid, 2)]
        expect(link(page, "Doomed twice")).to_have_count(0)
