"""Scenarios E10 to E12: whatever a stranger asks, and an account that ends in the middle of a pass."""

import hashlib
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from history.models import Conversation
from kenny.accounts import tokens
from kenny.accounts.models import ApiToken
from tests.history.conftest import Api, picture, said
from tests.history.test_blobs import shot
from tests.scenarios.whole import rows

BODY = {"title": "T", "messages": said("hello")}


def test_e10_a_guessed_id_is_the_guessers_own(api: Api, stranger: Api) -> None:
    api.put("c-1", title="Alice's")
    api.put("c-2", title="Alice's too")
    mine = rows()["Conversation"]

    assert stranger.get("c-1").status_code == 404
    assert stranger("PATCH", "conversations/c-1", {"title": "x"}).status_code == 404
    assert stranger.put("c-1", if_match=api.get("c-1").body["etag"]).status_code == 412
    assert stranger.put("c-1", title="Bob's").status_code == 201
    assert (stranger.delete("c-2").status_code, stranger.delete("c-2").body["version"]) == (200, 1)
    assert stranger("DELETE", "conversations").body["count"] == 1

    assert rows()["Conversation"][: len(mine)] == mine
    assert [row["title"] for row in api.list().body["conversations"]] == ["Alice's too", "Alice's"]


def test_e11_another_users_image_is_404(api: Api, stranger: Api) -> None:
    data = picture()
    listed = [{"role": "user", "content": [shot(data)]}]
    api.put("c-1", messages=listed)
    stranger.put("c-1")
    path = f"c-1/images/{hashlib.sha256(data).hexdigest()}"

    answer = stranger.get(path)

    assert (answer.status_code, answer.body) == (404, stranger.get("c-1/images/00").body)
    stranger.put("c-1", messages=listed)
    assert stranger.get(path).content == data


class Phone:
    """A REST client with a token: it keeps what was not confirmed, as the API asks of it."""

    def __init__(self, user: User) -> None:
        self.client = Client()
        self.token = tokens.make(user, name="phone")[1]
        self.queue = ["c-1", "c-2"]

    def send(self) -> list[int]:
        got: list[int] = []
        for cid in list(self.queue):
            answer: Any = self.client.put(
                f"/api/conversations/{cid}",
                BODY,
                content_type="application/json",
                headers={"authorization": f"Bearer {self.token}", "if-none-match": "*"},
            )
            got.append(answer.status_code)
            if answer.status_code == 201:
                self.queue.remove(cid)
        return got


@pytest.mark.parametrize("how", ["deactivated", "expired"])
def test_e12_an_account_that_ends_mid_pass_is_told_401_and_nothing_is_lost(
    api: Api, alice: User, how: str
) -> None:
    api.put("c-0")
    phone = Phone(alice)
    before = rows()
    if how == "deactivated":
        User.objects.update(is_active=False)
    else:
        ApiToken.objects.update(expiry=timezone.now() - timedelta(seconds=1))

    refused = phone.send()

    assert (refused, phone.queue, rows()) == ([401, 401], ["c-1", "c-2"], before)
    User.objects.update(is_active=True)
    ApiToken.objects.update(expiry=None)
    assert (phone.send(), phone.queue) == ([201, 201], [])
    assert Conversation.objects.live().count() == 3
