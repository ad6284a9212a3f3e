"""Cards of calls and what they brought, on a real page: frontend.md, requirements 22 to 25."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from tests.browser.conftest import Open, answered, say, shown
from tests.support.answers import use
from tests.support.drawn import drawn, encoded
from tests.support.server import Server
from tests.support.upstream import Upstream, calls, says

pytestmark = [pytest.mark.browser, pytest.mark.timeout(180)]


@pytest.fixture(scope="module")
def folder(keyed: Server) -> Path:
    """The workspace of the person who is signed in."""
    made = keyed.data / "workspaces" / "1"
    made.mkdir(parents=True, exist_ok=True)
    return made


def card(page: Page, tool: str) -> Locator:
    return page.locator("details.tool").filter(has_text=tool)


def ask_for(page: Page, words: str) -> None:
    say(page, words)
    answered(page)


class TestCards:
    def test_22_a_card_says_all_in_one_line_and_is_closed_unless_it_failed(
        self, keyed: Server, upstream: Upstream, open_page: Open, folder: Path
    ) -> None:
        (folder / "notes.txt").write_text("seven bar")
        upstream.queue(
            calls(use("read_file", path="notes.txt"), use("read_file", path="none.txt")),
            says("Read."),
        )
        page = open_page(keyed)

        ask_for(page, "Read both")

        done, failed = card(page, "notes.txt"), card(page, "none.txt")
        expect(done.locator("summary strong")).to_have_text("read_file")
        expect(done.locator("summary")).to_contain_text("notes.txt")
        expect(done.locator(".state")).to_have_text(re.compile(r"^done · [\d.]+ s$"))
        assert not done.evaluate("(el) => el.open")
        assert failed.evaluate("(el) => el.open")
        expect(failed.locator(".state")).to_contain_text("failed")
        expect(failed.locator(".why")).to_be_visible()
        # One line: the summary is no taller than its least height.
        assert done.locator("summary").evaluate("(el) => el.offsetHeight") <= 44
        assert done.locator(".what").evaluate("(el) => getComputedStyle(el).whiteSpace") == "nowrap"

    def test_22_each_state_has_its_word(
        self, keyed: Server, upstream: Upstream, open_page: Open
    ) -> None:
        upstream.queue(
            calls(use("list_files"), use("write_file", path="a.txt", content="x")), says("Denied.")
        )
        page = open_page(keyed)
        say(page, "Write it")
        page.get_by_role("group", name="Approval needed").wait_for()

        expect(card(page, "list_files").locator(".state")).to_contain_text("done")
        page.get_by_role("button", name="Deny").click()
        answered(page)

        expect(card(page, "write_file").locator(".state")).to_have_text("denied")
        assert not card(page, "write_file").evaluate("(el) => el.open")


class TestRuns:
    def test_23_three_or_more_finished_calls_in_a_row_fold(
        self, keyed: Server, upstream: Upstream, open_page: Open, folder: Path
    ) -> None:
        (folder / "notes.txt").write_text("seven bar")
        good = [use("read_file", path="notes.txt") for _ in range(5)]
        bad = use("read_file", path="none.txt")
        pair = [use("list_files"), use("list_files")]
        upstream.queue(calls(*good, bad, *pair), says("Read."))
        page = open_page(keyed)

        ask_for(page, "Read it often")

        run = page.locator("details.run")
        expect(run).to_have_count(1)
        expect(run.locator("> summary")).to_have_text("Used 5 tools")
        expect(run.locator("details.tool")).to_have_count(5)
        expect(page.locator(".parts > .called")).to_have_count(3)
        expect(card(page, "none.txt")).to_be_visible()
        expect(run.locator("details.tool").first).to_be_hidden()
        run.locator("> summary").click()
        expect(run.locator("details.tool").first).to_be_visible()
        live = shown(page)
        page.reload()
        page.get_by_role("article", name="Claude").wait_for()
        assert shown(page) == live.replace('class="card run" open=""', 'class="card run"')

    def test_23_a_waiting_call_never_folds_and_a_focus_inside_goes_along(
        self, keyed: Server, upstream: Upstream, open_page: Open, folder: Path
    ) -> None:
        upstream.queue(
            calls(
                use("list_files"), use("list_files"), use("write_file", path="b.txt", content="b")
            ),
            says("Written."),
        )
        page = open_page(keyed)
        say(page, "List and write")
        gate = page.get_by_role("group", name="Approval needed")
        gate.wait_for()
        expect(page.locator("details.run")).to_have_count(0)
        expect(gate).to_be_visible()

        card(page, "list_files").first.locator("summary").focus()
        gate.get_by_role("button", name="Approve").click()
        answered(page)

        expect(page.locator("details.run > summary")).to_have_text("Used 3 tools")
        expect(page.locator("details.run > summary")).to_be_focused()


class TestOutput:
    def test_24_long_output_shows_its_first_twenty_lines_and_the_rest_on_request(
        self, keyed: Server, upstream: Upstream, open_page: Open, folder: Path
    ) -> None:
        lines = [f"line {n}" for n in range(1240)]
        (folder / "long.txt").write_text("\n".join(lines))
        (folder / "short.txt").write_text("\n".join(lines[:200]))
        upstream.queue(
            calls(use("read_file", path="long.txt"), use("read_file", path="short.txt")),
            says("Read."),
        )
        page = open_page(keyed)
        ask_for(page, "Read the long one")
        long = card(page, "long.txt")
        long.locator("summary").click()
        output = long.get_by_role("group", name="Output")

        assert output.inner_text().split("\n") == lines[:20]
        long.get_by_role("button", name="Show all (1,240 lines)").click()

        assert output.inner_text().split("\n") == lines
        expect(long.get_by_role("button")).to_have_count(0)
        assert (
            card(page, "short.txt")
            .locator("pre")
            .evaluate("(el) => el.textContent.split('\\n').length")
            == 200
        )

    def test_24_output_is_text_without_terminal_colours_and_never_markdown(
        self, keyed: Server, upstream: Upstream, open_page: Open, folder: Path
    ) -> None:
        (folder / "raw.txt").write_text("\x1b[31mred\x1b[0m **not bold** <b>no tag</b>")
        upstream.queue(calls(use("read_file", path="raw.txt")), says("Read."))
        page = open_page(keyed)
        ask_for(page, "Read the raw one")

        output = card(page, "raw.txt").locator("pre")

        assert output.evaluate("(el) => [el.textContent, el.childElementCount]") == [
            "red **not bold** <b>no tag</b>",
            0,
        ]


class TestScreenshots:
    @pytest.fixture(autouse=True)
    def picture(self, folder: Path) -> None:
        (folder / "shot.png").write_bytes(encoded(drawn(640, 400), "PNG"))

    def test_25_has_its_place_before_it_loads_and_moves_nothing(
        self, keyed: Server, upstream: Upstream, open_page: Open
    ) -> None:
        upstream.queue(calls(use("read_file", path="shot.png")), says("Seen."))
        page = open_page(keyed)
        let_go: list[Route] = []

        def hold(route: Route) -> None:
            let_go.append(route)

        page.route("**/images/*", hold)
        ask_for(page, "Show it")
        image = page.locator(".called img")
        expect(image).to_be_visible()
        measure = (
            "(el) => [el.offsetWidth, el.offsetHeight, document.querySelector('.log').offsetHeight]"
        )
        before = image.evaluate(measure)
        loaded = "(el) => el.complete && el.naturalWidth > 0"
        assert not image.evaluate(loaded)

        for route in let_go:
            route.continue_()
        page.unroute("**/images/*")
        page.wait_for_function(f"(el) => ({loaded})(el)", arg=image.element_handle())

        assert image.evaluate(measure) == before
        assert before[0] / before[1] == pytest.approx(640 / 400, rel=0.02)
        assert image.get_attribute("alt") == "Image from read_file"

    def test_25_opens_in_a_dialog_that_escape_closes_and_the_focus_returns(
        self, keyed: Server, upstream: Upstream, open_page: Open
    ) -> None:
        upstream.queue(calls(use("read_file", path="shot.png")), says("Seen."))
        page = open_page(keyed)
        ask_for(page, "Show it")
        opener = page.get_by_role("button", name="Open Image from read_file")

        opener.press("Enter")
        dialog = page.get_by_role("dialog", name="Image")
        expect(dialog.get_by_role("img")).to_have_attribute("alt", "Image from read_file")
        page.keyboard.press("Escape")

        expect(dialog).to_be_hidden()
        expect(opener).to_be_focused()

    def test_25_that_is_broken_says_so_and_can_be_tried_again(
        self, keyed: Server, upstream: Upstream, open_page: Open
    ) -> None:
        upstream.queue(calls(use("read_file", path="shot.png")), says("Seen."))
        page = open_page(keyed, expected="ERR_FAILED")
        page.route("**/images/*", lambda route: route.abort())
        ask_for(page, "Show it")
        lost = page.get_by_text("Image could not be loaded", exact=True)
        lost.wait_for()

        page.unroute("**/images/*")
        page.get_by_role("button", name="Retry").click()

        expect(page.locator(".called img")).to_be_visible()
        expect(lost).to_be_hidden()
