"""Tabs without Web Locks, as on plain http: a lease in localStorage says which of them works for those that are gone."""

from functools import partial

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Open, sign_in
from tests.browser.devices import (
    CUT,
    Socket,
    box,
    cut,
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

PLAIN = """
    Object.defineProperty(Navigator.prototype, "locks", { get: () => undefined });
    addEventListener("pagehide", (event) => { if (window.crashes) event.stopImmediatePropagation(); });
"""  # the first to hear that the page goes: in one that crashes nobody hears it
STANDING = "{ const now = Date.now(); Date.now = () => now; }"


class Tabs:
    """Two tabs of one browser without a line, each with a message that waits."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.lease = f"kenny:{number(page)}:outbox"
        self.database = f"kenny:{number(page)}"
        self.other = tab(page)
        assert page.evaluate("navigator.locks === undefined")

    def leader(self, page: Page) -> tuple[str, int]:
        """Return the tab that leads, and until when if it is not heard of any more."""
        who, _, end = (
            page.evaluate("name => localStorage.getItem(name) ?? ''", self.lease)
        ).partition(" ")
        return who, int(end or 0)

    def renewed(self, page: Page, since: int) -> bool:
        return self.leader(page)[1] > since

    def write(self, page: Page, words: str) -> str:
        """Write a message that waits; return the tab it waits in."""
        box(page).fill(words)
        box(page).press("Enter")
        until(page, lambda: words in self.waiting(page), "the message is kept")
        return self.waiting(page)[words]

    def waiting(self, page: Page) -> dict[str, str]:
        kept = stays(page, self.database)["outbox"]
        return {one["text"]: one["tab"] for one in kept}


@pytest.mark.parametrize("crashes", [False, True], ids=["closed", "crashed"])
def test_46_without_locks_one_tab_leads_the_other_follows_it_and_each_message_goes_once(
    keyed: Server,
    open_page: Open,
    person: tuple[str, Client],
    upstream: Upstream,
    *,
    crashes: bool,
) -> None:
    """A tab that is closed gives the lease back: the other, whose clock stands still, does not wait for its end. That of a crashed one runs out."""
    page = open_page(keyed, signed_in=False, expected=(*CUT, "WebSocket"))
    page.context.add_init_script(PLAIN)
    socket = Socket(page)
    sign_in(page, user=person[0])
    tabs = Tabs(page)
    cut(page)
    first, second = tabs.write(page, "The first"), tabs.write(tabs.other, "The second")
    assert first != second
    for _ in range(3):
        who, end = tabs.leader(page)
        assert who == first
        until(page, partial(tabs.renewed, page, end), "the lease is renewed")

    if crashes:
        page.evaluate("window.crashes = true")
    else:
        tabs.other.evaluate(STANDING)
    page.close()
    until(tabs.other, lambda: tabs.leader(tabs.other)[0] == second, "the other tab leads")
    until(
        tabs.other,
        lambda: tabs.waiting(tabs.other) == dict.fromkeys(["The first", "The second"], second),
        "it takes over what waits",
    )
    upstream.queue(says("One."), says("Two."))
    tabs.other.context.set_offline(False)
    until(
        tabs.other, lambda: titles(person[1]) == ["The first", "The second"], "both messages went"
    )
    until(tabs.other, lambda: tabs.waiting(tabs.other) == {}, "nothing waits any more")
    expect(tabs.other.get_by_role("button", name="Stop")).to_be_hidden()
    assert socket.sends() == 2
    whole = person[1].get("/api/conversations?include=messages").json["conversations"]
    assert [len(one["messages"]) for one in whole] == [2, 2]
