"""Requirement 21 and the choice of a model: what turns used, how full the context is, who answers and with which tools."""

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Open, answered, findings, say, shown
from tests.support.http import Client
from tests.support.listing import entry
from tests.support.server import Server
from tests.support.upstream import Upstream, fails, says

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]

WINDOW = 200_000
SONNET, OPUS, HAIKU = "claude-sonnet-5-5", "claude-opus-5-5", "claude-haiku-5-5"


@pytest.fixture(scope="module")
def listing() -> Iterator[Upstream]:
    """A provider with three models: with some efforts, with all, with none."""
    with Upstream() as provider:
        provider.models = [
            entry(SONNET, efforts=("low", "high"), display_name="Sonnet", max_input_tokens=WINDOW),
            entry(
                OPUS, efforts=("low", "high", "max"), display_name="Opus", max_input_tokens=WINDOW
            ),
            entry(HAIKU, efforts=(), display_name="Haiku", max_input_tokens=WINDOW),
        ]
        yield provider


@pytest.fixture(scope="module")
def served(listing: Upstream) -> Iterator[Server]:
    with Server(env={"ANTHROPIC_API_KEY": "test", "ANTHROPIC_BASE_URL": listing.url}) as server:
        yield server


@pytest.fixture(scope="module")
def owner(served: Server) -> Client:
    return served.user("chooser")


@pytest.fixture
def page(served: Server, owner: Client, listing: Upstream, open_page: Open) -> Page:
    listing._queue.clear()
    return open_page(served, user="chooser")


def used(tokens: int) -> dict[str, int]:
    return {"input_tokens": tokens - 100, "output_tokens": 100}


def ask(page: Page, listing: Upstream, words: str, *, tokens: int) -> None:
    listing.queue(says(f"To {words}.", usage=used(tokens)))
    say(page, words)
    expect(page.get_by_role("article", name="Claude").last).to_have_text(f"To {words}.")
    answered(page)
    expect(page.locator(".turn.last").last).to_be_visible()


def choose(page: Page, name: str, label: str) -> None:
    """Choose from one of the lists and close them."""
    page.locator("[data-slot=choice]").click()
    page.locator("#choice").get_by_label(name).select_option(label=label)
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog", name="Model, effort and tools")).to_be_hidden()


def choice(page: Page) -> Locator:
    return page.locator("[data-slot=choice]")


def conversation(owner: Client, page: Page) -> dict[str, Any]:
    body: dict[str, Any] = owner.get(f"/api/conversations/{page.url.rsplit('/', 1)[1]}").json
    return body


class TestUsage:
    def test_21_tokens_and_cost_of_message_and_conversation_show_after_each_turn(
        self, page: Page, listing: Upstream
    ) -> None:
        spent = page.locator(".spent")
        ask(page, listing, "one", tokens=1_100)
        lines = page.locator(".claude + .meta [data-slot=used]")
        expect(lines).to_have_text(["1,100 tokens · $0.003"])
        expect(spent).to_contain_text("This conversation: 1,100 tokens · $0.003")
        expect(spent).to_contain_text("Context 0% full")
        assert "1,000 tokens read" in str(lines.first.get_attribute("title"))
        assert SONNET in str(lines.first.get_attribute("title"))

        ask(page, listing, "two", tokens=10_100)
        expect(lines).to_have_text(["1,100 tokens · $0.003", "10,100 tokens · $0.021"])
        expect(spent).to_contain_text("This conversation: 11,200 tokens · $0.024 · Context 5% full")
        assert findings(page) == []

        live = shown(page)
        page.reload()
        expect(lines).to_have_count(2)
        expect(page.locator(".turn.last").last).to_be_visible()
        assert shown(page) == live
        expect(spent).to_contain_text("This conversation: 11,200 tokens · $0.024")

    def test_21_an_answer_that_was_replaced_stays_paid_for(
        self, page: Page, listing: Upstream
    ) -> None:
        ask(page, listing, "one", tokens=1_100)
        listing.queue(says("Once more.", usage=used(2_100)))

        page.get_by_role("button", name="Regenerate").click()

        expect(page.get_by_role("article", name="Claude")).to_have_text("Once more.")
        answered(page)
        expect(page.locator("[data-slot=used]:visible")).to_have_text("2,100 tokens · $0.005")
        expect(page.locator(".spent")).to_contain_text("This conversation: 3,200 tokens · $0.008")

    def test_21_a_context_that_fills_up_warns_in_words_at_80_and_95_percent(
        self, page: Page, listing: Upstream
    ) -> None:
        long, gauge = page.locator("[data-slot=long]"), page.locator("meter")
        ask(page, listing, "one", tokens=WINDOW * 79 // 100)
        expect(page.locator(".spent")).to_contain_text("Context 79% full")
        expect(long).to_be_hidden()

        ask(page, listing, "two", tokens=WINDOW * 80 // 100)
        expect(long).to_contain_text(
            "This conversation is getting long: 80% of what Claude can read is used."
        )
        expect(page.locator("#polite")).to_contain_text("getting long: 80%")
        assert gauge.evaluate("(el) => el.value") == 80
        assert findings(page) == []

        ask(page, listing, "three", tokens=WINDOW * 95 // 100)
        expect(long).to_contain_text("This conversation is almost too long: 95%")
        expect(long.get_by_role("button", name="Go on in a new conversation")).to_be_enabled()

        page.reload()
        expect(long).to_contain_text("This conversation is almost too long: 95%")
        page.get_by_role("button", name="New chat").click()
        expect(long).to_be_hidden()
        expect(page.locator(".spent")).to_have_text("")

    def test_21_a_full_conversation_goes_on_in_a_new_one(
        self, page: Page, listing: Upstream
    ) -> None:
        ask(page, listing, "one", tokens=WINDOW * 96 // 100)
        old = page.url
        listing.queue(says("What matters is the valve.", usage=used(500)))

        page.get_by_role("button", name="Go on in a new conversation").click()

        expect(page.get_by_role("article", name="You")).to_contain_text(
            "What matters is the valve."
        )
        assert page.url != old
        expect(page.get_by_role("heading", level=1)).to_have_text("one (continued)")
        expect(page.get_by_role("textbox", name="Message Claude")).to_be_focused()
        expect(page.locator("[data-slot=long]")).to_be_hidden()

    def test_21_where_a_message_does_not_fit_any_more_the_way_out_stands_beside_it(
        self, page: Page, listing: Upstream
    ) -> None:
        ask(page, listing, "one", tokens=1_100)
        listing.queue(
            *[
                fails(
                    "invalid_request_error",
                    status=400,
                    prose="prompt is too long: 300000 tokens > 200000 maximum",
                )
            ]
            * 3
        )
        say(page, "two")

        ending = page.locator(".outcome:visible")
        expect(ending.get_by_role("button", name="Go on in a new conversation")).to_be_visible()
        expect(ending.get_by_role("button", name="Retry")).to_be_hidden()


class TestChoice:
    def test_offers_what_the_server_lists_and_the_efforts_each_model_takes(
        self, page: Page
    ) -> None:
        expect(choice(page)).to_have_text("Sonnet")
        expect(choice(page)).to_have_accessible_name("Sonnet: choose model, effort and tools")
        choice(page).click()
        models, efforts = (
            page.locator("#choice").get_by_label("Model"),
            page.locator("#choice").get_by_label("Effort"),
        )
        expect(models.locator("option")).to_have_text(
            ["Default (Sonnet)", "Sonnet", "Opus", "Haiku"]
        )
        expect(efforts.locator("option")).to_have_text(["Default", "Low", "High"])
        assert findings(page) == []

        models.select_option(label="Opus")
        efforts.select_option(label="Greatest")
        expect(choice(page)).to_have_text("Opus · Greatest")
        models.select_option(label="Haiku")
        expect(efforts).to_be_disabled()
        expect(choice(page)).to_have_text("Haiku")

    def test_of_a_new_chat_is_that_of_its_first_message(
        self, page: Page, listing: Upstream, owner: Client
    ) -> None:
        choose(page, "Model", "Opus")
        choose(page, "Effort", "High")
        before = len(listing.bodies)

        ask(page, listing, "one", tokens=1_100)

        asked = listing.bodies[before]
        assert (asked["model"], asked["output_config"]["effort"]) == (OPUS, "high")
        assert conversation(owner, page)["settings"] == {"model": OPUS, "effort": "high"}
        page.reload()
        expect(choice(page)).to_have_text("Opus · High")

    def test_of_a_conversation_is_stored_beside_its_other_settings_and_holds_for_the_next_turn(
        self, page: Page, listing: Upstream, owner: Client
    ) -> None:
        ask(page, listing, "one", tokens=1_100)
        cid = page.url.rsplit("/", 1)[1]
        owner.request(
            "PATCH", f"/api/conversations/{cid}", {"settings": {"system": "Be brief.", "mine": 1}}
        )
        page.reload()
        page.get_by_role("article", name="Claude").wait_for()
        expect(choice(page)).to_have_text("Sonnet")

        with page.expect_response(lambda response: response.request.method == "PATCH"):
            choose(page, "Model", "Haiku")
        assert conversation(owner, page)["settings"] == {
            "system": "Be brief.",
            "mine": 1,
            "model": HAIKU,
        }
        ask(page, listing, "two", tokens=1_100)
        assert listing.bodies[-1]["model"] == HAIKU
        with page.expect_response(lambda response: response.request.method == "PATCH"):
            choose(page, "Model", "Default (Sonnet)")
        assert conversation(owner, page)["settings"] == {"system": "Be brief.", "mine": 1}

    def test_that_is_not_offered_is_a_clear_error_and_the_words_stay(
        self, page: Page, listing: Upstream, owner: Client
    ) -> None:
        ask(page, listing, "one", tokens=1_100)
        cid = page.url.rsplit("/", 1)[1]
        owner.request("PATCH", f"/api/conversations/{cid}", {"settings": {"model": "claude-gone"}})
        page.reload()
        expect(choice(page)).to_have_text("claude-gone")
        choice(page).click()
        expect(
            page.locator("#choice").get_by_label("Model").locator("option:checked")
        ).to_have_text("claude-gone (not offered here)")
        page.keyboard.press("Escape")

        say(page, "two")
        unsent = page.locator(".turn.unsent")
        expect(unsent).to_contain_text("Not sent. This model is not offered here. Choose another.")
        expect(unsent.locator(".words")).to_have_text("two")
        with page.expect_response(lambda response: response.request.method == "PATCH"):
            choose(page, "Model", "Opus")
        listing.queue(says("To two.", usage=used(1_100)))
        unsent.get_by_role("button", name="Retry").click()

        expect(page.get_by_role("article", name="Claude").last).to_have_text("To two.")
        expect(unsent).to_have_count(0)
        answered(page)
        assert listing.bodies[-1]["model"] == OPUS

    def test_waits_for_no_listing(
        self, served: Server, owner: Client, listing: Upstream, open_page: Open
    ) -> None:
        page = open_page(served, user="chooser", expected="503")
        listing._queue.clear()
        page.route(
            "**/api/chat/models",
            lambda route: route.fulfill(
                status=503, json={"error": {"code": "unavailable", "message": "Not now."}}
            ),
        )
        page.reload()
        expect(choice(page)).to_have_text("Model")

        ask(page, listing, "one", tokens=1_100)

        choice(page).click()
        expect(
            page.get_by_text("The list of models could not be loaded. What is chosen still works.")
        ).to_be_visible()
        expect(page.get_by_text("Not now.")).to_have_count(0)

    def test_of_tools_selects_the_agent(self, page: Page, listing: Upstream, owner: Client) -> None:
        choose(page, "Tools", "Conversations only")
        before = len(listing.bodies)

        ask(page, listing, "one", tokens=1_100)

        names = {tool["name"] for tool in listing.bodies[before]["tools"]}
        assert "search_history" in names
        assert "write_file" not in names
        assert conversation(owner, page)["agentId"] == "kenny"
        with page.expect_response(lambda response: response.request.method == "PATCH"):
            choose(page, "Tools", "Workspace")
        ask(page, listing, "two", tokens=1_100)
        assert "write_file" in {tool["name"] for tool in listing.bodies[-1]["tools"]}

    def test_follows_what_the_person_prefers(
        self, served: Server, owner: Client, open_page: Open
    ) -> None:
        owner.request("PATCH", "/api/preferences", {"model": OPUS, "agentId": "kenny"})
        try:
            page = open_page(served, user="chooser")
            expect(choice(page)).to_have_text("Opus")
        finally:
            owner.request("PATCH", "/api/preferences", {"model": None, "agentId": None})
