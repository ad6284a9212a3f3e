"""People with roles: alice owns, bob is a stranger. Whatever they do goes through the API as any client would."""

import os
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import transaction
from rest_framework.test import APIClient

from history import store
from history.models import SyncState


@pytest.fixture
def alice(db: None) -> User:
    return User.objects.create_user("alice")


@pytest.fixture
def bob(db: None) -> User:
    return User.objects.create_user("bob")


class Api:
    """A person's client: calls take a path below /api/ and answer with the parsed body beside status and headers."""

    def __init__(self, user: User | None) -> None:
        self.user = user
        self.client = APIClient(raise_request_exception=False)
        if user:
            self.client.force_authenticate(user)

    def __call__(self, method: str, path: str, body: Any = None, **headers: str) -> Any:
        """Send `body` as JSON (bytes and text as they are); a keyword like `if_match` is a header."""
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        data = {} if body is None else {"data": body, "content_type": "application/json"}
        if isinstance(body, dict | list):
            data = {"data": body, "format": "json"}
        answer = getattr(self.client, method.lower())(f"/api/{path}", headers=sent, **data)
        answer.body = answer.json() if answer.content[:1] in {b"{", b"["} else None
        return answer

    def put(self, cid: str, *, if_match: str = "", if_none_match: str = "", **body: Any) -> Any:
        wanted = {"if_match": if_match, "if_none_match": if_none_match}
        conditions = {name: value for name, value in wanted.items() if value}
        return self(
            "PUT",
            f"conversations/{cid}",
            {"title": "T", "messages": said("hello"), **body},
            **conditions,
        )

    def get(self, cid: str, **headers: str) -> Any:
        return self("GET", f"conversations/{cid}", **headers)

    def delete(self, cid: str, **headers: str) -> Any:
        return self("DELETE", f"conversations/{cid}", **headers)

    def list(self, query: str = "", **headers: str) -> Any:
        return self("GET", f"conversations{query}", **headers)

    @property
    def owner_id(self) -> int:
        assert self.user
        return self.user.pk

    @property
    def seq(self) -> int:
        """How many numbers this person's writes have taken so far."""
        return SyncState.objects.get(pk=self.owner_id).last_seq


def said(text: str) -> list[dict[str, Any]]:
    """Return a settled exchange about `text`."""
    return [
        {"role": "user", "content": text},
        {"role": "assistant", "content": [{"type": "text", "text": f"re {text}"}]},
    ]


def run_turn(api: Api, cid: str, *, status: str = "running") -> None:
    """Say that a turn runs or is held in a conversation."""
    with transaction.atomic():
        state = store.locked(api.owner_id)
        row = store.find(owner_id=api.owner_id, cid=cid)
        store.set_live(state, row, turn_id="t-1", status=status)


def picture(*, size: int = 30_000) -> bytes:
    """Return bytes that begin as a PNG of 8 by 6 pixels does and are the same nowhere else."""
    return b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x08\x00\x00\x00\x06" + os.urandom(size)


@pytest.fixture
def api(alice: User) -> Api:
    return Api(alice)


@pytest.fixture
def stranger(bob: User) -> Api:
    return Api(bob)


@pytest.fixture
def told() -> Callable[..., None]:
    """Return a check of an error body: its code and facts."""

    def check(answer: Any, status: int, code: str, **facts: Any) -> None:
        error = answer.body["error"]
        assert (answer.status_code, error["code"]) == (status, code)
        assert error["message"]
        assert {name: error[name] for name in facts} == facts

    return check
