"""The product on a phone: a drawer that behaves, a keyboard that covers nothing, notches left free, room for fingers."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Open, findings
from tests.browser.measured import measured
from tests.browser.scenes import CHAT, PAGES, Stage, answer, empty, replay
from tests.support.server import Server
from tests.support.upstream import Upstream

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]
HIGH = 844
OVERLAY = """
  const real = { width: 390, height: 844 };
  window.keyboard = Object.assign(new EventTarget(), { scale: 1, offsetTop: 0, ...real });
  Object.defineProperty(window, "visualViewport", { value: window.keyboard });
"""


def phone(open_page: Open, server: Server, path: str = "/") -> Page:
    return open_page(server, path=path, wide=390, has_touch=True, is_mobile=True)


def bottom(page: Page, name: str = "chat-composer form") -> float:
    return float(page.locator(name).evaluate("(el) => el.getBoundingClientRect().bottom"))


def open_drawer(page: Page) -> None:
    page.get_by_role("button", name="Conversations").tap()
    expect(page.get_by_role("button", name="New chat", exact=True)).to_be_focused()


class TestDrawer:
    def test_60_holds_the_focus_until_it_is_closed(self, keyed: Server, open_page: Open) -> None:
        page = phone(open_page, keyed)
        button = page.get_by_role("button", name="Conversations")

        open_drawer(page)
        expect(button).to_have_attribute("aria-expanded", "true")
        for _ in range(12):
            page.keyboard.press("Tab")
            inside = "!document.hasFocus() || document.activeElement === document.body || Boolean(document.activeElement.closest('#sidebar'))"
            assert page.evaluate(inside), page.evaluate("document.activeElement.outerHTML")
        assert findings(page) == []
        page.get_by_role("searchbox", name="Search").focus()
        page.keyboard.press("Escape")

        expect(button).to_be_focused()
        expect(button).to_have_attribute("aria-expanded", "false")
        expect(page.get_by_role("button", name="New chat", exact=True)).to_be_hidden()

    def test_60_is_closed_by_back_and_by_a_touch_beside_it(
        self, keyed: Server, upstream: Upstream, open_page: Open
    ) -> None:
        page = phone(open_page, keyed)
        answer(Stage(page, keyed, upstream))
        here = page.url
        first = page.get_by_role("button", name="New chat", exact=True)

        open_drawer(page)
        page.go_back()
        expect(first).to_be_hidden()
        assert page.url == here
        expect(page.get_by_role("article", name="Claude").last).to_be_visible()

        open_drawer(page)
        page.touchscreen.tap(380, 400)
        expect(first).to_be_hidden()
        assert page.url == here
        page.wait_for_function("() => !history.state?.drawer")

    def test_60_is_no_step_of_the_history_once_a_conversation_was_chosen(
        self, keyed: Server, upstream: Upstream, open_page: Open
    ) -> None:
        page = phone(open_page, keyed)
        answer(Stage(page, keyed, upstream))
        here = page.url
        empty(Stage(page, keyed, upstream))

        open_drawer(page)
        page.locator(f"nav li[data-id='{here.rsplit('/', 1)[1]}'] a").tap()
        expect(page).to_have_url(here)
        expect(page.get_by_role("button", name="New chat", exact=True)).to_be_hidden()
        page.go_back()

        expect(page).to_have_url(re.compile(r"/$"))
        expect(page.get_by_role("heading", name="What can I help with?")).to_be_visible()
        expect(page.get_by_role("button", name="New chat", exact=True)).to_be_hidden()


class TestRoom:
    def test_60_fills_the_window_and_no_more(
        self, keyed: Server, upstream: Upstream, open_page: Open
    ) -> None:
        page = phone(open_page, keyed)
        answer(Stage(page, keyed, upstream))

        for high in (HIGH, 600):  # with the browser's bars away, and with them
            page.set_viewport_size({"width": 390, "height": high})
            page.wait_for_function(
                "(h) => document.body.getBoundingClientRect().height === h", arg=high
            )
            assert page.evaluate("document.documentElement.scrollHeight") == high
            assert bottom(page) <= high

    def test_60_a_keyboard_that_shrinks_the_page_leaves_composer_and_end_in_sight(
        self, keyed: Server, upstream: Upstream, open_page: Open
    ) -> None:
        page = phone(open_page, keyed)
        answer(Stage(page, keyed, upstream))
        assert "interactive-widget=resizes-content" in str(
            page.locator("meta[name=viewport]").get_attribute("content")
        )

        page.get_by_role("textbox", name="Message Claude").tap()
        page.set_viewport_size({"width": 390, "height": 420})

        gap = "() => { const el = document.querySelector('.scroll'); return Math.abs(el.scrollHeight - el.clientHeight - el.scrollTop) <= 1; }"
        page.wait_for_function(gap)
        assert bottom(page) <= 420

    def test_60_a_keyboard_that_lies_over_the_page_covers_nothing(
        self, keyed: Server, upstream: Upstream, open_page: Open
    ) -> None:
        page = phone(open_page, keyed)
        page.add_init_script(OVERLAY)
        answer(Stage(page, keyed, upstream))

        page.evaluate("keyboard.height = 500; keyboard.dispatchEvent(new Event('resize'))")
        assert bottom(page) <= 500
        assert page.evaluate("document.body.getBoundingClientRect().height") == 500
        page.evaluate("keyboard.scale = 2; keyboard.dispatchEvent(new Event('resize'))")
        assert page.evaluate("document.body.getBoundingClientRect().height") == HIGH
        page.evaluate(
            "Object.assign(keyboard, { scale: 1, height: 844 }); keyboard.dispatchEvent(new Event('resize'))"
        )
        assert page.evaluate("document.body.getBoundingClientRect().height") == HIGH

    def test_60_nothing_lies_under_a_notch_or_the_home_bar(
        self, keyed: Server, upstream: Upstream, open_page: Open
    ) -> None:
        page = phone(open_page, keyed)
        answer(Stage(page, keyed, upstream))
        insets = {"top": 47, "bottom": 34, "left": 30, "right": 31}
        page.context.new_cdp_session(page).send(
            "Emulation.setSafeAreaInsetsOverride", {"insets": insets}
        )

        box = "(el) => { const r = el.getBoundingClientRect(); return [r.left, r.top, r.right, r.bottom]; }"
        page.wait_for_function(
            "() => getComputedStyle(document.querySelector('.page')).paddingTop === '47px'"
        )
        for name in ("main .bar", "chat-composer form", "chat-transcript"):
            left, top, right, end = page.locator(name).evaluate(box)
            assert left >= 30, name
            assert top >= 47, name
            assert right <= 390 - 31, name
            assert end <= HIGH - 34, name
        open_drawer(page)
        page.wait_for_function(
            "() => document.querySelector('#sidebar').getBoundingClientRect().left === 0"
        )
        left, top, _, _ = page.locator("#sidebar header").evaluate(box)
        assert (left >= 30, top >= 47) == (True, True)
        _, _, _, end = page.get_by_role("button", name="Sign out").evaluate(box)
        assert end <= HIGH - 34


class TestFingers:
    @pytest.mark.parametrize("name", CHAT)
    def test_58_targets_in_a_chat_have_44_px(
        self, keyed: Server, upstream: Upstream, open_page: Open, name: str
    ) -> None:
        page = phone(open_page, keyed)
        enter, leave = CHAT[name]

        enter(Stage(page, keyed, upstream))
        small = page.evaluate("matchMedia('(pointer: coarse)').matches") and measured(
            page, "small(44)"
        )
        if leave:
            leave(Stage(page, keyed, upstream))

        assert small == []

    def test_58_targets_around_it_have_44_px(
        self, keyed: Server, upstream: Upstream, open_page: Open
    ) -> None:
        page = open_page(
            keyed, wide=390, has_touch=True, is_mobile=True, expected="Failed to load resource"
        )
        open_drawer(page)
        small = {"drawer": measured(page, "small(44)")}

        for name, enter in PAGES.items():
            if enter is not replay:  # the admin's is Django's own
                enter(Stage(page, keyed, upstream))
                small[name] = measured(page, "small(44)")

        assert {name: found for name, found in small.items() if found} == {}

    def test_60_no_field_makes_a_phone_zoom_in(
        self, keyed: Server, upstream: Upstream, open_page: Open
    ) -> None:
        page = phone(open_page, keyed)
        stage = Stage(page, keyed, upstream)
        sizes = "[...document.querySelectorAll('textarea, select, input:not([type=hidden], [type=file], [type=radio], [type=checkbox])')].map((el) => [el.id || el.name, parseFloat(getComputedStyle(el).fontSize)])"

        small = []
        for path in ("/", "/accounts/", "/accounts/password/change/", "/accounts/delete/"):
            stage.goto(path)
            small += [found for found in page.evaluate(sizes) if found[1] < 16]

        assert small == []
