"""Accounts in one browser: what signing out takes and keeps, what the next account finds, and a session that ends under way."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Open, answered, findings, say, sign_in
from tests.browser.devices import (
    CUT,
    Line,
    Socket,
    account,
    box,
    choose,
    cut,
    join,
    leave,
    leave_all_the_same,
    left,
    link,
    linked,
    number,
    rename,
    row,
    stays,
    stored,
    tab,
    titles,
    until,
)
from tests.support.http import Client
from tests.support.server import PASSWORD, Server
from tests.support.upstream import Upstream, says

pytestmark = [pytest.mark.browser, pytest.mark.timeout(180)]

REFUSED = (*CUT, "401", "409", "400")


@pytest.fixture
def page(keyed: Server, person: tuple[str, Client], open_page: Open) -> Page:
    return open_page(keyed, user=person[0], expected=REFUSED)


class TestSigningOut:
    def test_42_with_something_unsent_it_asks_first_and_names_the_count(
        self, page: Page, person: tuple[str, Client]
    ) -> None:
        stored(person[1], "Alpha")
        link(page, "Alpha").wait_for()
        box(page).fill("a draft")
        cut(page)
        choose(page, "Alpha", "Pin")
        page.get_by_role("button", name="New chat").click()
        leave(page)

        dialog = page.get_by_role("dialog", name="Sign out?")
        expect(dialog).to_contain_text("2 things have not reached the server.")
        assert findings(page) == []
        dialog.get_by_role("button", name="Stay").click()
        expect(dialog).to_be_hidden()
        expect(box(page)).to_have_value("a draft")
        join(page)

    def test_47_the_read_cache_goes_and_what_was_not_sent_comes_back_to_the_same_account_alone(
        self, keyed: Server, page: Page, person: tuple[str, Client]
    ) -> None:
        other, _ = account(keyed, person[0], "b")
        stored(person[1], "Alpha secret", "words of Alpha")
        link(page, "Alpha secret").click()
        page.get_by_text("words of Alpha").wait_for()
        box(page).fill("my own draft")
        database = f"kenny:{number(page)}"
        leave(page)
        page.get_by_role("dialog", name="Sign out?").get_by_role("button", name="Sign out").click()
        left(page)

        kept = stays(page, database)
        assert (kept["conversations"], kept["messages"], kept["meta"]) == ([], [], [])
        assert [draft["text"] for draft in kept["drafts"]] == ["my own draft"]
        sign_in(page, user=other)
        expect(box(page)).to_have_value("")
        expect(page.get_by_text("No conversations yet.")).to_be_visible()
        assert "Alpha" not in page.locator("body").inner_text()
        page.go_back()
        assert "Alpha" not in page.locator("body").inner_text()
        page.goto("/")
        leave(page)
        left(page)
        sign_in(page, user=person[0])
        link(page, "Alpha secret").click()
        expect(box(page)).to_have_value("my own draft")

    def test_47_with_nothing_unsent_the_whole_database_goes(
        self, page: Page, person: tuple[str, Client]
    ) -> None:
        stored(person[1], "Alpha")
        link(page, "Alpha").wait_for()
        database = f"kenny:{number(page)}"
        leave(page)
        left(page)

        names = page.evaluate("indexedDB.databases().then((all) => all.map((one) => one.name))")
        assert database not in names

    def test_e13_a_shared_computer_keeps_nothing_after_naming_what_is_lost(
        self, page: Page
    ) -> None:
        cut(page)
        say(page, "Never sent words")
        expect(page.get_by_text("Waiting to be sent")).to_be_visible()
        page.get_by_role("button", name="New chat").click()
        box(page).fill("Half a thought")
        database = f"kenny:{number(page)}"
        page.context.route("**/api/**", lambda route: route.abort())
        leave(page)
        dialog = page.get_by_role("dialog", name="Sign out?")
        dialog.get_by_role("checkbox", name="This is a shared computer").check()
        expect(dialog.get_by_text("This will be lost:")).to_be_visible()
        expect(dialog.get_by_role("listitem")).to_have_text(
            ["Message “Never sent words”", "Draft “Half a thought”"]
        )
        page.context.set_offline(False)
        dialog.get_by_role("button", name="Sign out").click()
        left(page)

        assert database not in page.evaluate(
            "indexedDB.databases().then((all) => all.map((one) => one.name))"
        )

    def test_47_signing_out_in_one_tab_locks_the_others_at_once(
        self, page: Page, person: tuple[str, Client]
    ) -> None:
        stored(person[1], "Alpha", "words of Alpha")
        other = tab(page)
        link(other, "Alpha").click()
        other.get_by_text("words of Alpha").wait_for()
        linked(other)
        now = "performance.timeOrigin + performance.now()"
        other.evaluate(
            f"""() => {{ new MutationObserver(() => {{ if (document.querySelector("#locked").open) window.shut ??= {now}; }})
            .observe(document.querySelector("#locked"), {{ attributes: true }}); }}"""
        )
        page.evaluate(
            f"""() => document.querySelector('form[action="/accounts/logout/"]').addEventListener("submit",
            () => localStorage.setItem("clicked", {now}), true)"""
        )
        leave(page)
        left(page)

        expect(other.get_by_role("dialog", name="You signed out")).to_be_visible()
        assert (
            other.evaluate("window.shut - Number(localStorage.getItem('clicked'))") < 6_000
        )  # a second on a machine of its own
        assert findings(other) == []
        assert "Alpha" not in other.locator("body").inner_text()
        expect(link(other, "Alpha")).to_have_count(0)

    def test_e3_another_account_in_another_tab_stops_this_one(
        self, keyed: Server, page: Page, person: tuple[str, Client]
    ) -> None:
        other_name, other_client = account(keyed, person[0], "b")
        stored(person[1], "Alpha", "words of Alpha")
        link(page, "Alpha").wait_for()
        page.context.clear_cookies()
        second = page.context.new_page()
        sign_in(second, user=other_name)

        expect(
            page.get_by_role("dialog", name="Somebody else signed in in this browser")
        ).to_be_visible()
        assert "Alpha" not in page.locator("body").inner_text()
        assert titles(other_client) == []
        assert titles(person[1]) == ["Alpha"]


class TestTwoAccounts:
    def test_e2_e8_a_draft_and_a_pending_delete_wait_for_their_owner(
        self, keyed: Server, open_page: Open, person: tuple[str, Client], upstream: Upstream
    ) -> None:
        page = open_page(keyed, signed_in=False, expected=(*REFUSED, "WebSocket connection"))
        socket = Socket(page)
        sign_in(page, user=person[0])
        other_name, other_client = account(keyed, person[0], "b")
        stored(person[1], "Doomed")
        link(page, "Doomed").wait_for()
        cut(page)
        say(page, "X's own words")
        choose(page, "Doomed", "Delete")
        socket.shut = True
        page.context.route("**/api/**", lambda route: route.abort())
        page.context.set_offline(False)
        leave_all_the_same(page)
        page.context.unroute("**/api/**")
        socket.shut = False
        line = Line(page)
        sign_in(page, user=other_name)
        linked(page)
        say(page, "Y's words")
        answered(page)

        assert titles(other_client) == ["Y's words"]
        assert titles(person[1]) == ["Doomed"]
        assert line.sent == []
        upstream.queue(says("At last."))
        leave_all_the_same(page)
        sign_in(page, user=person[0])
        link(page, "X's own words").click()
        page.get_by_text("At last.").wait_for()
        until(page, lambda: titles(person[1]) == ["X's own words"], "the delete was sent too")
        assert titles(other_client) == ["Y's words"]

    def test_e9_data_under_keys_from_before_accounts_is_neither_shown_nor_sent(
        self, page: Page, person: tuple[str, Client]
    ) -> None:
        page.evaluate(
            """async () => {
            localStorage.setItem("conversations", JSON.stringify([{ id: "old", title: "Old chat" }]));
            localStorage.setItem("kenny", JSON.stringify({ drafts: { "": "old words" } }));
            await new Promise((done) => {
                const request = indexedDB.open("kenny", 1);
                request.onupgradeneeded = () => { request.result.createObjectStore("outbox").put({ text: "old words" }, "message:t-old"); };
                request.onsuccess = () => { request.result.close(); done(); };
            }); }"""
        )
        line = Line(page)
        page.reload()
        linked(page)

        expect(page.get_by_text("No conversations yet.")).to_be_visible()
        expect(box(page)).to_have_value("")
        assert line.sent == []
        assert titles(person[1]) == []


class TestExpiredSession:
    def test_48_it_keeps_the_draft_asks_for_the_password_and_then_sends(
        self, page: Page, person: tuple[str, Client], upstream: Upstream
    ) -> None:
        linked(page)
        box(page).fill("Typed before the end")
        page.context.clear_cookies()
        page.context.set_offline(True)
        page.context.set_offline(False)
        dialog = page.get_by_role("dialog", name="Your session has ended")
        expect(dialog).to_be_visible()
        page.keyboard.press("Escape")
        expect(dialog).to_be_visible()
        assert findings(page) == []
        dialog.get_by_label("Password").fill("wrong")
        dialog.get_by_role("button", name="Go on").click()
        expect(dialog.get_by_role("alert")).not_to_be_empty()
        upstream.queue(says("Welcome back."))
        dialog.get_by_label("Password").fill(PASSWORD)
        dialog.get_by_role("button", name="Go on").click()

        expect(dialog).to_be_hidden()
        linked(page)
        expect(box(page)).to_have_value("Typed before the end")
        box(page).press("Enter")
        page.get_by_text("Welcome back.").wait_for()
        answered(page)
        choose(page, "Typed before the end", "Pin")
        until(
            page,
            lambda: person[1].get("/api/conversations").json["conversations"][0]["pinned"],
            "a change goes with the new token",
        )

    def test_48_signing_in_in_another_tab_lets_this_one_go_on(
        self, page: Page, person: tuple[str, Client], upstream: Upstream
    ) -> None:
        linked(page)
        box(page).fill("Waiting for me")
        page.context.clear_cookies()
        second = page.context.new_page()
        second.goto("/accounts/login/")
        expect(page.get_by_role("dialog", name="Your session has ended")).to_be_visible()
        sign_in(second, user=person[0])

        expect(page.get_by_role("dialog", name="Your session has ended")).to_be_hidden()
        linked(page)
        upstream.queue(says("On we go."))
        box(page).press("Enter")
        page.get_by_text("On we go.").wait_for()
        answered(page)
        rename(page, "Waiting for me", "With the new token")
        until(page, lambda: titles(person[1]) == ["With the new token"], "the change is taken")

    def test_e12_a_message_that_meets_the_end_of_the_session_goes_after_it(
        self, page: Page, person: tuple[str, Client], upstream: Upstream
    ) -> None:
        linked(page)
        stored(person[1], "Alpha")
        link(page, "Alpha").wait_for()
        page.context.clear_cookies()
        choose(page, "Alpha", "Archive")
        dialog = page.get_by_role("dialog", name="Your session has ended")
        expect(dialog).to_be_visible()
        dialog.get_by_label("Password").fill(PASSWORD)
        dialog.get_by_role("button", name="Go on").click()

        until(
            page,
            lambda: person[1].get("/api/conversations").json["conversations"][0]["archived"],
            "the change was kept and sent",
        )
        expect(row(page, "Alpha").locator(".mark")).not_to_contain_text("Not synced")


class TestNothingIsKept:
    @pytest.mark.parametrize(
        "broken",
        [
            "indexedDB.open = () => { throw new DOMException('blocked', 'SecurityError'); }",
            "IDBFactory.prototype.open = function () { return { set onerror(tell) { setTimeout(tell); } }; }",
            "IDBObjectStore.prototype.put = () => { throw new DOMException('full', 'QuotaExceededError'); }",
        ],
        ids=["blocked", "refused", "full"],
    )
    def test_49_without_storage_it_works_from_memory_and_says_so(
        self,
        keyed: Server,
        person: tuple[str, Client],
        open_page: Open,
        upstream: Upstream,
        broken: str,
    ) -> None:
        page = open_page(keyed, signed_in=False)
        page.context.add_init_script(broken)
        sign_in(page, user=person[0])
        upstream.queue(says("From memory."))
        say(page, "Hello")

        page.get_by_text("From memory.").first.wait_for()
        answered(page)
        expect(page.get_by_text("This browser keeps nothing offline")).to_be_visible()
        page.get_by_role("button", name="Dismiss").click()
        expect(page.get_by_text("This browser keeps nothing offline")).to_be_hidden()
