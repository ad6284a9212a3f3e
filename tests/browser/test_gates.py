"""The gate on a real page: frontend.md, requirements 26 to 31, and the inbox of all held calls."""

import re
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Open, answered, findings, say
from tests.support.answers import use
from tests.support.server import Server, wait_until
from tests.support.upstream import Upstream, calls, says

pytestmark = [pytest.mark.browser, pytest.mark.timeout(180)]

WRITE = {"path": "plan.md", "content": "x"}
SENT = """() => {
    window.sent = [];
    const send = WebSocket.prototype.send;
    WebSocket.prototype.send = function (data) { window.sent.push(JSON.parse(data)); return send.call(this, data); };
}"""


def gate_of(page: Page) -> Locator:
    return page.get_by_role("group", name="Approval needed")


def hold(page: Page, upstream: Upstream, **args: Any) -> Locator:
    """Have a conversation wait for a decision about one call; what follows it is answered with "ok"."""
    upstream.queue(calls(use("write_file", **(args or WRITE))))
    say(page, "Write the plan")
    gate = gate_of(page)
    gate.wait_for()
    return gate


def confirms(page: Page) -> list[dict[str, Any]]:
    sent: list[dict[str, Any]] = page.evaluate("window.sent.filter((f) => f.type === 'confirm')")
    return sent


def path_of(page: Page, server: Server) -> str:
    page.wait_for_url(re.compile("/c/"))
    return page.url.removeprefix(server.address)


class TestArguments:
    def test_26_every_argument_is_shown_whole_with_what_hides_made_visible(
        self, keyed: Server, upstream: Upstream, open_page: Open
    ) -> None:
        long = "\n".join(f"line {n} of many" for n in range(900))
        content = f"a\u202eb\u200bc\x07{' ' * 60}end\n{long}"
        page = open_page(keyed)
        gate = hold(page, upstream, path="deep/plan.md", content=content)

        names = gate.locator("dt").all_inner_texts()
        values = gate.locator("dd").evaluate_all("(all) => all.map((el) => el.textContent)")

        assert names == ["path", "content"]
        seen = f"a\\u{{202e}}b\\u{{200b}}c\\u{{7}}\\u{{20*60}}end\n{long}"
        assert values == ["deep/plan.md", seen]
        assert gate.locator("dd mark").count() == 4
        box = gate.locator("dd").last
        assert "mono" in box.evaluate("(el) => getComputedStyle(el).fontFamily").lower()
        # It scrolls inside the card, by keyboard too; nothing is cut.
        height, whole = box.evaluate("(el) => [el.clientHeight, el.scrollHeight]")
        assert height < whole
        box.focus()
        page.keyboard.press("End")
        page.wait_for_function(
            "(el) => el.scrollTop + el.clientHeight >= el.scrollHeight - 1",
            arg=box.element_handle(),
        )
        gate.get_by_role("button", name="Deny").click()
        answered(page)


class TestDecision:
    def test_27_nothing_decides_by_itself_and_nothing_before_the_guard_is_over(
        self, keyed: Server, upstream: Upstream, open_page: Open
    ) -> None:
        page = open_page(keyed)
        page.evaluate(SENT)
        page.evaluate(
            """() => new MutationObserver(() => {
                const card = document.querySelector('.gate');
                if (!card || window.appeared) return;
                window.appeared = performance.now();
                const [approve] = card.querySelectorAll('button');
                approve.click();
                new MutationObserver(() => { if (!approve.disabled) window.opened ??= performance.now(); })
                    .observe(approve, { attributes: true });
            }).observe(document.body, { childList: true, subtree: true })"""
        )
        gate = hold(page, upstream)
        expect(gate.get_by_role("button", name="Approve")).to_be_enabled()
        guarded = page.evaluate("window.opened - window.appeared")
        buttons = gate.get_by_role("button").evaluate_all(
            "(all) => all.map((el) => [el.type, !!el.form])"
        )

        page.get_by_role("region", name="Transcript").focus()
        for key in ("Enter", "Space", "y", "n", "a", "d", "Escape"):
            page.keyboard.press(key)
        reason = gate.get_by_role("textbox", name="Reason for denying, optional")
        reason.fill("Not in this folder.")
        reason.press("Enter")
        page.evaluate(
            "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
        )

        assert guarded >= 380
        assert buttons == [["button", False], ["button", False]]
        assert confirms(page) == []
        gate.get_by_role("button", name="Deny").click()
        answered(page)
        assert [(frame["approve"], frame["reason"]) for frame in confirms(page)] == [
            (False, "Not in this folder.")
        ]
        told = upstream.bodies[-1]["messages"][-1]["content"][0]["content"]
        assert told.endswith("The person says: Not in this folder.")

    def test_28_a_decision_is_sent_once_and_the_other_tab_says_who_was_first(
        self, keyed: Server, upstream: Upstream, open_page: Open
    ) -> None:
        upstream.hold()
        page = open_page(keyed)
        upstream.queue(
            calls(use("write_file", **WRITE)), says("Written at last.", hold_after=1, chunk=3)
        )
        say(page, "Write the plan")
        gate = gate_of(page)
        gate.wait_for()
        other = open_page(keyed, path=path_of(page, keyed))
        gate_of(other).wait_for()
        page.evaluate(SENT)
        expect(gate.get_by_role("button", name="Approve")).to_be_enabled()

        words = gate.evaluate(
            """(card) => {
                const [approve, deny] = card.querySelectorAll('button');
                approve.click(); approve.click(); deny.click(); approve.click();
                return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(
                    () => done(card.isConnected ? [approve.textContent, approve.disabled, deny.disabled] : null))));
            }"""
        )
        expect(gate).to_have_count(0)
        expect(gate_of(other)).to_have_count(0)
        # The event may be there before the second frame is: then the card has gone already.
        assert words in (["Approving…", True, True], None)
        expect(other.locator("details.tool .state")).to_contain_text("Approved in another tab")
        expect(page.locator("details.tool .state")).not_to_contain_text("another tab")
        upstream.release()
        answered(page)
        answered(other)

        assert [frame["approve"] for frame in confirms(page)] == [True]
        expect(other.locator("details.tool .state")).to_have_text(re.compile(r"^done · [\d.]+ s$"))

    def test_28_buttons_say_that_a_decision_is_on_its_way_until_the_server_says_what_counts(
        self, keyed: Server, upstream: Upstream, open_page: Open
    ) -> None:
        """The answer is held back; what comes after it was lost is asked for again."""
        page = open_page(keyed)
        lines: list[Any] = []

        def through(line: Any) -> None:
            server = line.connect_to_server()
            lines.append(line)
            line.on_message(lambda data: None if '"confirm"' in str(data) else server.send(data))

        page.route_web_socket(re.compile("/ws/chat"), through)
        page.reload()
        gate = hold(page, upstream)
        gate.get_by_role("button", name="Approve").click()
        expect(gate.get_by_role("button", name="Approving…")).to_be_disabled()
        expect(gate.get_by_role("button", name="Deny")).to_be_disabled()

        lines[-1].close(code=4012)

        expect(gate.get_by_role("button", name="Approve")).to_be_enabled()
        page.get_by_role("button", name="Stop").click()
        expect(gate).to_have_count(0)

    def test_29_offline_nothing_can_be_decided_and_nothing_is_kept_for_later(
        self, keyed: Server, upstream: Upstream, open_page: Open
    ) -> None:
        page = open_page(keyed, expected="ERR_INTERNET_DISCONNECTED")
        gate = hold(page, upstream)
        expect(gate.get_by_role("button", name="Approve")).to_be_enabled()
        page.evaluate(SENT)

        page.context.set_offline(True)
        expect(gate.get_by_role("button", name="Approve")).to_be_disabled()
        expect(gate.get_by_role("button", name="Deny")).to_be_disabled()
        expect(gate).to_contain_text("No connection: a decision is taken only while connected.")
        gate.evaluate(
            "(card) => card.querySelector('button').dispatchEvent(new MouseEvent('click'))"
        )
        page.context.set_offline(False)

        expect(gate.get_by_role("button", name="Approve")).to_be_enabled()
        assert confirms(page) == []
        gate.get_by_role("button", name="Deny").click()
        answered(page)


class TestTheSign:
    def test_30_a_waiting_gate_is_told_everywhere_and_takes_no_focus(
        self, keyed: Server, upstream: Upstream, open_page: Open
    ) -> None:
        keyed.user("signer")
        page = open_page(keyed, user="signer")
        icon = page.locator("link[rel=icon]")
        calm = icon.get_attribute("href")
        page.evaluate(
            """() => { window.urgent = []; const region = document.querySelector('[role=alert]');
                new MutationObserver(() => window.urgent.push(region.textContent)).observe(region, { childList: true, characterData: true, subtree: true }); }"""
        )
        box = page.get_by_role("textbox", name="Message Claude")
        gate = hold(page, upstream)

        expect(box).to_be_focused()
        page.wait_for_function(
            "window.urgent.some((text) => text.startsWith('Approval needed for write_file'))"
        )
        expect(page).to_have_title(re.compile("^● "))
        assert icon.get_attribute("href") != calm
        row = page.get_by_role("navigation", name="Conversations").locator("li[data-id]").first
        expect(row).to_contain_text("waiting for you")
        path = path_of(page, keyed)

        page.goto("about:blank")
        page.goto(path)
        gate.wait_for()
        assert page.evaluate("document.activeElement === document.body")
        gate.get_by_role("button", name="Deny").click()
        answered(page)
        expect(page).not_to_have_title(re.compile("^● "))
        expect(icon).to_have_attribute("href", str(calm))

    def test_31_stop_denies_and_a_reload_shows_the_same_gate(
        self, keyed: Server, upstream: Upstream, open_page: Open
    ) -> None:
        page = open_page(keyed)
        gate = hold(page, upstream, path="kept.md", content="one\ntwo")
        before = gate.locator("dl").inner_text()

        page.reload()
        gate.wait_for()
        assert gate.locator("dl").inner_text() == before
        page.get_by_role("button", name="Stop").click()

        expect(gate).to_have_count(0)
        expect(page.locator("details.tool .state")).to_have_text("denied")
        assert not (keyed.data / "workspaces/1/kept.md").exists()
        expect(page.get_by_text("Stopped", exact=True).first).to_be_visible()


class TestInbox:
    def test_counts_held_calls_of_all_conversations_and_answers_them_from_any_tab(
        self, keyed: Server, upstream: Upstream, open_page: Open
    ) -> None:
        keyed.user("inboxer")
        page = open_page(keyed, user="inboxer")
        hold(page, upstream, path="one.md", content="1")
        page.get_by_role("button", name="New chat").click()
        hold(page, upstream, path="two.md", content="2")
        page.get_by_role("button", name="New chat").click()
        other = open_page(keyed, user="inboxer")
        count = other.get_by_role("button", name="2 approvals waiting")

        count.click()
        dialog = other.get_by_role("dialog", name="Waiting for approval")
        expect(dialog.get_by_role("group")).to_have_count(2)
        assert findings(other) == []
        first = dialog.get_by_role("group").filter(has_text="one.md")
        first.get_by_role("button", name="Approve").click()
        expect(first).to_have_count(0)
        dialog.get_by_role("group").get_by_role("button", name="Deny").click()

        expect(dialog).to_be_hidden()
        for window in (page, other):
            expect(window.locator("[data-slot=inbox]")).to_be_hidden()
        one = keyed.data / "workspaces"
        wait_until(
            lambda: [path.read_text() for path in one.rglob("one.md")] == ["1"],
            within=20,
            what="the approved call has run",
        )
        assert list(one.rglob("two.md")) == []

    def test_leads_to_the_conversation_that_waits(
        self, keyed: Server, upstream: Upstream, open_page: Open
    ) -> None:
        keyed.user("walker")
        page = open_page(keyed, user="walker")
        hold(page, upstream, path="one.md", content="1")
        path = path_of(page, keyed)
        page.get_by_role("button", name="New chat").click()

        page.get_by_role("button", name="1 approval waiting").click()
        page.get_by_role("dialog").get_by_role("button", name="Write the plan").click()

        page.wait_for_url(f"**{path}")
        gate_of(page).get_by_role("button", name="Deny").click()
        answered(page)
