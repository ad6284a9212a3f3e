"""Images out of the JSON and back, byte-identical."""

import base64
import hashlib
import json
import os
from typing import Any

import pytest
from django.db import connection, transaction
from django.db.models import TextField
from django.db.models.functions import Cast, Length
from django.test.utils import CaptureQueriesContext
from hypothesis import given
from hypothesis import strategies as st

from history import store
from history.blobs import BlobText, externalise, find_inline, hydrate, image_url, references
from history.models import Blob, BlobLink, Conversation
from tests.history.conftest import Api, picture, said

LARGE = base64.b64encode(os.urandom(4000)).decode()


def source(data: Any) -> dict[str, Any]:
    return {"type": "base64", "media_type": "image/png", "data": data}


def shot(data: bytes) -> dict[str, Any]:
    """Return an image block as the Messages API takes it."""
    return {"type": "image", "source": source(base64.b64encode(data).decode())}


def block(data: Any) -> list[dict[str, Any]]:
    return [{"role": "user", "content": [{"type": "image", "source": source(data)}]}]


def back(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    skeleton, found = externalise(messages)
    return hydrate(
        json.loads(json.dumps(skeleton)), {sha256: image.data() for sha256, image in found.items()}
    )


texts = st.text(max_size=20)
datas: st.SearchStrategy[Any] = st.one_of(
    st.binary(min_size=3072, max_size=3100).map(lambda raw: base64.b64encode(raw).decode()),
    st.binary(max_size=30).map(lambda raw: base64.b64encode(raw).decode()),
    texts,
    st.sampled_from(
        [LARGE[:-4] + "QR==", LARGE + "\n", LARGE.replace("A", "-"), None, 7, [LARGE], {}]
    ),
    st.dictionaries(
        st.sampled_from(["$blob", "$$blob", "$$$blob", "blob", "$"]), texts, max_size=2
    ),
)
sources = st.fixed_dictionaries(
    {"type": st.sampled_from(["base64", "url"])}, optional={"data": datas, "x": texts}
)
images = st.fixed_dictionaries(
    {"type": st.sampled_from(["image", "document", "text"])},
    optional={"source": sources, "text": texts},
)
results = st.fixed_dictionaries(
    {"type": st.just("tool_result")},
    optional={"content": st.one_of(texts, st.lists(images, max_size=3))},
)
messages = st.lists(
    st.fixed_dictionaries(
        {
            "role": st.just("user"),
            "content": st.one_of(texts, st.lists(st.one_of(images, results), max_size=4)),
        }
    ),
    max_size=4,
)


class TestExternalise:
    @given(messages)
    def test_is_undone_by_hydrate_whatever_the_list(
        self, given_messages: list[dict[str, Any]]
    ) -> None:
        before = json.dumps(given_messages)

        assert json.dumps(back(given_messages)) == before
        assert json.dumps(given_messages) == before

    def test_takes_large_images_out_at_both_places(self) -> None:
        result = {"type": "tool_result", "tool_use_id": "t", "content": block(LARGE)[0]["content"]}
        skeleton, found = externalise([*block(LARGE), {"role": "user", "content": [result]}])

        sha256 = hashlib.sha256(base64.b64decode(LARGE)).hexdigest()
        assert list(found) == [sha256]
        assert LARGE not in json.dumps(skeleton)
        assert references(skeleton) == {sha256}

    @pytest.mark.parametrize(
        "data",
        [LARGE[:-4] + "QR==", LARGE + "\n", "A" * 4095, "é" * 5000, LARGE.replace("+", "-") + "_"],
    )
    def test_leaves_small_and_non_canonical_data_where_it_is(self, data: str) -> None:
        skeleton, found = externalise(block(data))

        assert (skeleton, found) == (block(data), {})

    @pytest.mark.parametrize(
        "own", [{"$blob": "a" * 64}, {"$$blob": 1}, {"$blob": "x", "y": 1}, {"other": 1}]
    )
    def test_never_takes_a_clients_own_object_for_a_reference(self, own: dict[str, Any]) -> None:
        skeleton, _ = externalise(block(own))

        assert references(skeleton) == set()
        assert hydrate(skeleton, {}) == block(own)

    def test_does_not_hash_again_what_came_out_of_a_blob(self) -> None:
        known = BlobText.of(b"x" * 4000, sha256="known")

        skeleton, found = externalise(block(known))

        assert (references(skeleton), found["known"].data()) == ({"known"}, b"x" * 4000)


class TestHydrate:
    def test_fails_loudly_when_an_image_is_missing(self) -> None:
        skeleton, _ = externalise(block(LARGE))

        with pytest.raises(KeyError):
            hydrate(skeleton, {})


class TestImageUrl:
    def test_describes_an_image_of_a_whole_list_by_its_bytes(self) -> None:
        data = picture(size=10)

        described = image_url("c-1")(
            {**shot(data), "source": {**source(None), **shot(data)["source"]}}
        )

        sha256 = hashlib.sha256(data).hexdigest()
        assert described == {
            "url": f"/api/conversations/c-1/images/{sha256}",
            "mediaType": "image/png",
            "width": 8,
            "height": 6,
        }

    @pytest.mark.parametrize("data", ["%%%", "aGVsbG8=", None, {"$blob": "x"}, 7])
    def test_says_nothing_of_what_is_no_image(self, data: Any) -> None:
        assert image_url("c-1")({"type": "image", "source": source(data)}) is None
        assert (
            image_url("c-1")(
                {"type": "image", "source": {"type": "url", "url": "https://example.org"}}
            )
            is None
        )
        assert image_url("c-1")({"type": "image"}) is None


class TestFindInline:
    def test_finds_a_small_image_by_its_hash(self) -> None:
        data = picture(size=10)
        listed = [*block("%%"), {"role": "user", "content": [shot(data)]}]

        assert find_inline(listed, sha256=hashlib.sha256(data).hexdigest()) == data
        assert find_inline(listed, sha256="0") is None


class TestRows:
    def test_a_list_comes_back_equal_and_an_image_is_stored_once(self, api: Api) -> None:
        data = picture()
        listed = [
            {"role": "user", "content": [shot(data), shot(data), shot(picture(size=5))]},
            *said("x"),
        ]

        for _ in range(3):
            api.put("c-1", messages=listed)

        assert json.dumps(api.get("c-1").body["messages"]) == json.dumps(listed)
        blob = Blob.objects.get()
        assert (bytes(blob.data), blob.media_type, blob.width, blob.height) == (
            data,
            "image/png",
            8,
            6,
        )

    def test_a_large_image_is_kept_once_and_lists_read_none_of_it_t80(self, api: Api) -> None:
        data = picture(size=2_000_000)
        api.put("c-1", messages=[{"role": "user", "content": [shot(data), shot(data)]}])

        with CaptureQueriesContext(connection) as asked:
            listed = api("GET", "conversations")

        row = Conversation.objects.values_list(Length(Cast("messages", TextField())), flat=True)
        assert row.get() < 2_000
        assert [len(blob.data) for blob in Blob.objects.all()] == [len(data)]
        assert len(listed.content) < 2_000
        assert not any('"messages"' in query["sql"] for query in asked.captured_queries)
        assert not any('"data"' in query["sql"] for query in asked.captured_queries)

    def test_an_image_goes_with_the_list_that_showed_it(self, api: Api) -> None:
        api.put("c-1", messages=[{"role": "user", "content": [shot(picture()), shot(picture())]}])
        kept = api.get("c-1").body["messages"][0]["content"][0]

        api.put("c-1", messages=[{"role": "user", "content": [kept]}])

        assert (Blob.objects.count(), BlobLink.objects.count()) == (1, 1)

    def test_an_image_can_be_shown_before_its_turn_settles(self, api: Api) -> None:
        small, large = picture(size=9), picture()
        api.put("c-1")
        row = store.find(owner_id=api.owner_id, cid="c-1")

        with transaction.atomic():
            store.locked(api.owner_id)
            store.attach(
                row, [shot(small)["source"], shot(large)["source"], source("%%"), source(None)]
            )
            store.attach(row, [shot(small)["source"]])

        for data in (small, large):
            answer = api.client.get(
                f"/api/conversations/c-1/images/{hashlib.sha256(data).hexdigest()}"
            )
            assert answer.content == data
        api.put("c-1", messages=[{"role": "user", "content": [shot(large)]}])
        assert [bytes(data) for data in Blob.objects.values_list("data", flat=True)] == [large]

    def test_a_scaled_copy_stands_beside_its_original(self, api: Api) -> None:
        data = picture()
        sha256 = hashlib.sha256(data).hexdigest()
        api.put("c-1", messages=[{"role": "user", "content": [shot(data)]}])

        for _ in range(2):
            store.keep_scaled(api.owner_id, sha256=sha256, data=b"small", media_type="image/jpeg")
        store.keep_scaled(api.owner_id, sha256="unknown", data=b"small", media_type="image/jpeg")

        assert store.scaled_copy(api.owner_id, sha256=sha256) == (b"small", "image/jpeg")
        assert store.scaled_copy(api.owner_id, sha256="unknown") is None
        api.delete("c-1")
        assert store.scaled_copy(api.owner_id, sha256=sha256) is None


class TestImageAddress:
    @pytest.mark.parametrize("size", [20, 30_000])
    def test_serves_the_bytes_to_their_owner_only(self, api: Api, stranger: Api, size: int) -> None:
        data = picture(size=size)
        api.put("c-1", messages=[{"role": "user", "content": [shot(data)]}])
        stranger.put("c-1")
        path = f"/api/conversations/c-1/images/{hashlib.sha256(data).hexdigest()}"

        answer = api.client.get(path)

        assert (answer.content, answer["Content-Type"]) == (data, "image/png")
        assert answer["X-Content-Type-Options"] == "nosniff"
        assert "immutable" in answer["Cache-Control"]
        assert "private" in answer["Cache-Control"]
        assert stranger.client.get(path).status_code == 404

    def test_serves_what_is_no_image_as_mere_bytes(self, api: Api) -> None:
        data = b"<script>alert(1)</script>" * 200
        api.put("c-1", messages=[{"role": "user", "content": [shot(data)]}])

        answer = api.client.get(f"/api/conversations/c-1/images/{hashlib.sha256(data).hexdigest()}")

        assert (answer.content, answer["Content-Type"]) == (data, "application/octet-stream")

    def test_tells_unknown_from_deleted(self, api: Api) -> None:
        api.put("c-1")
        assert api.get("c-1/images/00").status_code == 404
        assert api.get("c-2/images/00").status_code == 404
        api.delete("c-1")
        assert api.get("c-1/images/00").status_code == 410
