"""Two devices and one server: deletes (B) and changes (D) of the scenarios, with answers held, lost and doubled and clocks set apart."""

import time

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.conftest import Open, answered, findings, say, sign_in
from tests.browser.devices import (
    CUT,
    Line,
    Socket,
    answering,
    box,
    choose,
    cut,
    doubled,
    join,
    link,
    linked,
    lost_answer,
    rename,
    row,
    stays,
    stored,
    tab,
    titles,
    until,
)
from tests.support.http import Client
from tests.support.server import Server
from tests.support.upstream import Upstream, says

pytestmark = [pytest.mark.browser, pytest.mark.timeout(180)]

SECOND = 6_000  # ms: the second that is asked for, on a machine that runs much else
FAULTS = (*CUT, "status of 4", "status of 5")


@pytest.fixture
def client(person: tuple[str, Client]) -> Client:
    return person[1]


@pytest.fixture
def page(keyed: Server, person: tuple[str, Client], open_page: Open) -> Page:
    page = open_page(keyed, user=person[0], expected=FAULTS)
    linked(page)
    return page


class Held:
    """Requests that wait for the test."""

    def __init__(self) -> None:
        self.routes: list[Route] = []

        self._free = False

    def take(self, route: Route) -> None:
        if self._free:
            route.continue_()
        else:
            self.routes.append(route)

    def release(self) -> None:
        self._free = True
        while self.routes:
            self.routes.pop().continue_()


def delete(client: Client, cid: str) -> None:
    assert client.request("DELETE", f"/api/conversations/{cid}").status == 200


def of(client: Client, cid: str) -> dict[str, object]:
    found: dict[str, object] = client.get(f"/api/conversations/{cid}").json
    return found


def clear(page: Page) -> None:
    page.get_by_role("button", name="Settings").click()
    page.get_by_role("button", name="Delete all conversations").click()
    page.get_by_role("alertdialog").get_by_role("button", name="Delete").click()


class TestDeletes:
    def test_b1_a_delete_elsewhere_drops_a_clean_chat_and_uploads_nothing(
        self, page: Page, client: Client
    ) -> None:
        cid = stored(client, "Alpha")
        link(page, "Alpha").click()
        page.get_by_role("article", name="You").wait_for()
        line = Line(page)
        cut(page)
        delete(client, cid)
        join(page)

        expect(link(page, "Alpha")).to_have_count(0)
        expect(page.get_by_role("main")).to_contain_text("This conversation was deleted")
        assert line.sent == []

    def test_b2_words_for_a_chat_that_is_deleted_elsewhere_go_to_not_sent_and_that_is_said(
        self, page: Page, client: Client, upstream: Upstream
    ) -> None:
        cid = stored(client, "Alpha")
        link(page, "Alpha").click()
        page.get_by_role("article", name="You").wait_for()
        cut(page)
        say(page, "Words on the train")
        expect(page.get_by_text("Waiting to be sent")).to_be_visible()
        delete(client, cid)
        join(page)

        expect(
            page.get_by_text("“Alpha” was deleted. What you had not sent is kept.")
        ).to_be_visible()
        page.reload()
        page.get_by_role("button", name="Not sent (1)").click()
        kept = page.get_by_role("dialog", name="Not sent")
        expect(kept.get_by_role("listitem")).to_contain_text("Words on the train")
        assert findings(page) == []
        upstream.queue(says("Now they are there."))
        kept.get_by_role("button", name="Write in a new chat").click()
        expect(box(page)).to_have_value("Words on the train")
        box(page).press("Enter")
        page.get_by_text("Now they are there.").wait_for()
        expect(page.get_by_role("button", name="Not sent (1)")).to_have_count(0)
        assert titles(client) == ["Words on the train"]
        assert client.get(f"/api/conversations/{cid}").status == 410

    def test_b3_b8_a_delete_without_a_line_wins_over_a_later_save_elsewhere(
        self, page: Page, client: Client
    ) -> None:
        cid = stored(client, "Alpha")
        link(page, "Alpha").wait_for()
        cut(page)
        choose(page, "Alpha", "Delete")
        saved = client.request("PUT", f"/api/conversations/{cid}", {"title": "Saved again"})
        assert saved.json["version"] == 2
        page.context.set_offline(False)
        page.reload()

        until(page, lambda: titles(client) == [], "the delete was sent from what was kept")
        expect(link(page, "Alpha")).to_have_count(0)
        expect(link(page, "Saved again")).to_have_count(0)
        assert client.get(f"/api/conversations/{cid}").status == 410

    def test_b4_a_chat_deleted_before_its_first_message_was_acknowledged_is_deleted_there_too(
        self, keyed: Server, person: tuple[str, Client], client: Client, open_page: Open
    ) -> None:
        page = open_page(keyed, signed_in=False, expected=FAULTS)
        socket = Socket(page)
        sign_in(page, user=person[0])
        linked(page)
        socket.deaf = True
        say(page, "Short lived")
        until(page, lambda: titles(client) == ["Short lived"], "the server has it")
        choose(page, "Short lived", "Delete")
        # Before the next page opens a socket, which would wait for its first frame.
        socket.deaf = False
        page.reload()

        until(page, lambda: titles(client) == [], "its delete was sent")
        expect(link(page, "Short lived")).to_have_count(0)

    @pytest.mark.parametrize("status", [401, 404, 500, 200], ids=str)
    def test_b6_b9_only_the_servers_own_word_ends_a_delete(
        self, page: Page, client: Client, status: int
    ) -> None:
        stored(client, "Alpha")
        link(page, "Alpha").wait_for()
        line = Line(page)
        choose(page, "Alpha", "Delete")
        line.next("DELETE", answering(status))
        page.reload()
        until(page, lambda: line.count("DELETE") >= 1, "it was tried")
        expect(link(page, "Alpha")).to_have_count(0)
        if status == 401:  # the page asks who is there, and the person is
            expect(page.get_by_role("dialog", name="Your session has ended")).to_be_visible()
            page.reload()

        until(page, lambda: titles(client) == [], "it was tried again")
        assert line.count("DELETE") >= 2
        expect(link(page, "Alpha")).to_have_count(0)

    def test_b5_b7_a_delete_that_arrives_twice_or_on_two_devices_makes_one_tombstone(
        self, page: Page, client: Client
    ) -> None:
        ids = {title: stored(client, title) for title in ("Alpha", "Beta")}
        link(page, "Beta").wait_for()
        line = Line(page)
        line.next("DELETE", doubled)
        for title in ids:
            choose(page, title, "Delete")
        cut(page)
        delete(client, ids["Beta"])
        page.context.set_offline(False)
        page.reload()

        until(page, lambda: line.count("DELETE") == 2, "both were sent")
        until(page, lambda: titles(client) == [], "both are gone")
        dead = client.get("/api/conversations").json["deleted"]
        assert {one["id"]: one["version"] for one in dead} == dict.fromkeys(ids.values(), 2)

    def test_b10_b11_b12_deleting_all_spares_what_is_made_later_here_and_elsewhere(
        self, page: Page, client: Client, upstream: Upstream
    ) -> None:
        for title in ("Alpha", "Beta"):
            stored(client, title)
        link(page, "Beta").wait_for()
        cut(page)
        clear(page)
        expect(
            page.get_by_role("navigation", name="Conversations").get_by_role("listitem")
        ).to_have_count(0)
        stored(client, "Made elsewhere")
        say(page, "Made here")
        upstream.queue(says("Kept."))
        page.context.set_offline(False)
        page.reload()

        link(page, "Made here").click()
        page.get_by_text("Kept.").wait_for()
        expect(link(page, "Made elsewhere")).to_be_visible()
        until(
            page,
            lambda: titles(client) == ["Made elsewhere", "Made here"],
            "only the old ones went",
        )
        for title in ("Alpha", "Beta"):
            expect(link(page, title)).to_have_count(0)

    def test_b13_a_delete_in_one_tab_hides_the_chat_in_the_other_and_undo_brings_it_back(
        self, page: Page, client: Client
    ) -> None:
        stored(client, "Alpha")
        other = tab(page)
        link(other, "Alpha").click()
        other.get_by_role("article", name="You").wait_for()
        choose(page, "Alpha", "Delete")
        expect(link(other, "Alpha")).to_have_count(0)
        expect(other.get_by_role("heading", level=1)).to_have_text("New chat")

        page.get_by_role("button", name="Undo").click()
        expect(link(other, "Alpha")).to_be_visible()
        assert titles(client) == ["Alpha"]

    def test_b14_a_delete_while_the_list_is_on_its_way_stays(
        self, page: Page, client: Client
    ) -> None:
        stored(client, "Alpha")
        link(page, "Alpha").wait_for()
        held = Held()
        page.context.route("**/api/conversations?since=*", held.take)
        stored(client, "Beta")
        until(page, lambda: held.routes, "the list was asked for")
        answer = held.routes[0].fetch()
        choose(page, "Alpha", "Delete")
        held.routes.pop(0).fulfill(response=answer)
        held.release()

        link(page, "Beta").wait_for()
        expect(link(page, "Alpha")).to_have_count(0)


class TestChanges:
    @pytest.mark.parametrize("hours", [-1, 87_600], ids=["an hour behind", "ten years ahead"])
    def test_d1_d2_a_later_change_stays_whatever_the_clocks_say(
        self, keyed: Server, person: tuple[str, Client], client: Client, open_page: Open, hours: int
    ) -> None:
        cid = stored(client, "Alpha")
        page = open_page(keyed, signed_in=False, expected=FAULTS)
        page.context.clock.set_system_time(int((time.time() + hours * 3600) * 1000))
        sign_in(page, user=person[0])
        link(page, "Alpha").wait_for()
        client.request("PATCH", f"/api/conversations/{cid}", {"title": "Second"})
        link(page, "Second").wait_for()
        rename(page, "Second", "Third")
        until(page, lambda: titles(client) == ["Third"], "the page's change is there")

        client.request("PATCH", f"/api/conversations/{cid}", {"title": "Fourth"})
        link(page, "Fourth").wait_for()
        page.reload()
        expect(link(page, "Fourth")).to_be_visible()
        assert titles(client) == ["Fourth"]

    def test_45_d3_two_titles_for_one_chat_are_both_shown_and_either_can_be_used(
        self, page: Page, client: Client
    ) -> None:
        cid = stored(client, "Alpha")
        link(page, "Alpha").wait_for()
        cut(page)
        rename(page, "Alpha", "Mine")
        client.request(
            "PATCH", f"/api/conversations/{cid}", {"title": "Theirs", "updatedAt": 2**52}
        )
        join(page)

        expect(
            page.get_by_text("Renamed in two places: “Theirs” stays, the other title was “Mine”.")
        ).to_be_visible()
        expect(link(page, "Theirs")).to_be_visible()
        assert titles(client) == ["Theirs"]
        page.get_by_role("button", name="Use “Mine”").click()
        expect(link(page, "Mine")).to_be_visible()
        until(page, lambda: titles(client) == ["Mine"], "the other title is used")
        expect(page.get_by_text("Renamed in two places")).to_have_count(0)

    def test_d3_changes_of_different_kinds_both_stay(self, page: Page, client: Client) -> None:
        cid = stored(client, "Alpha")
        link(page, "Alpha").wait_for()
        cut(page)
        choose(page, "Alpha", "Pin")
        client.request(
            "PATCH", f"/api/conversations/{cid}", {"title": "Theirs", "settings": {"model": "m"}}
        )
        join(page)

        until(page, lambda: of(client, cid)["pinned"], "the pin is there")
        assert (of(client, cid)["title"], of(client, cid)["settings"]) == ("Theirs", {"model": "m"})
        expect(link(page, "Theirs")).to_be_visible()

    def test_d6_an_equal_time_falls_to_the_server(self, page: Page, client: Client) -> None:
        cid = stored(client, "Alpha")
        link(page, "Alpha").wait_for()
        cut(page)
        rename(page, "Alpha", "Mine")
        expect(row(page, "Mine").locator(".mark")).to_contain_text("Not synced")
        number = page.evaluate("JSON.parse(document.querySelector('#config').textContent).account")
        [waiting] = stays(page, f"kenny:{number}")["outbox"]
        theirs = {"title": "Theirs", "updatedAt": waiting["updatedAt"]}
        assert client.request("PATCH", f"/api/conversations/{cid}", theirs).status == 200
        join(page)

        expect(link(page, "Theirs")).to_be_visible()
        assert titles(client) == ["Theirs"]

    def test_44_d8_a_change_whose_answer_was_lost_or_that_came_twice_counts_once(
        self, page: Page, client: Client
    ) -> None:
        cid = stored(client, "Alpha")
        link(page, "Alpha").wait_for()
        line = Line(page)
        line.next("PATCH", lost_answer)
        rename(page, "Alpha", "Second")
        until(page, lambda: of(client, cid)["version"] == 2, "the change arrived")
        expect(row(page, "Second").locator(".mark")).not_to_contain_text("Not synced")
        line.next("PATCH", doubled)
        rename(page, "Second", "Third")
        expect(row(page, "Third").locator(".mark")).not_to_contain_text("Not synced")

        assert (of(client, cid)["title"], of(client, cid)["version"]) == ("Third", 3)
        expect(page.get_by_text("Renamed in two places")).to_have_count(0)

    def test_d11_a_rename_and_an_answer_both_stay(
        self, page: Page, client: Client, upstream: Upstream
    ) -> None:
        upstream.queue(says("A long answer.", hold_after=1))
        say(page, "First words")
        link(page, "First words").wait_for()
        page.get_by_role("button", name="Stop").wait_for()
        rename(page, "First words", "My title")
        until(
            page, lambda: titles(client) == ["My title"], "the title is there while the turn runs"
        )
        upstream.release()
        answered(page)
        upstream.hold()

        expect(page.get_by_role("heading", level=1)).to_have_text("My title")
        assert titles(client) == ["My title"]
        expect(page.get_by_role("article", name="Claude")).to_contain_text("A long answer.")

    def test_d12_a_message_written_while_the_list_loads_is_kept_and_sent(
        self, page: Page, client: Client, upstream: Upstream
    ) -> None:
        cid = stored(client, "Alpha")
        link(page, "Alpha").wait_for()
        held = Held()
        page.context.route("**/api/conversations**", held.take)
        page.goto(f"/c/{cid}")
        box(page).wait_for()
        upstream.queue(says("Late list."))
        say(page, "Before the list")
        until(page, lambda: held.routes, "the list is on its way")
        held.release()

        page.get_by_text("Late list.").wait_for()
        answered(page)
        assert [m["role"] for m in client.get(f"/api/conversations/{cid}").json["messages"]] == [
            "user",
            "user",
            "assistant",
        ]

    def test_d13_what_comes_from_the_server_is_never_sent_back(
        self, page: Page, client: Client
    ) -> None:
        cid = stored(client, "Alpha")
        link(page, "Alpha").wait_for()
        line = Line(page)
        for title in ("Beta", "Gamma"):
            client.request("PATCH", f"/api/conversations/{cid}", {"title": title})
            link(page, title).wait_for()
        page.reload()
        link(page, "Gamma").wait_for()
        linked(page)
        assert line.sent == []

    def test_d16_what_is_refused_for_good_is_said_and_keeps_nothing_else_from_going(
        self, page: Page, client: Client
    ) -> None:
        ids = [stored(client, title) for title in ("Alpha", "Beta")]
        link(page, "Beta").wait_for()
        line = Line(page)
        refusal = '{"error": {"code": "bad_request", "message": "That title is not taken."}}'
        line.next(
            "PATCH",
            lambda route: route.fulfill(status=400, body=refusal, content_type="application/json"),
        )
        rename(page, "Alpha", "Refused")
        expect(page.get_by_text("That title is not taken.")).to_be_visible()
        expect(link(page, "Alpha")).to_be_visible()
        choose(page, "Beta", "Pin")

        until(page, lambda: of(client, ids[1])["pinned"], "the other change went")
        page.reload()
        linked(page)
        assert line.count("PATCH") == 2


class TestTabs:
    def test_46_delete_rename_message_and_theme_show_in_the_other_tab_within_a_second(
        self, page: Page, client: Client, upstream: Upstream
    ) -> None:
        cid = stored(client, "Alpha")
        stored(client, "Beta")
        link(page, "Alpha").click()
        other = tab(page, f"/c/{cid}")
        other.get_by_role("article", name="You").wait_for()
        linked(other)
        rename(page, "Alpha", "Gamma")
        expect(link(other, "Gamma")).to_be_visible(timeout=SECOND)
        choose(page, "Beta", "Delete")
        expect(link(other, "Beta")).to_have_count(0, timeout=SECOND)
        upstream.queue(says("Seen in both."))
        say(page, "Said in one tab")
        expect(other.get_by_text("Said in one tab")).to_be_visible(timeout=SECOND)
        other.get_by_text("Seen in both.").wait_for()
        answered(page)
        answered(other)
        expect(other.get_by_role("article", name="You")).to_have_count(2)
        page.get_by_role("button", name="Settings").click()
        page.get_by_role("radio", name="Dark").check()
        expect(other.locator("html")).to_have_attribute("data-theme", "dark", timeout=SECOND)

    def test_46_what_is_written_without_a_line_shows_in_the_other_tab_and_goes_once(
        self, page: Page, client: Client, upstream: Upstream
    ) -> None:
        other = tab(page)
        linked(other)
        line = Line(page)
        cut(page)
        say(page, "Two tabs, one message")
        expect(row(other, "Two tabs, one message").locator(".mark")).to_contain_text("Not synced")
        page.close()
        upstream.queue(says("Answered once."))
        other.context.set_offline(False)
        link(other, "Two tabs, one message").click()

        other.get_by_text("Answered once.").wait_for()
        answered(other)
        expect(other.get_by_role("article", name="You")).to_have_count(1)
        assert titles(client) == ["Two tabs, one message"]
        assert line.sent == []
