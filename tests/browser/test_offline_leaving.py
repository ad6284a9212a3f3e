"""What was still being written down when its page went: it is kept beside the database and comes back, to the same account alone."""

import json

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Open, sign_in
from tests.browser.devices import (
    CUT,
    Socket,
    account,
    box,
    leave,
    leave_all_the_same,
    left,
    link,
    number,
    stays,
    tab,
    titles,
    until,
)
from tests.support.http import Client
from tests.support.server import Server
from tests.support.upstream import Upstream, says

pytestmark = [pytest.mark.browser, pytest.mark.timeout(180)]

SLOW = """{
    const begin = IDBDatabase.prototype.transaction;
    IDBDatabase.prototype.transaction = function (stores, mode, ...more) {
        const work = begin.call(this, stores, mode, ...more);
        if (!window.slow || mode !== "readwrite") return work;
        work.commit = () => undefined;
        const store = work.objectStore(work.objectStoreNames[0]);
        const again = () => { store.count().onsuccess = again; };
        again();
        return work;
    };
    const { oncomplete } = Object.getOwnPropertyDescriptors(IDBTransaction.prototype);
    Object.defineProperty(IDBTransaction.prototype, "oncomplete", { ...oncomplete, set(heard) {
        oncomplete.set.call(this, () => { if (!window.deaf) heard(); });
    } });
}"""  # a disk that is slow: nothing that is written from `slow` on is ever there, and of nothing from `deaf` on is the end heard

IDLE = "document.activeElement.blur()"  # a box that is written in takes no other words


@pytest.fixture
def socket(keyed: Server, person: tuple[str, Client], open_page: Open) -> Socket:
    """A line that is shut, so that what is written waits; its window has one page."""
    page = open_page(keyed, signed_in=False, expected=(*CUT, "WebSocket", "401", "409"))
    page.context.add_init_script(SLOW)
    shut = Socket(page)
    shut.shut = True
    sign_in(page, user=person[0])
    return shut


@pytest.fixture
def page(socket: Socket) -> Page:
    return socket.page


def beside(page: Page) -> list[str]:
    """Return the keys of what pages of this browser left beside the database."""
    names: list[str] = page.evaluate("Object.keys(localStorage)")
    return [name for name in names if ":leaving:" in name]


def write(page: Page, *, draft: str, message: str = "") -> None:
    """Write a message that waits, and a draft of a new chat, on a slow disk."""
    page.evaluate("window.slow = true")
    if message:
        box(page).fill(message)
        box(page).press("Enter")
        expect(page.get_by_text("Waiting to be sent")).to_be_visible()
        page.get_by_role("button", name="New chat").click()
    box(page).fill(draft)
    expect(page.locator("h1")).to_be_visible()


def go(socket: Socket, upstream: Upstream, *answers: str) -> None:
    """Open the line."""
    upstream.queue(*(says(answer) for answer in answers))
    socket.shut = False


class TestAPageThatGoes:
    def test_38_keeps_a_draft_and_a_message_for_the_next_page_which_sends_it_once(
        self, page: Page, socket: Socket, person: tuple[str, Client], upstream: Upstream
    ) -> None:
        write(page, draft="half a thought", message="Said at the last moment")
        page.reload()

        expect(box(page)).to_have_value("half a thought")
        link(page, "Said at the last moment").click()
        expect(page.get_by_text("Waiting to be sent")).to_be_visible()
        assert beside(page) == []
        kept = stays(page, f"kenny:{number(page)}")
        assert [one["text"] for one in kept["outbox"]] == ["Said at the last moment"]
        assert [one["text"] for one in kept["drafts"]] == ["half a thought"]
        go(socket, upstream, "It came.")
        page.reload()
        page.get_by_text("It came.").wait_for()
        assert titles(person[1]) == ["Said at the last moment"]
        assert socket.sends() == 1

    def test_e2_leaves_it_to_nobody_else(
        self, keyed: Server, page: Page, person: tuple[str, Client]
    ) -> None:
        other_name, other_client = account(keyed, person[0], "b")
        write(page, draft="a thought of X", message="A message of X")
        page.goto("/accounts/")
        assert len(beside(page)) == 2
        page.context.clear_cookies()
        sign_in(page, user=other_name)

        assert " of X" not in page.locator("body").inner_text()
        expect(box(page)).to_have_value("")
        kept = stays(page, f"kenny:{number(page)}")
        assert (kept["outbox"], kept["drafts"], titles(other_client)) == ([], [], [])
        assert len(beside(page)) == 2
        leave_all_the_same(page)
        sign_in(page, user=person[0])
        expect(box(page)).to_have_value("a thought of X")
        expect(link(page, "A message of X")).to_be_visible()

    def test_46_leaves_it_to_a_tab_that_stays_which_may_go_on_with_it(
        self, page: Page, socket: Socket, person: tuple[str, Client], upstream: Upstream
    ) -> None:
        other = tab(page)
        other.evaluate(IDLE)
        write(page, draft="half a thought", message="Said by a tab that went")
        page.close()

        expect(box(other)).to_have_value("half a thought")
        link(other, "Said by a tab that went").wait_for()
        until(other, lambda: beside(other) == [], "it is in the database")
        box(other).fill("a whole thought")
        third = tab(other)
        expect(box(third)).to_have_value("a whole thought")
        go(socket, upstream, "It came all the same.")
        until(
            other,
            lambda: titles(person[1]) == ["Said by a tab that went"],
            "it was sent",
            within=60,
        )
        link(other, "Said by a tab that went").click()
        other.get_by_text("It came all the same.").wait_for()
        assert socket.sends() == 1

    def test_38_is_kept_whatever_else_stands_beside_it(self, page: Page) -> None:
        """What no page of ours wrote there is neither read nor in the way."""
        ours = {"store": "drafts", "key": "", "value": {"text": "ours", "images": []}}
        texts = ["{", "7", "null", '{"store": "odd", "key": "x", "value": 1}', json.dumps(ours)]
        page.evaluate(
            "([name, texts]) => texts.forEach((text, i) => localStorage.setItem(`${name}:leaving:${i}`, text))",
            [f"kenny:{number(page)}", [*texts, *texts[:4]]],
        )
        page.reload()

        expect(box(page)).to_have_value("ours")
        expect(page.get_by_text("This browser keeps nothing offline")).to_have_count(0)
        assert beside(page) == []


class TestASharedComputer:
    def test_e13_keeps_nothing_beside_the_database_either(
        self, page: Page, person: tuple[str, Client]
    ) -> None:
        """Neither what an earlier page left nor what another tab has still under its hands."""
        other = tab(page)
        page.evaluate(IDLE)
        other.evaluate("window.deaf = true")
        box(other).fill("a thought in another tab")
        expect(box(page)).to_have_value("a thought in another tab")
        left_once = json.dumps(
            {"store": "drafts", "key": "", "value": {"text": "old", "images": []}}
        )
        page.evaluate(
            "([name, value]) => localStorage.setItem(name, value)",
            [f"kenny:{number(page)}:leaving:1", left_once],
        )
        leave(page)
        dialog = page.get_by_role("dialog", name="Sign out?")
        dialog.get_by_role("checkbox", name="This is a shared computer").check()
        dialog.get_by_role("button", name="Sign out").click()
        left(page)
        expect(other.get_by_role("dialog", name="You signed out")).to_be_visible()
        other.close()

        assert beside(page) == []
        sign_in(page, user=person[0])
        expect(box(page)).to_have_value("")
        assert stays(page, f"kenny:{number(page)}")["drafts"] == []
