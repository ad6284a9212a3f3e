"""The states of the product that checks for everyone walk through: how a window comes into each."""

from collections.abc import Callable
from dataclasses import dataclass

from playwright.sync_api import Page, expect

from tests.browser.conftest import answered, say
from tests.support.answers import Answer, text, thought, use
from tests.support.server import Server
from tests.support.upstream import Upstream, calls, fails, says

RICH = """\
## What I found

The inlet reads **4.20 bar**, which is *fine*; the [manual](https://example.org/manual) says so too. In short:

1. Check the gauge
   - twice, at best
2. Write it down in `notes/readings.md`

> A reading on paper can be compared.

| Gauge | Reading | Unit | Place | Fine? | Seen by | Remark |
|:------|--------:|:----:|-------|-------|---------|--------|
| Inlet | 4.20 | bar | cellar | yes | Ana | since Monday |
| Boiler | 71 | °C | second floor, behind the door | look again | Ben | a_long_word_without_any_place_to_break_it |

```python
def mean(readings: list[float]) -> float:
    \"\"\"Return the mean of at least one reading.\"\"\"
    return sum(readings) / len(readings)  # a line that is longer than a phone is wide, so that it scrolls inside
```

שלום: text that runs from right to left.
"""


@dataclass(frozen=True)
class Stage:
    """A window and what stands behind it."""

    page: Page
    server: Server
    upstream: Upstream

    def goto(self, path: str) -> None:
        self.page.goto(path)


def empty(stage: Stage) -> None:
    stage.goto("/")
    expect(stage.page.locator("button[data-new]")).to_be_enabled()


def streaming(stage: Stage) -> None:
    empty(stage)
    stage.upstream.hold()
    stage.upstream.queue(
        Answer(
            blocks=[thought("What do the gauges say?"), text(RICH)],
            hold_after=RICH.index("return sum") // 8,
        )
    )
    say(stage.page, "How are the gauges? " + "Please look at all of them. " * 4)
    stage.page.get_by_role("article", name="Claude").get_by_text("Ana").wait_for()


def answer(stage: Stage) -> None:
    empty(stage)
    stage.upstream.queue(
        calls(use("list_files"), use("read_file", path="nowhere.txt"), before="I look first."),
        Answer(blocks=[text(RICH)]),
    )
    say(stage.page, "How are the gauges today?")
    stage.page.get_by_role("button", name="Copy").last.wait_for()
    answered(stage.page)


def gate(stage: Stage, *, fresh: bool = True) -> None:
    if fresh:
        empty(stage)
    stage.upstream.queue(
        calls(use("write_file", path="notes/readings.md", content="Inlet 4.20\n" * 30)),
        says("Then not."),
    )
    say(stage.page, "Write the readings down")
    stage.page.get_by_role("group", name="Approval needed").wait_for()
    expect(stage.page.get_by_role("button", name="Deny")).to_be_enabled()


def denied(stage: Stage) -> None:
    """End what `gate` began."""
    stage.page.get_by_role("button", name="Deny").click()
    answered(stage.page)


def failed(stage: Stage) -> None:
    empty(stage)
    stage.upstream.queue(fails("invalid_request_error", status=400, prose="odd"))
    say(stage.page, "Please try")
    stage.page.get_by_role("button", name="Retry").wait_for()


def released(stage: Stage) -> None:
    """End what `streaming` began."""
    stage.upstream.release()
    answered(stage.page)


def picture(stage: Stage) -> None:
    empty(stage)
    stage.upstream.queue(calls(use("read_file", path="welcome.png")), says("There it is."))
    say(stage.page, "Show the picture")
    stage.page.get_by_role("button", name="Open Image from read_file").click()
    stage.page.get_by_role("dialog", name="Image").wait_for()


def closed(stage: Stage) -> None:
    """End what opened a dialog."""
    stage.page.keyboard.press("Escape")
    stage.page.get_by_role("dialog").wait_for(state="hidden")


def menu(stage: Stage) -> None:
    """Open the menu of a conversation; a window made narrower closes it."""
    if not stage.page.url.startswith(f"{stage.server.address}/c/"):
        answer(stage)
    narrow = stage.page.get_by_role("button", name="Conversations").is_visible()
    where = stage.page.locator("main .bar" if narrow else "nav li")
    where.get_by_role("button", name="Options for").first.click()
    stage.page.get_by_role("menu").wait_for()


def export(stage: Stage) -> None:
    menu(stage)
    stage.page.get_by_role("menuitem", name="Export").click()
    stage.page.get_by_role("dialog").wait_for()


def undo(stage: Stage) -> None:
    menu(stage)
    stage.page.get_by_role("menuitem", name="Delete").click()
    stage.page.get_by_role("button", name="Undo").wait_for()


def palette(stage: Stage) -> None:
    answer(stage)
    stage.page.keyboard.press("Control+k")
    stage.page.get_by_role("option").first.wait_for()


def keys(stage: Stage) -> None:
    empty(stage)
    stage.page.keyboard.press("Control+/")
    stage.page.get_by_role("dialog").wait_for()


def settings(stage: Stage) -> None:
    empty(stage)
    stage.page.keyboard.press("Control+,")
    stage.page.get_by_role("dialog").wait_for()


def choice(stage: Stage) -> None:
    """Open the choice of model, effort and tools."""
    answer(stage)
    stage.page.get_by_role("button", name="choose model").click()
    stage.page.get_by_role("dialog").wait_for()


def editing(stage: Stage) -> None:
    answer(stage)
    stage.page.get_by_role("button", name="Edit").click()
    stage.page.get_by_role("button", name="Stop editing").wait_for()


def replay(stage: Stage) -> None:
    """Show the staff's page of a conversation."""
    answer(stage)
    stage.goto("/admin/history/conversation/")
    stage.page.locator("#result_list tbody a").first.click()
    stage.page.get_by_role("heading", name="Person").wait_for()


def at(path: str) -> Callable[[Stage], None]:
    def visit(stage: Stage) -> None:
        stage.goto(path)

    return visit


Enter = Callable[[Stage], None]
CHAT: dict[str, tuple[Enter, Enter | None]] = {
    "empty": (empty, None),
    "streaming": (streaming, released),
    "answer": (answer, None),
    "gate": (gate, denied),
    "failed": (failed, None),
    "picture": (picture, closed),
    "menu": (menu, None),
    "export": (export, closed),
    "undo": (undo, None),
    "palette": (palette, closed),
    "keys": (keys, closed),
    "settings": (settings, closed),
    "choice": (choice, closed),
    "editing": (editing, None),
}
PAGES: dict[str, Enter] = {
    "account": at("/accounts/"),
    "sessions": at("/accounts/sessions/"),
    "password": at("/accounts/password/change/"),
    "second factor": at("/accounts/2fa/"),
    "delete account": at("/accounts/delete/"),
    "sign out": at("/accounts/logout/"),
    "not found": at("/nowhere"),
    "void link": at("/accounts/setup/none/"),
    "replay": replay,
}
STRANGER: dict[str, Enter] = {
    "sign in": at("/accounts/login/"),
    "forgotten password": at("/accounts/password/reset/"),
    "no sign-up": at("/accounts/signup/"),
}
