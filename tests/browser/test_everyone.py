"""What holds for everyone, in every state of the product: no finding of axe, nothing cut, nothing covered."""

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.conftest import FLAGS, Open, answered, chromium_path, findings
from tests.browser.measured import MEASURING, amiss, measured
from tests.browser.scenes import (
    CHAT,
    PAGES,
    STRANGER,
    Enter,
    Stage,
    answer,
    denied,
    gate,
    menu,
    released,
    replay,
    streaming,
)
from tests.support.server import Server
from tests.support.upstream import Upstream

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]
GONE = "Failed to load resource"  # what the browser says of a page that answers 404 or 410


def everywhere(stage: Stage, enter: Enter) -> dict[str, list[tuple[str, str]]]:
    """Return what axe finds in a state in both themes, on a wide and on a narrow window."""
    found, page = {}, stage.page
    enter(stage)
    for wide in (1280, 390):
        page.set_viewport_size({"width": wide, "height": 844})
        if enter is menu and wide == 390:
            enter(stage)
        for theme in ("light", "dark"):
            page.emulate_media(color_scheme=theme, reduced_motion="reduce")
            found[f"{theme} {wide}"] = findings(page, preload=enter is not replay)
    return {state: rules for state, rules in found.items() if rules}


class TestAxe:
    @pytest.mark.parametrize("name", CHAT)
    def test_57_finds_nothing_in_a_chat(
        self, keyed: Server, upstream: Upstream, open_page: Open, name: str
    ) -> None:
        page = open_page(keyed)
        stage = Stage(page, keyed, upstream)
        enter, leave = CHAT[name]

        found = everywhere(stage, enter)
        if leave:
            leave(stage)

        assert found == {}

    @pytest.mark.parametrize("pages", [PAGES, STRANGER], ids=["signed in", "signed out"])
    def test_57_finds_nothing_on_a_page_around_it(
        self, keyed: Server, upstream: Upstream, open_page: Open, pages: dict[str, Enter]
    ) -> None:
        page = open_page(keyed, signed_in=pages is PAGES, expected=GONE)
        stage = Stage(page, keyed, upstream)
        found = {}

        for name, enter in pages.items():
            found[name] = everywhere(stage, enter)

        assert {name: rules for name, rules in found.items() if rules} == {}


ROOM = {
    "400 %": (320, 256),
    "320 px": (320, 640),
    "a phone": (390, 844),
    "a phone on its side": (844, 390),
    "a desk": (1280, 800),
}
"""Widths and heights; a window of 1280 x 1024 that is zoomed to 400 % has 320 x 256 left."""


@pytest.fixture
def large(chromium: Browser) -> Iterator[Browser]:
    """A browser of somebody who has set its text to twice the size."""
    browser = chromium.browser_type.launch(
        executable_path=chromium_path(), args=[*FLAGS, "--blink-settings=defaultFontSize=32"]
    )
    yield browser
    browser.close()


class TestRoom:
    @pytest.mark.parametrize("name", CHAT)
    def test_59_nothing_is_cut_or_overlaps_in_a_chat(
        self, keyed: Server, upstream: Upstream, open_page: Open, name: str
    ) -> None:
        page = open_page(keyed, reduced_motion="reduce")
        stage = Stage(page, keyed, upstream)
        enter, leave = CHAT[name]

        enter(stage)
        found = {}
        for room, (wide, high) in ROOM.items():
            page.set_viewport_size({"width": wide, "height": high})
            found[room] = amiss(page)
        if leave:
            leave(stage)

        assert {room: faults for room, faults in found.items() if faults} == {}

    def test_59_nothing_is_cut_or_overlaps_on_the_pages_around_it(
        self, keyed: Server, upstream: Upstream, open_page: Open
    ) -> None:
        page = open_page(keyed, reduced_motion="reduce", expected=GONE)
        stage = Stage(page, keyed, upstream)

        found = {}
        for name, enter in (PAGES | {"sign up": STRANGER["no sign-up"]}).items():
            if enter is replay:
                continue  # the admin's frame is Django's own
            enter(stage)
            for room, (wide, high) in ROOM.items():
                page.set_viewport_size({"width": wide, "height": high})
                found[name, room] = amiss(page)

        assert {room: faults for room, faults in found.items() if faults} == {}

    def test_59_text_of_twice_the_size_is_all_there(
        self, keyed: Server, upstream: Upstream, large: Browser, open_page: Open
    ) -> None:
        page = open_page(keyed, browser=large, reduced_motion="reduce")
        stage = Stage(page, keyed, upstream)

        assert page.evaluate("getComputedStyle(document.documentElement).fontSize") == "32px"
        found = {}
        for name in ("empty", "answer", "gate", "undo"):
            enter, leave = CHAT[name]
            page.set_viewport_size({"width": 1280, "height": 800})
            enter(stage)
            for wide, high in ((1280, 800), (390, 844)):
                page.set_viewport_size({"width": wide, "height": high})
                found[name, wide] = amiss(page)
            if leave:
                leave(stage)

        assert {room: faults for room, faults in found.items() if faults} == {}


class TestSettingsOfTheSystem:
    def test_59_nothing_moves_where_motion_is_not_wanted(
        self, keyed: Server, upstream: Upstream, open_page: Open
    ) -> None:
        page = open_page(keyed, wide=390)
        stage = Stage(page, keyed, upstream)

        streaming(stage)
        page.wait_for_function(f"() => ({MEASURING}).moving().length > 0")
        page.emulate_media(reduced_motion="reduce")
        assert measured(page, "moving()") == []
        page.get_by_role("button", name="Conversations").click()
        assert measured(page, "moving()") == []
        assert page.evaluate(
            "[...document.querySelectorAll('*')].every((el) => getComputedStyle(el).scrollBehavior === 'auto')"
        )
        page.keyboard.press("Escape")
        released(stage)

    def test_59_what_is_told_by_colour_is_told_in_forced_colours_too(
        self, keyed: Server, upstream: Upstream, open_page: Open
    ) -> None:
        page = open_page(keyed, forced_colors="active")
        stage = Stage(page, keyed, upstream)
        edge = "(el) => [el, el.parentElement.parentElement].some((at) => ['border', 'outline'].some((kind) => { const s = getComputedStyle(at); return s[`${kind}Style`] === 'solid' && parseFloat(s[`${kind}Width`]) > 0; }))"

        gate(stage)
        shown = {
            name: page.locator(name).first.evaluate(edge)
            for name in (
                ".gate",
                "a[aria-current]",
                ".said",
                "[data-slot=approve]",
                "[data-slot=deny]",
            )
        }
        page.get_by_role("textbox", name="Message Claude").focus()
        ringed = page.locator("chat-composer form").evaluate(
            "(el) => getComputedStyle(el).outlineStyle"
        )
        denied(stage)
        stage.goto("/accounts/")
        pressed = page.locator("[aria-pressed=true]").first.evaluate(
            "(el) => getComputedStyle(el).outlineStyle"
        )

        assert [name for name, seen in shown.items() if not seen] == []
        assert (ringed, pressed) == ("solid", "solid")


class TestKeyboard:
    def test_58_goes_once_around_from_the_list_to_the_composer(
        self, keyed: Server, upstream: Upstream, open_page: Open
    ) -> None:
        # Of a list that other tests have filled no number of steps leads out.
        keyed.user("around")
        page = open_page(keyed, user="around", theme="dark")
        stage = Stage(page, keyed, upstream)
        order = ["skip", "sidebar", "bar", "transcript", "dock", "composer"]

        found = {}
        for theme in ("light", "dark"):
            answer(stage)
            page.emulate_media(color_scheme=theme, reduced_motion="reduce")
            page.reload()
            page.get_by_role("article", name="Claude").get_by_text("Ana").wait_for()
            expect(page.locator("body")).to_have_attribute("data-link", "open")
            stops: list[dict[str, Any]] = []
            for _ in range(80):
                page.keyboard.press("Tab")
                stop = measured(page, "focused()")
                if stop is None or (stops and stop["part"] == "skip"):
                    break
                stops.append(stop)
            found[theme] = stops

        for stops in found.values():
            parts = [order.index(stop["part"]) for stop in stops]
            assert parts[0] == 0
            assert parts == sorted(parts)
            assert {"sidebar", "transcript", "composer"} <= {stop["part"] for stop in stops}
            assert len(stops) < 80  # no trap: the way led out again
            assert [stop for stop in stops if stop["ring"] < 3] == []

    def test_58_skips_to_the_message_box(
        self, keyed: Server, upstream: Upstream, open_page: Open
    ) -> None:
        page = open_page(keyed)
        answer(Stage(page, keyed, upstream))
        page.reload()
        expect(page.get_by_role("button", name="New chat", exact=True)).to_be_enabled()

        page.keyboard.press("Tab")
        link = page.get_by_role("link", name="Skip to message box")
        expect(link).to_be_focused()
        expect(link).to_be_in_viewport()
        page.keyboard.press("Enter")

        expect(page.get_by_role("textbox", name="Message Claude")).to_be_focused()

    def test_58_decides_at_a_gate_and_opens_a_menu(
        self, keyed: Server, upstream: Upstream, open_page: Open
    ) -> None:
        page = open_page(keyed)
        stage = Stage(page, keyed, upstream)

        gate(stage)
        page.get_by_role("button", name="Approve").focus()
        page.keyboard.press("Tab")
        expect(page.get_by_role("button", name="Deny")).to_be_focused()
        page.keyboard.press("Enter")
        answered(page)
        expect(page.get_by_role("article", name="Claude").last).to_contain_text("Then not.")

        row = page.get_by_role("navigation", name="Conversations").get_by_role("link").nth(1)
        row.focus()
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        expect(page.get_by_role("menuitem", name="Rename")).to_be_focused()
        page.keyboard.press("ArrowUp")
        expect(page.get_by_role("menuitem", name="Delete")).to_be_focused()
        page.keyboard.press("Escape")
        expect(page.get_by_role("menu")).to_be_hidden()
