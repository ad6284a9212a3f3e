"""Scenarios G, the server's side: what comes back, and what a picture costs."""

import base64
import json
import math
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from pytest_django import Settings

from history.models import Blob, BlobLink, Conversation
from tests.history.conftest import Api, picture, said
from tests.history.test_blobs import shot, source
from tests.scenarios.whole import rows

Told = Callable[..., None]


def call(value: Any) -> list[dict[str, Any]]:
    """Return a list whose tool call carries `value`."""
    use = {"type": "tool_use", "id": "toolu_1", "name": "t", "input": {"v": value}}
    return [{"role": "user", "content": "x"}, {"role": "assistant", "content": [use]}]


def seen(*data: bytes) -> list[dict[str, Any]]:
    return [{"role": "user", "content": [shot(one) for one in data]}]


def test_g01_odd_characters_come_back_and_half_a_pair_is_refused(api: Api, told: Told) -> None:
    text = "nul \x00, lines \u2028\u2029, face \U0001f600, joined \U0001f469\u200d\U0001f52c, bom \ufeff"

    assert api.put("c-1", messages=said(text), settings={"s": text}).status_code == 201
    half = '{"title":"T","messages":[{"role":"user","content":"\\ud83d"}]}'
    told(api("PUT", "conversations/c-2", half), 400, "bad_request")

    stored = api.get("c-1").body
    assert (stored["messages"], stored["settings"]) == (said(text), {"s": text})
    assert api.list("?q=face").body["conversations"][0]["id"] == "c-1"


@pytest.mark.parametrize(
    "value",
    [
        {"b": 1, "a": 2, "10": 0, "9": 0, "": None},
        [2**70, -(2**63) - 1, 10**4000],
        [1e16, 1e22, 5e-324, 1.7976931348623157e308],
        [1.0, -0.0, 0, -1, 1.5],
    ],
    ids=["key order", "big integers", "large floats", "int or float"],
)
def test_g02_numbers_and_the_order_of_keys_come_back_as_text(api: Api, value: Any) -> None:
    api.put("c-1", messages=call(value))

    assert json.dumps(api.get("c-1").body["messages"]) == json.dumps(call(value))


@pytest.mark.parametrize(
    "value",
    [
        "NaN",
        "Infinity",
        "-Infinity",
        "1e999",
        "[" * 65 + "]" * 65,
        "[" * 5000 + "]" * 5000,
        '{"a":1,"a":2}',
        "9" * 4301,
    ],
)
def test_g03_what_is_no_sound_json_is_refused(api: Api, told: Told, value: str) -> None:
    body = json.dumps({"title": "T", "messages": call("HERE")}).replace('"HERE"', value)
    before = rows()

    told(api("PUT", "conversations/c-1", body), 400, "bad_request")

    assert rows() == before


def test_g04_ten_saves_of_three_screenshots_store_three_images(api: Api) -> None:
    shots = [picture(size=60_000) for _ in range(3)]
    api.put("c-1", messages=seen(*shots))
    written = list(Blob.objects.order_by("pk").values_list("pk", "size"))

    with CaptureQueriesContext(connection) as asked:
        for number in range(9):
            again = api.put("c-1", messages=[*seen(*shots), *said(f"turn {number}")])
            assert again.status_code == 200

    assert list(Blob.objects.order_by("pk").values_list("pk", "size")) == written
    assert (len(written), BlobLink.objects.count()) == (3, 3)
    sent = sum(len(query["sql"]) for query in asked.captured_queries)
    assert sent < 9 * 20_000, "the images were written again"
    assert api.get("c-1").body["messages"][:1] == seen(*shots)


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text[:-4] + "QR==",
        lambda text: text + "\n",
        lambda text: text.replace("A", "-", 1).replace("B", "_", 1),
        lambda text: text[:76] + "\r\n" + text[76:],
    ],
    ids=["spare bits", "newline", "url alphabet", "wrapped"],
)
def test_g05_base64_that_is_not_canonical_stays_in_the_list(
    api: Api, change: Callable[[str], str]
) -> None:
    odd = change(base64.b64encode(picture()).decode())
    listed = [{"role": "user", "content": [{"type": "image", "source": source(odd)}]}]

    api.put("c-1", messages=listed)

    assert not Blob.objects.exists()
    assert json.dumps(api.get("c-1").body["messages"]) == json.dumps(listed)


@pytest.mark.parametrize("key", ["$blob", "$$blob", "$$$blob"])
def test_g06_a_clients_own_reference_is_mere_data(api: Api, stranger: Api, key: str) -> None:
    """It refers to nothing, not even to an image that is there, and comes back as it was sent."""
    api.put("c-0", messages=seen(picture()))
    sha256 = Blob.objects.get().sha256
    forged = [{"type": "image", "source": source({key: sha256})}]
    listed = [{"role": "user", "content": forged}]

    for it in (api, stranger):
        assert it.put("c-1", messages=listed).status_code == 201
        assert it.get("c-1").body["messages"] == listed
        assert it.get(f"c-1/images/{sha256}").status_code == 404

    assert Blob.objects.count() == BlobLink.objects.count() == 1


def test_g07_a_shared_image_stays_until_the_last_conversation_goes(api: Api) -> None:
    data = picture()
    for cid in ("c-1", "c-2"):
        api.put(cid, messages=seen(data))
    path = f"images/{Blob.objects.get().sha256}"

    api.delete("c-1")
    kept = api.get(f"c-2/{path}").content
    api.delete("c-2")

    assert kept == data
    assert not Blob.objects.exists()


def test_g08_an_image_is_stored_with_its_save_or_not_at_all(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No orphan can arise: bytes, link and list are one transaction. One left by hand goes with the next deletion."""
    monkeypatch.setattr("history.index._replace", lambda *_args, **_more: 1 / 0)
    assert api.put("c-1", messages=seen(picture())).status_code == 500
    assert [model.objects.count() for model in (Blob, BlobLink, Conversation)] == [0, 0, 0]
    monkeypatch.undo()

    api.put("c-1", messages=seen(picture()))
    Blob.objects.create(owner_id=api.owner_id, sha256="0" * 64, size=1, data=b"x")
    api.delete("c-1")

    assert not Blob.objects.exists()


def test_g09_a_conversation_over_the_limit_is_413_with_the_limit(
    api: Api, told: Told, settings: Settings
) -> None:
    twenty = seen(*[picture(size=3 * 2**20)] * 5)
    assert len(json.dumps(twenty)) > 20 * 2**20

    assert api.put("c-1", messages=twenty).status_code == 201
    settings.KENNY_MAX_BODY = settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 20 * 2**20

    told(api.put("c-2", messages=twenty), 413, "too_large", limit=20 * 2**20)
    assert api.get("c-1").body["messages"] == twenty


def test_g12_every_key_of_a_conversation_is_stored_or_named(api: Api, told: Told) -> None:
    """A key that the server does not store is refused by name, so that no client can lose one unnoticed."""
    shown = api.put("c-1").body
    full = {**shown, "settings": {"a": [1]}, "pinned": True, "archived": True, "agentId": "x"}

    again = api("PUT", "conversations/c-1", {**full, "messages": said("x")}).body

    assert {name for name in full if again[name] != full[name]} <= {
        "version",
        "etag",
        "messageCount",
        "preview",
    }
    told(api.put("c-1", colour="red"), 400, "unknown_field", fields=["colour"])
    assert math.isclose(again["updatedAt"], full["updatedAt"])
