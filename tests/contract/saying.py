"""Short words for what is sent and what must come back."""

from typing import Any

from tests.support.http import Answer, Client

LIST = "/api/conversations"


def at(cid: str) -> str:
    return f"{LIST}/{cid}"


def messages(text: str = "hello") -> list[dict[str, Any]]:
    return [
        {"role": "user", "content": text},
        {"role": "assistant", "content": [{"type": "text", "text": f"re {text}"}]},
    ]


def put(client: Client, cid: str, body: Any = None, /, **headers: str) -> Answer:
    """Save a conversation; without a body one with a title and two messages."""
    sent = {"title": "T", "messages": messages()} if body is None else body
    return client.request("PUT", at(cid), sent, **headers)


def patch(client: Client, cid: str, /, **values: Any) -> Answer:
    return client.request("PATCH", at(cid), values)


def delete(client: Client, cid: str, /, **headers: str) -> Answer:
    return client.request("DELETE", at(cid), **headers)


def code(answer: Answer) -> tuple[int, str]:
    """Return status and code of a refusal, whose body must have the one shape of all."""
    error = answer.json["error"]
    assert list(answer.json) == ["error"]
    assert isinstance(error["message"], str)
    assert error["message"]
    assert answer.headers["content-type"].split(";")[0] == "application/json"
    return answer.status, error["code"]


def ids(page: dict[str, Any], key: str = "conversations") -> list[str]:
    return [item["id"] for item in page[key]]
