"""Every key that the page writes comes back: its own list of keys is read, and each is stored and read through the API."""

import base64
import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.browser.devices import account
from tests.support.http import Client
from tests.support.server import Server, wait_until
from tests.support.upstream import Upstream, says

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(shutil.which("node") is None, reason="needs node"),
]

ROOT = Path(__file__).parents[2]
PIXEL = base64.b64encode((ROOT / "docs/page.png").read_bytes()).decode()
VALUES: dict[str, Any] = {
    "title": "A title",
    "pinned": True,
    "archived": True,
    "settings": {"model": "claude-sonnet-5-5", "odd": [1, {"b": None}]},
    "agentId": "kenny",
    "updatedAt": 1_999_999_999_999,
}


def keys(name: str) -> list[str]:
    """Return an exported list of the client."""
    script = f"import {{ {name} }} from './chat/static/chat/core/keys-sent.js'; console.log(JSON.stringify({name}));"
    done = subprocess.run(
        ["node", "--input-type=module", "-e", script],
        cwd=ROOT, capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    found: list[str] = json.loads(done.stdout)
    return found


@pytest.fixture
def client(keyed: Server, request: pytest.FixtureRequest) -> Client:
    return account(keyed, request.node.name)[1]


def test_every_key_of_a_change_is_stored(client: Client) -> None:
    client.request("PUT", "/api/conversations/c-keys", {"messages": []})

    assert set(keys("CHANGED")) == set(VALUES)
    for name in keys("CHANGED"):
        assert (
            client.request("PATCH", "/api/conversations/c-keys", {name: VALUES[name]}).status == 200
        )
        assert client.get("/api/conversations/c-keys").json[name] == VALUES[name], name


def test_every_key_of_a_message_is_stored(client: Client, upstream: Upstream) -> None:
    upstream.queue(says("One."), says("Two."))
    first = {
        "conversationId": "c-sent", "turnId": "t-sent-1", "message": "with a picture", "agentId": "kenny",
        "images": [{"mediaType": "image/png", "data": PIXEL}], "settings": {"effort": "low"},
    }  # fmt: skip
    again = {"turnId": "t-sent-2", "truncateAt": 0, "message": "again"}
    unsaid = set(keys("SENT")) - {*first, *again, "version"}
    assert unsaid == set(), "a key that the page sends and this test does not"

    assert client.post("/api/chat/stream", first).status == 200
    wait_until(lambda: settled(client), within=20, what="the first answer")
    kept = client.get("/api/conversations/c-sent").json
    assert (kept["agentId"], kept["settings"]) == ("kenny", {"effort": "low"})
    [question, answer] = kept["messages"]
    assert (question["role"], answer["content"][-1]["text"]) == ("user", "One.")
    parts = {part["type"]: part for part in question["content"]}
    assert parts["image"]["source"]["data"] == PIXEL
    assert "with a picture" in json.dumps(question)
    events = client.get("/api/chat/turns/t-sent-1/events").text
    assert '"conversationId":"c-sent"' in events.replace(" ", "")

    stale = {**again, "conversationId": "c-sent", "version": kept["version"] - 1}
    assert client.post("/api/chat/stream", stale).status == 412
    assert client.post("/api/chat/stream", {**stale, "version": kept["version"]}).status == 200
    wait_until(lambda: settled(client), within=20, what="the second answer")
    texts = json.dumps(client.get("/api/conversations/c-sent").json["messages"])
    assert "again" in texts
    assert "with a picture" not in texts


def settled(client: Client) -> bool:
    row = client.get("/api/conversations/c-sent").json
    return row["live"] is None and row["messageCount"] == 2
