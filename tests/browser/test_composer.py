"""Requirements 32, 33, 36 and 37: writing and sending, images that go along, and typing on while Claude answers."""

import base64
import io

import pytest
from PIL import Image
from playwright.sync_api import FilePayload, Locator, Page, expect

from tests.browser.conftest import Open, answered, findings, say
from tests.support.http import Client
from tests.support.server import Server
from tests.support.upstream import Upstream, says

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]


@pytest.fixture(scope="module")
def writer(keyed: Server) -> Client:
    return keyed.user("writer")


@pytest.fixture
def page(keyed: Server, writer: Client, upstream: Upstream, open_page: Open) -> Page:
    """A new chat of an account of this file's own."""
    return open_page(keyed, user="writer")


@pytest.fixture
def box(page: Page) -> Locator:
    return page.get_by_role("textbox", name="Message Claude")


def png(size: int = 8) -> bytes:
    file = io.BytesIO()
    Image.new("RGB", (size, size), "teal").save(file, "PNG")
    return file.getvalue()


def prefer(writer: Client, **choices: str | None) -> None:
    assert writer.request("PATCH", "/api/preferences", choices).status == 200


class TestKeys:
    def test_32_enter_sends_and_shift_enter_breaks(self, page: Page, box: Locator) -> None:
        box.press_sequentially("one")
        box.press("Shift+Enter")
        box.press_sequentially("two")
        expect(box).to_have_value("one\ntwo")
        expect(page.get_by_role("article", name="You")).to_have_count(0)

        box.press("Enter")

        expect(page.get_by_role("article", name="You").locator(".words")).to_have_text("one\ntwo")
        expect(box).to_have_value("")
        answered(page)

    def test_32_nothing_is_sent_while_a_word_is_being_composed(
        self, page: Page, box: Locator
    ) -> None:
        session = page.context.new_cdp_session(page)
        box.focus()
        session.send(
            "Input.imeSetComposition", {"text": "ni", "selectionStart": 2, "selectionEnd": 2}
        )
        expect(box).to_have_value("ni")

        # The key that takes a suggestion arrives as part of the composition.
        page.evaluate(
            """() => document.activeElement.dispatchEvent(
                new KeyboardEvent("keydown", { key: "Enter", isComposing: true, bubbles: true, cancelable: true }))"""
        )
        page.evaluate(
            """() => document.activeElement.dispatchEvent(
                new KeyboardEvent("keydown", { key: "Enter", keyCode: 229, bubbles: true, cancelable: true }))"""
        )
        session.send("Input.insertText", {"text": "\u4f60"})

        expect(box).to_have_value("\u4f60")
        expect(page.get_by_role("article", name="You")).to_have_count(0)
        box.press("Enter")
        expect(page.get_by_role("article", name="You")).to_have_text(["\u4f60"])
        answered(page)

    def test_32_a_setting_turns_the_keys_round(
        self, keyed: Server, writer: Client, upstream: Upstream, open_page: Open
    ) -> None:
        prefer(writer, sendKey="ctrl")
        page = open_page(keyed, user="writer")
        box = page.get_by_role("textbox", name="Message Claude")
        try:
            expect(page.get_by_text("Ctrl+Enter sends · Enter makes a new line")).to_be_visible()
            box.press_sequentially("one")
            box.press("Enter")
            box.press_sequentially("two")
            expect(box).to_have_value("one\ntwo")
            expect(page.get_by_role("article", name="You")).to_have_count(0)

            box.press("Control+Enter")

            expect(page.get_by_role("article", name="You").locator(".words")).to_have_text(
                "one\ntwo"
            )
            answered(page)
        finally:
            prefer(writer, sendKey=None)


class TestTheBox:
    @pytest.mark.parametrize("wide", [390, 1280])
    def test_33_grows_to_two_fifths_of_the_height_and_then_scrolls(
        self, keyed: Server, writer: Client, open_page: Open, wide: int
    ) -> None:
        page = open_page(keyed, user="writer", wide=wide)
        box = page.get_by_role("textbox", name="Message Claude")
        one = box.bounding_box()
        assert one is not None

        box.fill("a\nb\nc\nd")
        four = box.bounding_box()
        assert four is not None
        assert four["height"] > one["height"] + 40
        assert box.evaluate("(el) => el.scrollHeight - el.clientHeight") <= 1

        box.fill("line\n" * 200)
        full = box.bounding_box()
        assert full is not None
        assert abs(full["height"] - 0.4 * 844) <= 2
        assert box.evaluate("(el) => el.scrollHeight > el.clientHeight")
        box.fill("")
        expect(box).to_have_css("height", f"{one['height']:g}px")

    def test_33_keeps_the_focus_after_sending(self, page: Page, box: Locator) -> None:
        say(page, "one")
        expect(box).to_be_focused()
        answered(page)
        box.fill("two")
        page.get_by_role("button", name="Send", exact=True).click()
        expect(page.get_by_role("article", name="You")).to_have_text(["one", "two"])
        expect(box).to_be_focused()
        answered(page)

    def test_33_arrow_up_in_an_empty_box_edits_the_last_message(
        self, page: Page, box: Locator, upstream: Upstream
    ) -> None:
        upstream.queue(says("One."), says("Two."))
        say(page, "first")
        answered(page)
        expect(page.locator(".turn.last").last).to_be_visible()
        box.fill("typed")
        box.press("ArrowUp")
        expect(
            page.get_by_role("main").get_by_text("You are editing your last message.")
        ).to_be_hidden()
        box.fill("")

        box.press("ArrowUp")

        expect(box).to_have_value("first")
        assert findings(page) == []
        box.fill("second")
        box.press("Enter")
        expect(page.get_by_role("article", name="You")).to_have_text(["second"])
        expect(page.get_by_role("article", name="Claude")).to_have_text(["Two."])
        answered(page)

    def test_33_arrow_up_brings_the_images_back_too(
        self, page: Page, box: Locator, upstream: Upstream
    ) -> None:
        upstream.queue(says("One."), says("Two."))
        page.locator("input[type=file]").set_input_files(
            {"name": "dot.png", "mimeType": "image/png", "buffer": png(64)}
        )
        expect(page.locator(".attached img")).to_have_count(1)
        say(page, "look")
        answered(page)
        expect(page.locator(".turn.last").last).to_be_visible()

        box.press("ArrowUp")
        expect(box).to_have_value("look")
        expect(page.locator(".attached img")).to_have_count(1)
        before = len(upstream.bodies)
        box.fill("look again")
        box.press("Enter")

        expect(page.get_by_role("article", name="You").locator(".words")).to_have_text(
            ["look again"]
        )
        expect(page.locator("article.user img")).to_have_count(1)
        answered(page)
        (asked,) = upstream.bodies[before]["messages"]
        image = next(block for block in asked["content"] if block["type"] == "image")
        assert base64.b64decode(image["source"]["data"])[:4] == b"\x89PNG"


class TestWhileClaudeAnswers:
    def test_36_one_can_type_on_and_take_back_what_waits(
        self, page: Page, box: Locator, upstream: Upstream
    ) -> None:
        before = len(upstream.bodies)
        upstream.hold()
        upstream.queue(says("A long answer that waits.", hold_after=1), says("To the second."))
        say(page, "first")
        page.get_by_role("button", name="Stop").wait_for()
        box.press_sequentially("sec")
        expect(page.get_by_text("Sent when Claude has finished")).to_be_visible()
        box.press_sequentially("ond")
        box.press("Enter")
        say(page, "third")

        waiting = page.locator(".turn", has_text="Waiting to be sent")
        expect(waiting.locator(".words")).to_have_text(["second", "third"])
        expect(box).to_be_focused()
        expect(box).to_have_value("")
        assert len(upstream.bodies) <= before + 1
        waiting.last.get_by_role("button", name="Cancel").click()
        expect(waiting.locator(".words")).to_have_text(["second"])
        expect(box).to_have_value("third")
        assert findings(page) == []
        upstream.release()

        expect(page.get_by_role("article", name="Claude")).to_have_text(
            ["A long answer that waits.", "To the second."]
        )
        expect(waiting).to_have_count(0)
        expect(page.get_by_role("article", name="You")).to_have_text(["first", "second"])
        answered(page)


class TestLimits:
    def test_37_text_over_the_limit_shows_by_how_much_and_stays(
        self, page: Page, box: Locator
    ) -> None:
        page.evaluate(
            "(n) => { const box = document.querySelector('#message'); box.value = 'x'.repeat(n); box.dispatchEvent(new Event('input')); }",
            400_005,
        )

        hint = page.locator("#hint")
        expect(hint).to_have_text("The message is 5 characters too long.")
        expect(box).to_have_attribute("aria-invalid", "true")
        expect(page.locator("#polite")).to_contain_text("5 characters too long")
        box.press("Enter")
        expect(page.get_by_role("article", name="You")).to_have_count(0)
        assert box.evaluate("(el) => el.value.length") == 400_005
        for _ in range(5):
            box.press("Backspace")
        expect(hint).to_have_text("Enter sends · Shift+Enter makes a new line")
        expect(box).to_have_attribute("aria-invalid", "false")

    def test_37_characters_are_counted_as_the_server_counts_them(
        self, page: Page, box: Locator
    ) -> None:
        """An emoji is two units of JavaScript's and one character."""
        page.evaluate(
            "() => { const box = document.querySelector('#message'); box.value = '\U0001f600'.repeat(399_999); box.dispatchEvent(new Event('input')); }"
        )

        expect(page.locator("#hint")).to_have_text("Enter sends · Shift+Enter makes a new line")


class TestImages:
    def test_37_a_chosen_pasted_or_dropped_image_shows_a_preview_with_remove(
        self, page: Page, box: Locator, upstream: Upstream
    ) -> None:
        previews = page.locator(".attached img")
        page.locator("input[type=file]").set_input_files(
            {"name": "chosen.png", "mimeType": "image/png", "buffer": png()}
        )
        expect(previews).to_have_count(1)
        bring(page, "paste", "pasted.png")
        expect(previews).to_have_count(2)
        bring(page, "drop", "dropped.png")
        expect(previews).to_have_count(3)
        for preview in previews.all():
            assert preview.evaluate("(el) => el.decode().then(() => el.naturalWidth)") == 8
        assert findings(page) == []

        page.get_by_role("button", name="Remove pasted.png").click()
        expect(previews).to_have_count(2)
        expect(box).to_be_focused()
        before = len(upstream.bodies)
        box.press("Enter")

        expect(page.locator("article.user img")).to_have_count(2)
        expect(previews).to_have_count(0)
        answered(page)
        (asked,) = upstream.bodies[before]["messages"]
        assert [block["type"] for block in asked["content"]].count("image") == 2

    def test_37_the_button_opens_the_choice_of_files(self, page: Page) -> None:
        with page.expect_file_chooser() as chosen:
            page.get_by_role("button", name="Add images").click()

        assert chosen.value.is_multiple()

    def test_37_what_is_no_image_is_refused_in_a_sentence(self, page: Page, box: Locator) -> None:
        box.fill("kept")

        bring(page, "drop", "notes.svg", kind="image/svg+xml")

        expect(
            page.get_by_role("main").get_by_text("Only images (PNG, JPEG, GIF, WebP) can be sent")
        ).to_be_visible()
        expect(page.locator(".attached img")).to_have_count(0)
        expect(box).to_have_value("kept")

    def test_37_more_images_than_a_message_takes_are_left_out_and_said(self, page: Page) -> None:
        images: list[FilePayload] = [
            {"name": f"{n}.png", "mimeType": "image/png", "buffer": png()} for n in range(22)
        ]
        page.locator("input[type=file]").set_input_files(images)

        expect(page.locator(".attached img")).to_have_count(20)
        expect(page.get_by_text("A message takes at most 20 images.")).to_be_visible()

    def test_37_text_that_is_pasted_is_text(self, page: Page, box: Locator) -> None:
        page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        page.evaluate("navigator.clipboard.writeText('from elsewhere')")
        box.focus()
        page.keyboard.press("Control+V")

        expect(box).to_have_value("from elsewhere")


def bring(page: Page, how: str, name: str, *, kind: str = "image/png") -> None:
    """Paste or drop a file."""
    page.evaluate(
        """([how, name, kind, data]) => {
            const bytes = Uint8Array.from(atob(data), (char) => char.charCodeAt(0));
            const files = new DataTransfer();
            files.items.add(new File([bytes], name, { type: kind }));
            const about = { bubbles: true, cancelable: true };
            const event = how === "paste" ? new ClipboardEvent("paste", { ...about, clipboardData: files }) : new DragEvent("drop", { ...about, dataTransfer: files });
            (how === "paste" ? document.querySelector("#message") : document.querySelector(".scroll")).dispatchEvent(event);
        }""",
        [how, name, kind, base64.b64encode(png()).decode()],
    )
