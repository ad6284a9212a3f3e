"""Requirements 15 to 20: what can be done with a message, when it was said, where its links lead, what stays in its box."""

import json
import re
from collections.abc import Iterator
from datetime import datetime
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.conftest import PATIENCE, Open, answered, findings, say, shown, sign_in
from tests.support.http import Client
from tests.support.server import Server
from tests.support.upstream import Upstream, fails, says

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]

MARKDOWN = "**Two** items:\n\n- one\n- two"
CODE = "def f():\n\treturn '\u00e9 <b>&amp;'  \n\n\n"


@pytest.fixture(scope="module")
def alice(keyed: Server) -> Client:
    """A program with the account's token, beside the page."""
    return keyed.user("words")


def opened(open_page: Open, keyed: Server, **options: Any) -> Page:
    page = open_page(keyed, user="words", **options)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"], origin=keyed.address)
    return page


def ask(page: Page, upstream: Upstream, words: str, answer: str) -> None:
    upstream.queue(says(answer))
    say(page, words)
    expect(page.get_by_role("article", name="Claude").last).to_be_visible()
    answered(page)
    expect(page.locator(".turn.last").last).to_be_visible()


def clipboard(page: Page) -> str:
    return str(page.evaluate("navigator.clipboard.readText()"))


def stored(alice: Client, page: Page) -> list[dict[str, Any]]:
    """Return the messages as the server has them."""
    cid = page.url.rsplit("/", 1)[1]
    messages: list[dict[str, Any]] = alice.get(f"/api/conversations/{cid}").json["messages"]
    return messages


def texts(messages: list[dict[str, Any]]) -> list[str]:
    """Return the last text of each message."""
    return [message["content"][-1]["text"] for message in messages]


def turn(page: Page, role: str) -> Locator:
    return page.locator(".turn", has=page.get_by_role("article", name=role, exact=True)).last


@pytest.mark.usefixtures("alice")
class TestActions:
    def test_15_copies_the_markdown_of_an_answer_and_the_words_of_a_person(
        self, keyed: Server, upstream: Upstream, open_page: Open
    ) -> None:
        page = opened(open_page, keyed)
        ask(page, upstream, "*as* typed\n  it", MARKDOWN)

        copy = turn(page, "Claude").get_by_role("button", name="Copy", exact=True)
        copy.click()
        expect(turn(page, "Claude").get_by_role("button", name="Copied")).to_be_visible()
        assert clipboard(page) == MARKDOWN
        expect(page.locator("#polite")).to_contain_text("Copied")

        turn(page, "You").get_by_role("button", name="Copy", exact=True).click()
        expect(turn(page, "You").get_by_role("button", name="Copied")).to_be_visible()
        assert clipboard(page) == "*as* typed\n  it"

    def test_15_an_edited_message_replaces_the_last_one_and_its_answer(
        self, keyed: Server, upstream: Upstream, open_page: Open, alice: Client
    ) -> None:
        page = opened(open_page, keyed)
        ask(page, upstream, "first", "One.")
        ask(page, upstream, "secnod", "What?")
        box = page.get_by_role("textbox", name="Message Claude")

        turn(page, "You").get_by_role("button", name="Edit", exact=True).click()
        expect(box).to_have_value("secnod")
        expect(box).to_be_focused()
        expect(
            page.get_by_role("main").get_by_text("You are editing your last message.")
        ).to_be_visible()
        expect(page.locator("#polite")).to_contain_text("You are editing your last message.")
        ask(page, upstream, "second", "Two.")

        expect(
            page.get_by_role("main").get_by_text("You are editing your last message.")
        ).to_be_hidden()
        expect(page.get_by_role("article", name="You")).to_have_text(["first", "second"])
        expect(page.get_by_role("article", name="Claude")).to_have_text(["One.", "Two."])
        assert texts(stored(alice, page)) == ["first", "One.", "second", "Two."]
        live = shown(page)
        page.reload()
        page.get_by_role("article", name="Claude").first.wait_for()
        expect(page.locator(".turn.last").last).to_be_visible()
        assert shown(page) == live

    def test_15_what_stood_in_the_box_comes_back_when_editing_stops(
        self, keyed: Server, upstream: Upstream, open_page: Open
    ) -> None:
        page = opened(open_page, keyed)
        ask(page, upstream, "first", "One.")
        box = page.get_by_role("textbox", name="Message Claude")
        box.fill("half a thought")

        turn(page, "You").get_by_role("button", name="Edit", exact=True).click()
        expect(box).to_have_value("first")
        box.fill("")
        expect(
            page.get_by_role("main").get_by_text("You are editing your last message.")
        ).to_be_visible()
        box.press("Escape")

        expect(box).to_have_value("half a thought")
        expect(
            page.get_by_role("main").get_by_text("You are editing your last message.")
        ).to_be_hidden()

    def test_15_regenerate_asks_again_in_place_of_the_last_answer(
        self, keyed: Server, upstream: Upstream, open_page: Open, alice: Client
    ) -> None:
        page = opened(open_page, keyed)
        ask(page, upstream, "first", "One.")
        ask(page, upstream, "second", "Too short.")
        before = len(upstream.bodies)
        upstream.queue(says("Two, at length."))

        turn(page, "Claude").get_by_role("button", name="Regenerate").click()

        expect(page.get_by_role("article", name="Claude")).to_have_text(["One.", "Two, at length."])
        answered(page)
        assert texts(stored(alice, page)) == ["first", "One.", "second", "Two, at length."]
        asked = upstream.bodies[before]["messages"]
        assert "Too short." not in json.dumps(asked)
        assert [message["role"] for message in asked] == ["user", "assistant", "user"]

    def test_15_only_the_last_ones_can_be_edited_or_answered_anew(
        self, keyed: Server, upstream: Upstream, open_page: Open
    ) -> None:
        page = opened(open_page, keyed)
        ask(page, upstream, "first", "One.")
        ask(page, upstream, "second", "Two.")

        expect(page.get_by_role("button", name="Edit", exact=True)).to_have_count(1)
        expect(page.get_by_role("button", name="Regenerate")).to_have_count(1)
        expect(page.get_by_role("button", name="Copy", exact=True)).to_have_count(4)
        upstream.queue(says("A long answer.", hold_after=1))
        upstream.hold()
        say(page, "third")
        page.get_by_role("button", name="Stop").wait_for()
        expect(page.get_by_role("button", name="Edit", exact=True)).to_have_count(0)
        expect(page.get_by_role("button", name="Regenerate")).to_have_count(0)
        upstream.release()
        answered(page)
        expect(page.get_by_role("button", name="Edit", exact=True)).to_have_count(1)

    def test_15_an_answer_that_was_stopped_can_be_asked_for_again(
        self, keyed: Server, upstream: Upstream, open_page: Open, alice: Client
    ) -> None:
        page = opened(open_page, keyed)
        upstream.hold()
        upstream.queue(says("One, and a long way to go.", hold_after=1), says("One."))
        say(page, "first")
        page.locator("article.claude .md").wait_for()
        page.get_by_role("button", name="Stop").click()
        expect(page.locator(".outcome:visible")).to_have_text(re.compile("Stopped"))
        expect(page.get_by_role("button", name="Retry", exact=True)).to_have_count(0)

        page.get_by_role("button", name="Regenerate").click()

        expect(page.get_by_role("article", name="Claude")).to_have_text(["One."])
        answered(page)
        upstream.release()
        assert texts(stored(alice, page)) == ["first", "One."]

    def test_15_retry_asks_again_after_a_failure(
        self, keyed: Server, upstream: Upstream, open_page: Open, alice: Client
    ) -> None:
        page = opened(open_page, keyed)
        upstream.queue(fails("invalid_request_error", status=400))
        say(page, "first")
        retry = page.get_by_role("button", name="Retry", exact=True)
        expect(retry).to_be_visible()
        expect(page.get_by_role("button", name="Regenerate")).to_have_count(0)

        upstream.queue(says("One."))
        retry.click()

        expect(page.get_by_role("article", name="Claude")).to_have_text(["One."])
        answered(page)
        expect(page.get_by_role("article", name="You")).to_have_text(["first"])
        assert texts(stored(alice, page)) == ["first", "One."]

    def test_15_an_edit_of_what_has_changed_meanwhile_keeps_the_words_and_shows_what_is_there(
        self, keyed: Server, upstream: Upstream, open_page: Open, alice: Client
    ) -> None:
        page = opened(open_page, keyed)
        ask(page, upstream, "first", "One.")
        box = page.get_by_role("textbox", name="Message Claude")
        turn(page, "You").get_by_role("button", name="Edit", exact=True).click()
        expect(box).to_have_value("first")

        cid = page.url.rsplit("/", 1)[1]
        others = [
            {"role": "user", "content": "from a phone"},
            {"role": "assistant", "content": "Yes."},
        ]
        assert alice.request("PUT", f"/api/conversations/{cid}", {"messages": others}).status == 200
        box.fill("first, edited")
        box.press("Enter")

        expect(
            page.get_by_role("main").get_by_text(
                "It was loaded again, and your words are in the message box."
            )
        ).to_have_count(1)
        expect(page.get_by_role("article", name="You")).to_have_text(["from a phone"])
        expect(box).to_have_value("first, edited")
        assert stored(alice, page) == others
        ask(page, upstream, "first, edited", "Both.")
        assert texts(stored(alice, page)[2:]) == ["first, edited", "Both."]

    def test_15_an_answer_to_what_is_no_more_there_is_not_asked_for(
        self, keyed: Server, upstream: Upstream, open_page: Open, alice: Client
    ) -> None:
        page = opened(open_page, keyed)
        ask(page, upstream, "first", "One.")
        cid = page.url.rsplit("/", 1)[1]
        others = [
            {"role": "user", "content": "from a phone"},
            {"role": "assistant", "content": "Yes."},
        ]
        page.route(
            "**/api/conversations?since=*", lambda route: None
        )  # the page has not heard of it
        before = len(upstream.bodies)
        assert alice.request("PUT", f"/api/conversations/{cid}", {"messages": others}).status == 200

        turn(page, "Claude").get_by_role("button", name="Regenerate").click()

        expect(
            page.get_by_role("main").get_by_text(
                "This conversation has changed meanwhile. It was loaded again."
            )
        ).to_be_visible()
        expect(page.get_by_role("article", name="You")).to_have_text(["from a phone"])
        assert len(upstream.bodies) == before
        assert stored(alice, page) == others

    def test_15_an_edit_that_failed_before_a_word_came_can_be_tried_again(
        self, keyed: Server, upstream: Upstream, open_page: Open, alice: Client
    ) -> None:
        page = opened(open_page, keyed)
        ask(page, upstream, "frist", "What?")
        turn(page, "You").get_by_role("button", name="Edit", exact=True).click()
        expect(page.get_by_role("textbox", name="Message Claude")).to_have_value("frist")
        upstream.queue(fails("invalid_request_error", status=400))
        say(page, "first")
        retry = page.get_by_role("button", name="Retry", exact=True)
        expect(retry).to_be_visible()
        assert texts(stored(alice, page)) == ["frist", "What?"]

        upstream.queue(says("One."))
        retry.click()

        expect(page.get_by_role("article", name="Claude")).to_have_text(["One."])
        answered(page)
        expect(page.get_by_role("article", name="You")).to_have_text(["first"])
        assert texts(stored(alice, page)) == ["first", "One."]

    def test_15_actions_are_reached_by_tab_and_shown_on_hover_and_focus(
        self, keyed: Server, upstream: Upstream, open_page: Open
    ) -> None:
        page = opened(open_page, keyed)
        ask(page, upstream, "first", "One.")
        ask(page, upstream, "second", "Two.")
        first = page.locator(".turn").nth(1)
        acts = first.locator(".acts")
        page.mouse.move(0, 0)

        expect(acts).to_have_css("opacity", "0")
        first.hover()
        expect(acts).to_have_css("opacity", "1")
        page.mouse.move(0, 0)
        expect(acts).to_have_css("opacity", "0")

        page.get_by_role("region", name="Transcript").focus()
        reached = []
        for _ in range(8):
            page.keyboard.press("Tab")
            reached.append(page.evaluate("document.activeElement.textContent.trim()"))
            if page.evaluate(
                "document.activeElement.closest('.turn') === document.querySelectorAll('.turn')[1]"
            ):
                expect(acts).to_have_css("opacity", "1")
        assert reached[:6] == ["Copy", "Copy", "Copy", "Edit", "Copy", "Regenerate"]
        assert findings(page) == []

    def test_15_actions_are_always_shown_on_touch(
        self, keyed: Server, upstream: Upstream, open_page: Open, phone: Page
    ) -> None:
        page = phone
        ask(page, upstream, "first", "One.")
        ask(page, upstream, "second", "Two.")

        for acts in page.locator(".acts").all():
            expect(acts).to_have_css("opacity", "1")


@pytest.fixture
def phone(chromium: Browser, keyed: Server, alice: Client) -> Iterator[Page]:
    context = chromium.new_context(
        viewport={"width": 390, "height": 844},
        has_touch=True,
        is_mobile=True,
        base_url=keyed.address,
    )
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    sign_in(page, user="words")
    yield page
    context.close()


@pytest.mark.usefixtures("alice")
class TestCode:
    def test_16_copies_a_block_byte_for_byte_and_says_so(
        self, keyed: Server, upstream: Upstream, open_page: Open
    ) -> None:
        page = opened(open_page, keyed)
        plain = "no language\n"
        ask(page, upstream, "code", f"```python\n{CODE}```\n\nand\n\n```\n{plain}```")
        blocks = page.locator("figure.code")

        expect(blocks.locator("figcaption span")).to_have_text(["python", "text"])
        for block, source in zip(blocks.all(), (CODE, plain), strict=True):
            block.get_by_role("button", name="Copy").click()
            expect(block.get_by_role("button")).to_have_text("Copied")
            expect(page.locator("#polite")).to_contain_text("Copied")
            assert clipboard(page) == source

        expect(blocks.first.get_by_role("button")).to_have_text("Copy", timeout=10_000)


@pytest.mark.usefixtures("alice")
class TestTimes:
    def test_17_stand_below_each_message_short_and_in_full(
        self, keyed: Server, upstream: Upstream, open_page: Open
    ) -> None:
        page = opened(open_page, keyed)
        ask(page, upstream, "when?", "Now.")

        times = page.locator(".meta time")
        expect(times).to_have_count(2)
        for time in times.all():
            expect(time).to_have_text(re.compile(r"^\d\d:\d\d$"))
            said = datetime.fromisoformat(str(time.get_attribute("datetime")))
            full = str(time.get_attribute("title"))
            assert str(said.year) in full
            assert re.search(r"GMT|UTC|[A-Z]{3,4}\b", full)
            local = page.evaluate(
                "(iso) => new Date(iso).toTimeString().slice(0, 5)", said.isoformat()
            )
            assert time.inner_text() == local
        live = shown(page)
        page.reload()
        expect(times).to_have_count(2)
        expect(page.locator(".turn.last").last).to_be_visible()
        assert shown(page) == live

    def test_17_days_are_told_apart(
        self, keyed: Server, upstream: Upstream, open_page: Open, alice: Client
    ) -> None:
        page = opened(open_page, keyed)
        ask(page, upstream, "one", "One.")
        ask(page, upstream, "two", "Two.")
        expect(page.locator(".day")).to_have_count(1)
        cid = page.url.rsplit("/", 1)[1]
        move_back(keyed, cid)

        page = opened(open_page, keyed, path=f"/c/{cid}")

        expect(page.locator(".day")).to_have_count(2)
        first, second = page.locator(".day time").all()
        assert str(first.get_attribute("datetime")) < str(second.get_attribute("datetime"))
        expect(first).to_have_text(re.compile(r"^[A-Z]\w+day, [A-Z]\w+ \d{1,2}, \d{4}$"))
        assert page.locator(".turn").nth(2).locator(".day").count() == 1


def move_back(server: Server, cid: str) -> None:
    """Let a conversation's first message have been said three days earlier."""
    server.manage(
        "shell", "--no-imports", "-c",
        "from history.models import Conversation\n"
        f"row = Conversation.objects.get(cid={cid!r})\n"
        "row.facts['messages'][0]['at'] -= 3 * 86_400_000\n"
        "Conversation.objects.filter(pk=row.pk).update(facts=row.facts)\n",
    )  # fmt: skip


@pytest.mark.usefixtures("alice")
class TestLinks:
    def test_18_lead_out_in_a_new_tab_and_nothing_else_is_one(
        self, keyed: Server, upstream: Upstream, open_page: Open
    ) -> None:
        page = opened(open_page, keyed)
        requests: list[str] = []
        page.on("request", lambda request: requests.append(request.url))
        ask(
            page,
            upstream,
            "links",
            "[out](https://example.test/a) [script](javascript:alert(1)) [data](data:text/html,x) [file](file:///etc/passwd) "
            "[near](/accounts/) [here](#x) ![a picture](https://example.test/p.png) https://example.test/bare <b>raw</b>",
        )

        links = page.locator("article.claude a")
        expect(links).to_have_text(["out", "a picture", "https://example.test/bare"])
        for link in links.all():
            expect(link).to_have_attribute("target", "_blank")
            expect(link).to_have_attribute("rel", "noopener noreferrer nofollow")
        expect(page.locator("article.claude img")).to_have_count(0)
        text = page.locator("article.claude .md").inner_text()
        for words in ("script", "data", "file", "near", "here", "<b>raw"):
            assert words in text
        assert [url for url in requests if "example.test" in url] == []


@pytest.mark.usefixtures("alice")
class TestWide:
    WIDE = "\n".join(
        [
            "| " + " | ".join(f"column{n}" for n in range(20)) + " |",
            "|" + "---|" * 20,
            "| " + " | ".join(f"value-{n}" for n in range(20)) + " |",
            "",
            "```text",
            "x" * 400,
            "```",
            "",
            "$$",
            " + ".join(f"x_{{{n}}}" for n in range(60)),
            "$$",
            "",
            "and " + "y" * 300,
        ]
    )

    @pytest.mark.parametrize("wide", [320, 390, 768, 1280])
    def test_19_tables_code_and_formulas_scroll_in_their_box_by_keyboard(
        self, keyed: Server, upstream: Upstream, open_page: Open, wide: int
    ) -> None:
        page = opened(open_page, keyed, wide=wide)
        ask(page, upstream, "wide " * 60, self.WIDE)

        assert page.evaluate("document.documentElement.scrollWidth") <= wide
        assert (
            page.evaluate(
                "(() => { const box = document.querySelector('.scroll'); return box.scrollWidth - box.clientWidth; })()"
            )
            <= 0
        )
        for name in ("Table", "text code", "Formula"):
            box = page.get_by_role("group", name=name)
            assert box.evaluate("(el) => el.scrollWidth > el.clientWidth"), name
            box.focus()
            expect(box).to_be_focused()
            page.keyboard.press("ArrowRight")
            page.wait_for_function("(el) => el.scrollLeft > 0", arg=box.element_handle())
        assert findings(page) == []


@pytest.mark.usefixtures("alice")
class TestDirection:
    def test_20_each_block_has_its_own(
        self, keyed: Server, upstream: Upstream, open_page: Open
    ) -> None:
        page = opened(open_page, keyed)
        ask(
            page,
            upstream,
            "\u05e9\u05dc\u05d5\u05dd\nhello",
            "\u05e9\u05dc\u05d5\u05dd \u05e2\u05d5\u05dc\u05dd\n\n- one\n- \u05d0\u05d7\u05d3\n\n| a | \u05d1 |\n|---|---|\n| \u05d2 | d |\n\n> quote\n\n# \u05e8\u05d0\u05e9",
        )

        blocks = page.locator("article.claude .md").locator("p, li, blockquote, td, th, h2")
        assert blocks.count() >= 9
        for block in blocks.all():
            expect(block).to_have_attribute("dir", "auto")
        direction = "(el) => getComputedStyle(el).direction"
        assert blocks.filter(has_text="\u05e2\u05d5\u05dc\u05dd").first.evaluate(direction) == "rtl"
        assert page.locator("article li", has_text="one").evaluate(direction) == "ltr"
        assert (
            page.locator("article li", has_text="\u05d0\u05d7\u05d3").evaluate(direction) == "rtl"
        )
        expect(page.locator("article.user .words")).to_have_attribute("dir", "auto")
        expect(page.locator("article.user .words")).to_have_css("unicode-bidi", "plaintext")


@pytest.mark.usefixtures("alice")
class TestFormulas:
    def test_are_drawn_as_mathml_while_they_come_and_after_a_reload(
        self, keyed: Server, upstream: Upstream, open_page: Open
    ) -> None:
        page = opened(open_page, keyed)
        ask(
            page,
            upstream,
            "maths",
            "Since $x^2 \\geq 0$:\n\n$$\n\\frac{a}{b} \\leq \\sqrt{2}\n$$\n\nIt costs $5 and $10.",
        )

        formulas = page.locator("article.claude math")
        expect(formulas).to_have_count(2)
        assert (
            formulas.first.evaluate("(el) => el.namespaceURI")
            == "http://www.w3.org/1998/Math/MathML"
        )
        assert (
            formulas.first.evaluate(
                "(el) => el.querySelector('msup').getBoundingClientRect().width"
            )
            > 0
        )
        expect(page.locator("article.claude .md p").last).to_have_text("It costs $5 and $10.")
        assert findings(page) == []
        live = shown(page)
        page.reload()
        expect(formulas).to_have_count(2)
        expect(page.locator(".turn.last").last).to_be_visible()
        assert shown(page) == live
