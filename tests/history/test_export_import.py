"""An account as a file and back: equal, nothing twice, nothing brought back to life, nothing half written."""

import json
import zipfile
from collections.abc import Callable
from io import BytesIO
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.contrib.auth.models import User
from django.test import AsyncClient
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chat import doors
from history import attachments, exporting, feed, store
from history.archive import CONVERSATIONS, DELETED, MANIFEST
from history.importing import MOST_REFUSED
from history.models import Blob, Conversation
from history.unpacking import Limits
from tests.history import archives
from tests.history.archives import account, chat, entries, exported, packed, taken, unpacked
from tests.history.conftest import Api, picture, run_turn, said
from tests.history.test_blobs import images, shot

Told = Callable[..., None]


def seen(data: bytes) -> list[dict[str, Any]]:
    return [{"role": "user", "content": [shot(data), {"type": "text", "text": "look"}]}]


class TestExport:
    def test_has_each_conversation_as_the_api_shows_it_with_references(self, api: Api) -> None:
        data = picture()
        api.put("c-1", title="Tïtle", messages=seen(data), settings={"b": 1e16, "a": 1})
        api.put("c-2", pinned=True)
        api.delete("c-3")

        answer = api.client.get("/api/export")
        parts = unpacked(answer.getvalue())

        first, second = map(json.loads, parts[CONVERSATIONS].splitlines())
        shown = api.get("c-1").body
        image = next(name for name in parts if name.startswith("images/"))
        assert parts[image] == data
        source = shown["messages"][0]["content"][0]["source"]
        source["data"] = {"$blob": image.removeprefix("images/")}
        assert (first, second) == (shown, api.get("c-2").body)
        assert [json.loads(parts[DELETED])] == api.list().body["deleted"]
        manifest = json.loads(parts[MANIFEST])
        assert (manifest["schema"], manifest["account"]) == (1, "alice")
        assert manifest["counts"] == {"conversations": 2, "deleted": 1, "images": 1}

    def test_is_a_download_that_nobody_keeps(self, api: Api) -> None:
        answer = api.client.get("/api/export")

        assert answer["Content-Type"] == "application/zip"
        assert answer["Content-Disposition"].startswith('attachment; filename="kenny-20')
        assert answer["Cache-Control"] == "no-store"
        assert answer.streaming
        assert set(unpacked(answer.getvalue())) == {CONVERSATIONS, DELETED, MANIFEST}

    def test_has_nothing_of_others_and_needs_a_person(
        self, api: Api, stranger: Api, told: Told
    ) -> None:
        stranger.put("c-1", title="secret")

        assert unpacked(exported(api.owner_id))[CONVERSATIONS] == b""
        told(Api(None)("GET", "export"), 401, "unauthenticated")
        told(Api(None)("POST", "import"), 401, "unauthenticated")

    def test_reads_again_what_is_rewritten_meanwhile(
        self, api: Api, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        api.put("c-1", messages=seen(picture()))
        newer, real = picture(), attachments.load

        def load(owner_id: int, hashes: list[str]) -> dict[str, bytes]:
            monkeypatch.setattr(attachments, "load", real)
            api.put("c-1", messages=seen(newer))
            return real(owner_id, hashes)

        monkeypatch.setattr(attachments, "load", load)
        parts = unpacked(exported(api.owner_id))

        assert [data for name, data in parts.items() if name.startswith("images/")] == [newer]
        assert json.loads(parts[CONVERSATIONS])["version"] == 2

    def test_leaves_out_what_dies_meanwhile(
        self, api: Api, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        api.put("c-1", messages=seen(picture()))
        real = attachments.load

        def load(owner_id: int, hashes: list[str]) -> dict[str, bytes]:
            api.delete("c-1")
            return real(owner_id, hashes)

        monkeypatch.setattr(attachments, "load", load)
        parts = unpacked(exported(api.owner_id))

        assert parts[CONVERSATIONS] == b""
        assert json.loads(parts[DELETED])["id"] == "c-1"

    def test_keeps_the_words_of_a_conversation_whose_image_is_lost(
        self, api: Api, stranger: Api
    ) -> None:
        api.put("c-1", messages=seen(picture()))
        api.put("c-2")
        Conversation.objects.get(cid="c-1").links.all().delete()
        Blob.objects.all().delete()

        done = taken(stranger.owner_id, exported(api.owner_id))

        assert done.count == 1
        assert [(item["id"], item["code"]) for item in done.refused] == [("c-1", "bad_request")]

    def test_reads_pages_of_rows(self, api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(exporting, "PAGE", 2)
        for number in range(5):
            api.put(f"c-{number}")
            api.delete(f"d-{number}")

        parts = unpacked(exported(api.owner_id))

        assert len(parts[CONVERSATIONS].splitlines()) == len(parts[DELETED].splitlines()) == 5

    def test_holds_one_image_at_a_time(self, api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(exporting, "SPOOL", 1000)
        for number in range(4):
            api.put(f"c-{number}", messages=[*seen(picture()), *seen(picture())])

        pieces = list(exporting.export(api.owner_id, account="alice", now=archives.NOW))

        assert max(map(len, pieces)) < 150_000
        assert sum(map(len, pieces)) > 240_000


@pytest.mark.django_db(transaction=True)
class TestServed:
    def test_is_streamed_in_threads_by_the_asynchronous_server(self) -> None:
        user = User.objects.create_user("alice")
        Api(user).put("c-1", messages=seen(picture()))
        client = AsyncClient()
        client.force_login(user)

        async def download() -> bytes:
            answer: Any = await client.get("/api/export")
            assert answer.is_async
            return b"".join([piece async for piece in answer.streaming_content])

        assert len(unpacked(async_to_sync(download)())[CONVERSATIONS].splitlines()) == 1

    @pytest.mark.parametrize("shut", [True, False])
    def test_ends_when_the_right_to_it_does(self, *, shut: bool) -> None:
        user = User.objects.create_user("alice")
        for number in range(4):
            Api(user).put(f"c-{number}", messages=seen(picture()))
        client = AsyncClient()
        client.force_login(user)

        async def download() -> bytes:
            answer: Any = await client.get("/api/export")
            got = b""
            async for piece in answer.streaming_content:
                got += piece
                (door,) = doors.all_doors()
                assert (door.user_id, door.token_key) == (user.pk, None)
                assert door.session_key == client.session.session_key
                door.close(doors.SIGN_IN_AGAIN) if shut else None
            return got

        got = async_to_sync(download)()

        assert zipfile.is_zipfile(BytesIO(got)) is not shut
        assert list(doors.all_doors()) == []


texts = st.text(st.characters(codec="utf-8"), max_size=20)
scalars = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), texts
)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)
blocks = st.lists(images | st.fixed_dictionaries({"type": texts, "x": values}), max_size=3)
results = st.fixed_dictionaries({"type": st.just("tool_result"), "content": blocks})
messages = st.lists(
    st.fixed_dictionaries(
        {
            "role": st.sampled_from(["user", "assistant"]),
            "content": texts | blocks | st.lists(results, max_size=2),
        }
    ),
    max_size=3,
)
titles = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=20)
times = st.integers(0, 2**53 - 1)
chats = st.fixed_dictionaries(
    {},
    optional={
        "title": titles, "agentId": st.none() | titles, "settings": st.dictionaries(texts, values, max_size=3),
        "pinned": st.booleans(), "archived": st.booleans(), "createdAt": times, "updatedAt": times,
        "messages": messages,
    },
)  # fmt: skip


class TestRoundTrip:
    @settings(
        max_examples=40,
        deadline=None,
        suppress_health_check=[HealthCheck.function_scoped_fixture],
    )
    @given(
        st.dictionaries(st.sampled_from("abcdef"), chats, max_size=4),
        st.sets(st.sampled_from("uvabc")),
    )
    def test_gives_back_an_equal_account(
        self, db: None, bodies: dict[str, Any], dead: set[str]
    ) -> None:
        User.objects.all().delete()
        source, target = (Api(User.objects.create_user(name)) for name in ("from", "to"))
        for cid, body in bodies.items():
            assert source("PUT", f"conversations/{cid}", body).status_code == 201
        for cid in dead:
            source.delete(cid)
        raw = exported(source.owner_id)

        first = taken(target.owner_id, raw)
        before = feed.cursor_for(target.owner_id)
        second = taken(target.owner_id, raw)

        assert account(target.owner_id) == account(source.owner_id)
        assert (first.count, first.refused, first.renamed) == (len(bodies.keys() - dead), [], {})
        assert (second.count, second.refused, second.renamed) == (0, [], {})
        assert set(second.skipped) == bodies.keys() - dead
        assert feed.cursor_for(target.owner_id) == before
        again = [unpacked(exported(each.owner_id)) for each in (source, target)]
        assert again[0].keys() == again[1].keys()

    def test_over_http_answers_what_became_of_it(self, api: Api, stranger: Api) -> None:
        api.put("c-1", messages=seen(picture()))
        api.put("c-2")
        stranger.put("c-2", title="mine")
        raw = api.client.get("/api/export").getvalue()

        answer = stranger("POST", "import", None)
        assert answer.status_code == 400
        answer = posted(stranger, raw)

        new = answer.json()["renamed"]["c-2"]
        assert answer.json() == {"count": 2, "skipped": [], "renamed": {"c-2": new}, "refused": []}
        assert stranger.get("c-1").body["messages"] == api.get("c-1").body["messages"]
        assert (stranger.get("c-2").body["title"], stranger.get(new).body["title"]) == ("mine", "T")

    def test_brings_what_was_said_into_the_search(self, api: Api, stranger: Api) -> None:
        api.put("c-1", messages=said("zeppelin"))

        taken(stranger.owner_id, exported(api.owner_id))

        assert [hit["id"] for hit in stranger.list("?q=zeppelin").body["conversations"]] == ["c-1"]

    def test_of_a_conversation_in_a_turn_leaves_the_turn_behind(
        self, api: Api, stranger: Api
    ) -> None:
        api.put("c-1")
        run_turn(api, "c-1")

        taken(stranger.owner_id, exported(api.owner_id))

        assert stranger.get("c-1").body["live"] is None
        assert taken(api.owner_id, exported(api.owner_id)).skipped == ["c-1"]


def posted(api: Api, raw: bytes, content_type: str = "application/zip") -> Any:
    return api.client.post("/api/import", data=raw, content_type=content_type)


class TestIds:
    def test_that_are_taken_or_dead_are_derived_once_and_for_all(self, api: Api) -> None:
        api.put("c-1", title="other")
        api.delete("c-2")
        raw = packed(entries(chat("c-1"), chat("c-2")))

        first, second = taken(api.owner_id, raw), taken(api.owner_id, raw)

        assert set(first.renamed) == {"c-1", "c-2"}
        assert (second.count, second.skipped) == (0, ["c-1", "c-2"])
        assert api.get("c-1").body["title"] == "other"
        assert api.get("c-2").status_code == 410
        assert all(api.get(cid).body["title"] == "T" for cid in first.renamed.values())

    def test_go_on_when_the_copy_was_changed_or_deleted(self, api: Api) -> None:
        raw = packed(entries(chat("c-1")))
        api.put("c-1", title="other")
        used = {"c-1"}

        for number in range(4):
            new = taken(api.owner_id, raw).renamed["c-1"]
            assert new not in used
            used.add(new)
            assert taken(api.owner_id, raw).skipped == ["c-1"]
            if number % 2:
                api.delete(new)
            else:
                api("PATCH", f"conversations/{new}", {"title": "changed"})

    def test_twice_in_a_file_are_two_conversations_or_one(self, api: Api) -> None:
        raw = packed(entries(chat(), chat(), chat(title="other")))

        done = taken(api.owner_id, raw)

        assert (done.count, done.skipped, set(done.renamed)) == (2, ["c-1"], {"c-1"})

    def test_of_a_line_without_times_are_found_again(self, api: Api) -> None:
        raw = packed(entries({"id": "c-1"}))

        assert taken(api.owner_id, raw).count == 1
        assert taken(api.owner_id, raw).skipped == ["c-1"]

    def test_that_somebody_else_took_a_moment_ago_are_looked_at_again(
        self, api: Api, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        real = store.save

        def save(**values: Any) -> Any:
            monkeypatch.setattr(store, "save", real)
            api.put(values["cid"], title="faster")
            return real(**values)

        monkeypatch.setattr(store, "save", save)
        done = taken(api.owner_id, packed(entries(chat())))

        assert api.get("c-1").body["title"] == "faster"
        assert api.get(done.renamed["c-1"]).body["title"] == "T"


class TestTombstones:
    def test_keep_an_unknown_id_dead_and_a_live_one_alive(self, api: Api) -> None:
        api.put("c-1")
        dead = [{"id": cid, "version": 2, "deletedAt": 7} for cid in ("c-1", "c-2")]

        for _ in range(2):
            assert taken(api.owner_id, packed(entries(dead=tuple(dead)))).refused == []

        assert api.get("c-1").status_code == 200
        assert api.list().body["deleted"] == [{"id": "c-2", "version": 1, "deletedAt": 7}]
        assert api.put("c-2").status_code == 410

    def test_from_the_future_are_of_now(self, api: Api) -> None:
        taken(api.owner_id, packed(entries(dead=({"id": "c-1", "deletedAt": 2**53 - 1},))))

        assert api.list().body["deleted"][0]["deletedAt"] == archives.NOW


STRANGE: list[Any] = [7, None, [], {}, "", "x" * 64, "../../etc/passwd", "a" * 64, "b" * 64]

BROKEN: list[tuple[Any, str]] = [
    (b"{", "bad_request"),
    (b"[]", "bad_request"),
    (b"\xff", "bad_request"),
    (b'{"id":"c","id":"d"}', "bad_request"),
    (b'{"id":"c","settings":{"a":NaN}}', "bad_request"),
    (b'{"id":"c","messages":' + b"[" * 70 + b"]" * 70 + b"}", "bad_request"),
    ({"title": "T"}, "invalid_id"),
    ({"id": "../c"}, "invalid_id"),
    ({"id": "bulk"}, "invalid_id"),
    ({"id": "c", "messages": 7}, "bad_request"),
    ({"id": "c", "messages": [{"role": "x", "content": ""}]}, "bad_request"),
    ({"id": "c", "title": "x" * 201}, "bad_request"),
    ({"id": "c", "createdAt": -1}, "bad_request"),
    ({"id": "c", "owner": 1}, "unknown_field"),
    ({"id": "c", "settings": {"a": "x" * 20_000}}, "too_large"),
    *[
        ({"id": "c", "messages": [{"role": "user", "content": [{"type": "image", "source": {"type": "base64", "data": {"$blob": what}}}]}]}, "bad_request")
        for what in STRANGE
    ],
]  # fmt: skip


class TestRefusal:
    @pytest.mark.parametrize(("line", "code"), BROKEN)
    def test_names_the_line_and_takes_the_rest(self, api: Api, line: Any, code: str) -> None:
        raw = packed({"images/" + "b" * 64: b"another", **entries(chat("a"), line, chat("z"))})

        done = taken(api.owner_id, raw)

        assert done.count == 2
        (refused,) = done.refused
        assert refused["code"] == code
        assert refused["message"]
        assert refused.get("line") == 2 or refused.get("id") == "c"
        assert {row["id"] for row in api.list().body["conversations"]} == {"a", "z"}
        assert not Blob.objects.exists()

    @pytest.mark.parametrize(
        "line", [b"x", {"id": "c"}, {"id": "c", "deletedAt": True}, {"id": "c", "deletedAt": -1}, {"deletedAt": 1}]
    )  # fmt: skip
    def test_of_a_tombstone_takes_the_rest(self, api: Api, line: Any) -> None:
        done = taken(api.owner_id, packed(entries(dead=(line, {"id": "d", "deletedAt": 1}))))

        assert len(done.refused) == 1
        assert [row["id"] for row in api.list().body["deleted"]] == ["d"]

    def test_of_what_is_too_large_takes_the_rest(self, api: Api) -> None:
        raw = exported_images(api, 3, 30_000)
        limits = Limits(total=10**7, line=10**5, conversation=80_000)

        done = taken(Api(User.objects.create_user("x")).owner_id, raw, limits=limits)

        assert done.count == 1
        assert [(item["id"], item["code"]) for item in done.refused] == [("large", "too_large")]

    def test_of_a_damaged_image_takes_the_rest(self, api: Api, stranger: Api) -> None:
        parts = unpacked(exported_images(api, 1, 30_000))
        name = next(name for name in parts if name.startswith("images/"))
        raw = bytearray(packed(parts, compression=zipfile.ZIP_STORED))
        raw[raw.index(parts[name]) + 20_000] ^= 1

        done = taken(stranger.owner_id, bytes(raw))

        assert (done.count, [item["id"] for item in done.refused]) == (1, ["large"])

    def test_of_too_much_ends_the_reading(self, api: Api) -> None:
        raw = packed(entries(*[b"x"] * 3000, chat()))

        done = taken(api.owner_id, raw, limits=None)

        assert (done.count, len(done.refused)) == (0, MOST_REFUSED + 1)
        assert done.refused[-1]["message"] == "The rest was not read."

    def test_of_the_whole_writes_nothing(self, api: Api, told: Told) -> None:
        bomb = packed(entries(chat(), b" " * 30_000_000))

        answers = [posted(api, raw) for raw in (b"", b"x", bomb, packed({"../x": b""}))]

        assert [answer.status_code for answer in answers] == [400, 400, 413, 400]
        assert all(answer.json()["error"]["message"] for answer in answers)
        assert posted(api, packed(entries(chat())), "application/json").status_code == 400
        assert not Conversation.objects.exists()

    def test_of_a_body_over_the_limit_names_it(self, api: Api, settings: Any) -> None:
        raw = exported_images(api, 1, 3000)
        settings.KENNY_MAX_BODY = settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 1024

        answer = posted(api, raw)

        assert answer.status_code == 413
        assert answer.json()["error"]["limit"] == 1024


def exported_images(api: Api, count: int, size: int) -> bytes:
    """Return an export of a conversation with so many images, and one without."""
    api.put("large", messages=[seen(picture(size=size))[0] for _ in range(count)])
    api.put("small")
    return exported(api.owner_id)
