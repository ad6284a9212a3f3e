"""A random walk over two tabs of one browser and two API clients: at the end every device equals the server, nothing is lost, nothing is back."""

import json
import os
import random
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Open
from tests.browser.devices import CUT, account, stays, tab, until
from tests.support.http import Client
from tests.support.server import Server

if TYPE_CHECKING:
    from collections.abc import Callable

LONG = bool(os.environ.get("KENNY_LONG"))
STEPS = 1_000 if LONG else 100
PATIENCE = 400 if LONG else 120  # seconds; retries wait up to a minute
pytestmark = [pytest.mark.browser, pytest.mark.timeout(3_000 if LONG else 300)]

DO = "(event) => document.dispatchEvent(new CustomEvent('kenny', { detail: event }))"
ROWS = """() => [...document.querySelectorAll("li.row")].map((li) => [li.dataset.id, li.querySelector("a").textContent, li.closest("section").querySelector("h2").textContent === "Pinned"])"""


class Copy:
    """What a program of the account with a token of its own keeps: the feed of changes, taken in as the contract says."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.rows: dict[str, dict[str, Any]] = {}
        self.buried: dict[str, dict[str, Any]] = {}
        self.cursor = ""

    def pull(self) -> None:
        answer = self.client.get(
            f"/api/conversations?since={self.cursor}" if self.cursor else "/api/conversations"
        ).json
        assert answer["full"] == (not self.cursor)  # a cursor of this server is honoured
        self.rows |= by_id(answer["conversations"])
        for gone in answer["deleted"]:
            self.rows.pop(gone["id"], None)
            self.buried[gone["id"]] = gone
        self.cursor = answer["cursor"]

    def is_whole(self, client: Client) -> bool:
        """Take in the last changes and compare with the complete list, as another client gets it."""
        self.pull()
        complete = client.get("/api/conversations").json
        return self.rows == by_id(complete["conversations"]) and self.buried == by_id(
            complete["deleted"]
        )


def by_id(rows: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {row["id"]: row for row in rows}


class Walk:
    """What was done, by whom, and what must therefore hold at the end."""

    def __init__(self, page: Page, client: Client, second: Client, *, seed: int) -> None:
        self.random = random.Random(seed)
        self.client = client
        self.clients = [client, second]
        self.copy = Copy(second)
        self.tabs = [page, tab(page)]
        self.count = 0
        self.said: dict[str, str] = {}
        self.ended: set[str] = set()

    def word(self) -> str:
        self.count += 1
        return f"word-{self.count:04}"

    def do(self, page: Page, **event: object) -> None:
        page.evaluate(DO, event)

    def shown(self, page: Page) -> list[list[object]]:
        found: list[list[object]] = page.evaluate(ROWS)
        return found

    def shows(self, page: Page, there: list[list[object]]) -> bool:
        return sorted(self.shown(page)) == there

    def some(self, page: Page) -> str | None:
        ids = [str(one[0]) for one in self.shown(page)]
        return self.random.choice(ids) if ids else None

    def live(self) -> list[str]:
        return [row["id"] for row in self.client.get("/api/conversations").json["conversations"]]

    def write(self, page: Page) -> None:
        where = self.some(page) if self.random.random() < 0.4 else None
        self.do(page, type="visit", id=where)
        word = self.word()
        self.do(page, type="write", text=word, images=[])
        self.said[word] = page.evaluate("location.pathname").removeprefix("/c/")

    def change(self, page: Page) -> None:
        if where := self.some(page):
            change = (
                {"title": self.word()}
                if self.random.random() < 0.7
                else {"pinned": self.random.random() < 0.5}
            )
            self.do(page, type="change", id=where, change=change)

    def remove(self, page: Page) -> None:
        if where := self.some(page):
            self.do(page, type="remove", id=where)
            if self.random.random() < 0.3:
                self.do(page, type="undo", id=where)
            else:
                self.ended.add(where)
                self.do(page, type="undoOver", id=where)

    def line(self, page: Page) -> None:
        page.context.set_offline(self.random.random() < 0.5)

    def reload(self, page: Page) -> None:
        page.context.set_offline(False)
        page.reload()
        expect(page.locator("button[data-new]")).to_be_enabled()

    def crash(self, page: Page) -> None:
        page.context.set_offline(False)
        at = self.tabs.index(page)
        other = tab(self.tabs[1 - at])
        page.close()
        self.tabs[at] = other

    def program(self) -> Client:
        return self.random.choice(self.clients)

    def follow(self, _page: Page) -> None:
        self.copy.pull()

    def patch(self, _page: Page) -> None:
        if ids := self.live():
            self.program().request(
                "PATCH", f"/api/conversations/{self.random.choice(ids)}", {"title": self.word()}
            )

    def put(self, _page: Page) -> None:
        word = self.word()
        body = {"title": word, "messages": [{"role": "user", "content": word}]}
        assert self.program().request("PUT", f"/api/conversations/c-api-{word}", body).status == 201

    def delete(self, _page: Page) -> None:
        if (ids := self.live()) and self.random.random() < 0.5:
            where = self.random.choice(ids)
            self.ended.add(where)
            assert self.program().request("DELETE", f"/api/conversations/{where}").status == 200

    def step(self) -> None:
        kinds: list[tuple[Callable[[Page], None], int]] = [
            (self.write, 6), (self.change, 14), (self.remove, 7), (self.line, 10), (self.reload, 3), (self.crash, 2),
            (self.patch, 8), (self.put, 7), (self.delete, 7), (self.follow, 8),
        ]  # fmt: skip
        [act] = self.random.choices([kind for kind, _ in kinds], [weight for _, weight in kinds])
        act(self.random.choice(self.tabs))


def test_a_random_walk_ends_with_every_device_equal_to_the_server(
    keyed: Server, open_page: Open
) -> None:
    name, client = account(keyed, f"walk-{STEPS}")
    page = open_page(
        keyed, user=name, expected=(*CUT, "404", "409", "410", "412", "429", "WebSocket")
    )
    second = replace(client, token=keyed.manage("create_token", name).split()[-1])
    assert second.token != client.token
    walk = Walk(page, client, second, seed=20_261_130)
    for _ in range(STEPS):
        walk.step()
    walk.tabs[0].context.set_offline(False)
    for one in walk.tabs:
        walk.do(one, type="undoOver")
        walk.do(one, type="visit", id=None)
    database = f"kenny:{page_account(walk.tabs[0])}"

    def waiting() -> list[object]:
        return [
            one for one in stays(walk.tabs[0], database)["outbox"] if {"turnId", "kind"} & set(one)
        ]

    until(walk.tabs[0], lambda: not waiting(), "nothing waits any longer", within=PATIENCE)
    listed = client.get("/api/conversations").json["conversations"]
    there = sorted([row["id"], row["title"], row["pinned"]] for row in listed)
    for one in walk.tabs:
        until(
            one,
            partial(walk.shows, one, there),
            "the tab shows what the server has",
            within=PATIENCE,
        )
    kept = stays(walk.tabs[0], database)
    assert (
        sorted([row["id"], row["title"], row["pinned"]] for row in kept["conversations"]) == there
    )
    assert walk.ended.isdisjoint(row["id"] for row in listed)

    until(
        walk.tabs[0],
        partial(walk.copy.is_whole, client),
        "the copy of the feed is what the server has",
        within=PATIENCE,
    )

    whole = client.get("/api/conversations?include=messages").json["conversations"]
    stored = json.dumps([one["messages"] for one in whole])
    unsent = json.dumps(kept["outbox"])
    gone = {row["id"] for row in client.get("/api/conversations").json["deleted"]} | walk.ended
    lost = [
        word
        for word, cid in walk.said.items()
        if word not in stored and word not in unsent and cid not in gone
    ]
    assert lost == []
    assert [
        word for word in walk.said if stored.count(f'"{word}"') > 2
    ] == []  # the title, and once in the messages


def page_account(page: Page) -> str:
    found: str = page.evaluate("JSON.parse(document.querySelector('#config').textContent).account")
    return found
