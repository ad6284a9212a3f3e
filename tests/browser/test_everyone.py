"""What holds for everyone, in every state of the product: no finding of axe, nothing cut, nothing covered."""

import pytest

from tests.browser.conftest import Open, findings
from tests.browser.scenes import CHAT, PAGES, STRANGER, Enter, Stage, menu, replay
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
            page.emulate_media(color_scheme=theme, reduced_motion="reduce")  # type: ignore[arg-type]  # a literal of both
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
