"""A person of a file's own with nothing in their account, so that tests of one server see nothing of each other."""

import secrets

from tests.support.http import Client
from tests.support.server import Server

_known: dict[tuple[int, str], Client] = {}


def person(server: Server, name: str) -> Client:
    """Return a client with a token of this account, which is made once and emptied each time."""
    client = _known.get((server.port, name))
    if client is None:
        client = _known[server.port, name] = server.user(name)
    assert client.request("DELETE", "/api/conversations").status == 200
    return client


def conversation(client: Client, title: str, **more: object) -> str:
    """Store a conversation in which both have said something and return its id."""
    cid = f"c-{secrets.token_hex(6)}"
    said = [
        {"role": "user", "content": f"about {title}"},
        {"role": "assistant", "content": "Well."},
    ]
    body = {"title": title, "messages": said} | more
    assert client.request("PUT", f"/api/conversations/{cid}", body).status == 201
    return cid
