"""Scenarios A: versions and tombstones of one conversation."""

import hashlib
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.test import Client

from history import hooks, store
from history.models import Blob, BlobLink, Conversation, SearchText
from history.rows import look_up
from tests.chat.starting import together
from tests.history.conftest import Api, picture, said
from tests.history.test_blobs import shot
from tests.scenarios.whole import rows

Told = Callable[..., None]


def with_picture(data: bytes) -> list[dict[str, Any]]:
    return [{"role": "user", "content": [shot(data)]}]


def test_a01_the_first_put_is_version_one_under_the_next_number(api: Api) -> None:
    before = api.put("c-0").body

    answer = api.put("c-1")

    assert (before["version"], answer.status_code, answer.body["version"]) == (1, 201, 1)
    assert api.seq == 2


def test_a02_a_version_in_the_body_means_nothing(api: Api) -> None:
    api.put("c-1")

    answer = api.put("c-1", version=99)

    assert (answer.status_code, answer.body["version"]) == (200, 2)


def test_a03_a_delete_leaves_version_and_moment_and_no_content(api: Api) -> None:
    data = picture()
    api.put("c-1", messages=with_picture(data))

    answer = api.delete("c-1")

    row = Conversation.objects.get()
    assert (answer.status_code, answer.body["version"]) == (200, 2)
    assert (row.title, row.messages, row.preview, row.message_count) == ("", [], "", 0)
    assert [model.objects.count() for model in (BlobLink, Blob, SearchText)] == [0, 0, 0]
    listed = api.list().body
    assert (listed["conversations"], listed["deleted"]) == ([], [answer.body])


def test_a04_a_second_delete_changes_nothing(api: Api) -> None:
    api.put("c-1")
    first = api.delete("c-1")
    before = rows()

    again = api.delete("c-1")

    assert (again.status_code, again.body) == (200, first.body)
    assert rows() == before


def test_a05_a_delete_of_an_id_never_seen_keeps_it_dead(api: Api, told: Told) -> None:
    assert api.delete("c-1").body["version"] == 1
    before = rows()

    told(api.put("c-1"), 410, "deleted", version=1)

    assert rows() == before


def test_a06_dead_unknown_and_foreign_are_told_apart_as_far_as_they_may(
    api: Api, stranger: Api, told: Told
) -> None:
    api.put("c-dead")
    api.delete("c-dead")
    stranger.put("c-his")

    told(api.get("c-dead"), 410, "deleted", version=2)
    told(api.get("c-none"), 404, "not_found")
    assert api.get("c-his").body == api.get("c-none").body
    assert api.get("c-his").status_code == 404


def test_a07_nothing_touches_a_tombstone(api: Api, told: Told) -> None:
    api.put("c-1")
    api.delete("c-1")
    before = rows()

    told(api.put("c-1"), 410, "deleted")
    bulk = {"conversations": [{"id": "c-1", "title": "T", "messages": said("x")}]}
    assert api("PUT", "conversations/bulk", bulk).body == {
        "count": 0,
        "skipped": ["c-1"],
        "busy": [],
    }
    assert api("DELETE", "conversations").body["count"] == 0

    assert rows() == before


def test_a08_twenty_writers_of_one_id_each_count_once(
    committed: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    committed.put("c-1")
    numbers: list[str] = []
    monkeypatch.setattr(hooks, "changed", [lambda change: numbers.append(change.cursor)])

    answers = together(
        *(partial(Api(committed.user).put, "c-1", title=f"writer {n}") for n in range(20))
    )

    assert sorted(answer.body["version"] for answer in answers) == list(range(2, 22))
    assert len(set(numbers)) == 20
    row = Conversation.objects.get()
    assert (row.version, committed.seq) == (21, 21)
    assert row.title in {f"writer {n}" for n in range(20)}


@pytest.mark.parametrize(
    ("conditions", "statuses", "version"),
    [({}, [200, 201], 2), ({"if_none_match": "*"}, [201, 412], 1)],
)
def test_a09_of_two_first_writes_one_is_the_first(
    committed: Api, conditions: dict[str, str], statuses: list[int], version: int
) -> None:
    for number in range(4):
        cid = f"c-{number}"

        answers = together(*[partial(Api(committed.user).put, cid, **conditions)] * 2)

        assert sorted(answer.status_code for answer in answers) == statuses
        assert committed.get(cid).body["version"] == version


def test_a10_a_delete_between_look_up_and_update_wins(
    api: Api, told: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    api.put("c-1")
    looked_up = look_up(owner_id=api.owner_id, cid="c-1")
    api.delete("c-1")
    before = rows()
    monkeypatch.setattr("history.saving.look_up", lambda **_which: looked_up)

    told(api.put("c-1"), 410, "deleted", version=2)

    assert rows() == before


@pytest.mark.parametrize("conditional", [True, False])
def test_a11_a_put_that_comes_after_the_delete_is_refused(
    api: Api, told: Told, *, conditional: bool
) -> None:
    etag = api.put("c-1").body["etag"]
    api.delete("c-1")

    told(api.put("c-1", if_match=etag if conditional else ""), 410, "deleted")


def test_a12_a_put_and_a_delete_of_an_unseen_id_end_in_a_tombstone(committed: Api) -> None:
    for number in range(4):
        cid = f"c-{number}"

        put, delete = partial(Api(committed.user).put, cid), partial(committed.delete, cid)
        answers = together(put, delete)

        row = Conversation.objects.with_cid(cid).get()
        refused = [answer for answer in answers if answer.status_code == 410]
        assert {answer.status_code for answer in answers} <= {200, 201, 410}
        assert row.is_deleted
        assert row.version == (1 if refused else 2)
    committed.put("c-first")
    assert committed.delete("c-first").body["version"] == 2
    assert committed.delete("c-last").body["version"] == 1
    assert committed.put("c-last").status_code == 410


def test_a13_a_refused_put_leaves_no_number_and_no_image(api: Api) -> None:
    api.put("c-1", messages=with_picture(picture()))
    api.delete("c-dead")
    before = rows()
    new = with_picture(picture())

    for answer, status in [
        (api.put("c-dead", messages=new), 410),
        (api.put("c-1", messages=new, if_match='"1.stale"'), 412),
        (api.put("c-1", messages=new, if_none_match="*"), 412),
        (api.put("c-1", messages=[*new, {"role": 7}]), 400),
        (api.put("c-1", messages=new, colour="red"), 400),
        (api.put("c-1", messages=new, settings={"long": "x" * 20_000}), 413),
    ]:
        assert answer.status_code == status

    assert rows() == before


def test_a14_delete_all_gives_each_live_one_a_number_and_spares_the_dead(api: Api) -> None:
    for number in range(5):
        api.put(f"c-{number}")
    for number in (3, 4):
        api.delete(f"c-{number}")
    dead = list(Conversation.objects.buried().order_by("pk").values())

    answer = api("DELETE", "conversations")

    assert (answer.body["count"], api.seq) == (3, 10)
    assert list(Conversation.objects.filter(cid__in=["c-3", "c-4"]).order_by("pk").values()) == dead
    numbers = Conversation.objects.exclude(cid__in=["c-3", "c-4"]).values_list("seq", flat=True)
    assert set(numbers) == {8, 9, 10}


def test_a15_a_tombstone_cannot_be_edited(api: Api) -> None:
    api.put("c-1")
    api.delete("c-1")
    before = rows()
    root = Client()
    root.force_login(User.objects.create_superuser("root"))
    pk = Conversation.objects.get().pk

    answer = root.post(f"/admin/history/conversation/{pk}/change/", {"title": "back"})
    with pytest.raises(IntegrityError), transaction.atomic():
        Conversation.objects.filter(pk=pk).update(messages=said("back"))

    assert answer.status_code == 403
    assert {**rows(), "Look": []} == before


def test_a03_a_delete_takes_the_image_from_its_address(api: Api) -> None:
    data = picture()
    api.put("c-1", messages=with_picture(data))
    path = f"c-1/images/{hashlib.sha256(data).hexdigest()}"
    assert api.get(path).content == data

    store.bury(owner_id=api.owner_id, cid="c-1", now=1)

    assert api.get(path).status_code == 410
