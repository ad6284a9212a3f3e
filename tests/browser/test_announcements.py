"""What a screen reader is told of an answer, and how an old page becomes a new one without anybody losing anything."""

import itertools
import json
import re
from typing import Any

import pytest
from playwright.sync_api import Page, WebSocketRoute, expect

from tests.browser.conftest import Open, answered, say
from tests.browser.scenes import Stage, denied, empty, gate, released, streaming
from tests.support.server import Server
from tests.support.upstream import Upstream, says

pytestmark = [pytest.mark.browser, pytest.mark.timeout(180)]
ANSWER = "The **inlet** reads fine.\n\n```python\nx = 1\ny = 2\n```\n\nThat is all."
LISTEN = """() => {
  window.heard = [];
  for (const id of ["polite", "urgent"]) {
    new MutationObserver((changes) => {
      for (const { addedNodes } of changes) for (const node of addedNodes) window.heard.push([id, node.textContent, performance.now()]);
    }).observe(document.getElementById(id), { childList: true });
  }
}"""


def heard(page: Page, *, last: str) -> list[tuple[str, str, float]]:
    """Wait until something was said and return all that was, from where `LISTEN` ran on."""
    page.wait_for_function("(last) => heard.some(([, text]) => text === last)", arg=last)
    return [(where, text, at) for where, text, at in page.evaluate("heard")]


class TestAnnouncements:
    def test_57_say_whole_blocks_one_a_second_and_only_name_code(
        self, keyed: Server, upstream: Upstream, open_page: Open
    ) -> None:
        page = open_page(keyed)
        page.evaluate(LISTEN)

        upstream.queue(says(ANSWER))
        say(page, "How is it?")
        said = heard(page, last="Answer complete")

        assert [(where, text) for where, text, _ in said] == [
            ("polite", "Claude is answering"),
            ("polite", "The inlet reads fine."),
            ("polite", "Code, python, 2 lines."),
            ("polite", "That is all."),
            ("polite", "Answer complete"),
        ]
        times = [at for _, _, at in said]
        assert min(b - a for a, b in itertools.pairwise(times)) >= 900

    def test_57_leave_the_transcript_alone(
        self, keyed: Server, upstream: Upstream, open_page: Open
    ) -> None:
        page = open_page(keyed)
        stage = Stage(page, keyed, upstream)

        streaming(stage)
        live = page.locator("main :is([aria-live], [role=log], [role=alert], [role=status])")
        expect(page.get_by_role("article", name="Claude")).to_have_attribute("aria-busy", "true")
        assert live.count() == 0
        released(stage)

        expect(page.get_by_role("article", name="Claude")).not_to_have_attribute(
            "aria-busy", "true"
        )

    def test_57_tell_at_once_that_an_approval_is_needed(
        self, keyed: Server, upstream: Upstream, open_page: Open
    ) -> None:
        page = open_page(keyed)
        stage = Stage(page, keyed, upstream)

        empty(stage)
        page.evaluate(LISTEN)
        gate(stage, fresh=False)
        urgent = [text for where, text, _ in page.evaluate("heard") if where == "urgent"]
        denied(stage)

        assert urgent == ["Approval needed for write_file in Write the readings down"]

    def test_57_tell_start_and_end_alone_where_that_is_chosen(
        self, keyed: Server, upstream: Upstream, open_page: Open
    ) -> None:
        keyed.user("brief")
        page = open_page(keyed, user="brief")
        page.keyboard.press("Control+,")
        page.get_by_label("Only start and end").check()
        page.keyboard.press("Escape")
        page.evaluate(LISTEN)

        upstream.queue(says(ANSWER))
        say(page, "How is it?")

        assert [text for _, text, _ in heard(page, last="Answer complete")] == [
            "Claude is answering",
            "Answer complete",
        ]


def age(page: Page) -> None:
    """Let every greeting name a version of the page that is newer than the page."""

    def meet(socket: WebSocketRoute) -> None:
        server = socket.connect_to_server()

        def told(message: str | bytes) -> None:
            frame: dict[str, Any] = json.loads(message)
            if frame["type"] == "hello":
                frame["static"] = "/static/newer/"
            socket.send(json.dumps(frame))

        server.on_message(told)
        socket.on_message(server.send)

    page.route_web_socket(re.compile("/ws/chat"), meet)


def hide(page: Page, *, hidden: bool) -> None:
    """What the browser tells a page whose tab is left or come back to."""
    page.evaluate(
        """(hidden) => {
          Object.defineProperty(document, "hidden", { value: hidden, configurable: true });
          document.dispatchEvent(new Event("visibilitychange"));
        }""",
        hidden,
    )


class TestNewVersion:
    def test_60_is_offered_and_taken_when_nobody_would_notice(
        self, keyed: Server, upstream: Upstream, open_page: Open
    ) -> None:
        page = open_page(keyed)
        age(page)
        empty(Stage(page, keyed, upstream))
        notice = page.get_by_text("A new version is ready.")
        box = page.get_by_role("textbox", name="Message Claude")

        expect(notice).to_be_visible()
        expect(page.get_by_role("button", name="Reload")).to_be_visible()
        box.fill("half a thought")
        page.evaluate("window.old = true")
        hide(page, hidden=True)
        assert page.evaluate("window.old") is True  # something is written and not sent
        hide(page, hidden=False)
        box.fill("")
        assert page.evaluate("window.old") is True  # somebody looks
        hide(page, hidden=True)
        page.wait_for_function("() => !window.old")

        expect(notice).to_be_visible()  # this server goes on saying so
        page.evaluate("window.old = true")
        hide(page, hidden=True)
        assert page.evaluate("window.old") is True  # once is enough

    def test_60_waits_for_an_answer_to_end(
        self, keyed: Server, upstream: Upstream, open_page: Open
    ) -> None:
        page = open_page(keyed)
        age(page)
        stage = Stage(page, keyed, upstream)

        streaming(stage)
        page.evaluate("window.old = true")
        hide(page, hidden=True)
        assert page.evaluate("window.old") is True
        upstream.release()
        page.wait_for_function("() => !window.old")

        answered(page)
        expect(page.get_by_role("article", name="Claude")).to_contain_text(
            "runs from right to left"
        )
