"""Scenarios D, the server's side: edits of two devices, clocks, conflicts. Devices are the faithful ones of the machine."""

from collections.abc import Callable

import pytest
from pytest_django import Settings

from history.clock import now_ms
from history.models import Conversation
from tests.history.conftest import Api, said
from tests.history.devices import Device, Put, Service
from tests.scenarios.whole import rows
from tests.support.engine import Engine, spoken
from tests.support.scripted import says

QUIET = (None, None, None)
HOUR, DECADE = 3_600_000, 10 * 365 * 24 * 3_600_000
NOW = 1_764_500_000_000

Devices = Callable[[str], Device]
Told = Callable[..., None]


def pair(service: Service, device: Devices) -> tuple[Device, Device]:
    """Return two devices that both hold version 1 of c1."""
    a, b = device("a"), device("b")
    a.edit("c1", "one", now=NOW)
    for it in (a, b):
        it.sync(service, faults=QUIET)
    return a, b


def settle(service: Service, *devices: Device) -> None:
    for _ in range(3):
        for it in devices:
            it.sync(service, faults=QUIET)


def words(it: Device) -> set[tuple[str, ...]]:
    return {mine.words for mine in it.local.values()}


@pytest.mark.parametrize("skew", [-HOUR, 0, DECADE], ids=["behind", "equal", "ahead"])
def test_d01_d02_an_edit_made_after_a_pull_arrives_whatever_the_clock(
    service: Service, device: Devices, skew: int
) -> None:
    a, b = pair(service, device)

    edited = service.put(Put("c1", ("one", "two"), NOW + skew, b.local["c1"].base))
    settle(service, b, a)

    assert edited.status == 200
    assert words(a) == words(b) == {("one", "two")}
    assert service.live() == {"c1": ("one", "two")}


def test_d02_a_clock_ten_years_ahead_pins_nothing_to_the_top(api: Api) -> None:
    now = now_ms()
    api.put("c-ahead", updatedAt=now + DECADE)
    Conversation.objects.update(server_updated_at=now - HOUR, sort_at=now - HOUR + 300_000)

    api.put("c-new", updatedAt=now)

    listed = api.list().body["conversations"]
    assert [row["id"] for row in listed] == ["c-new", "c-ahead"]
    assert listed[1]["updatedAt"] == now + DECADE
    api.put("c-ahead", updatedAt=now + DECADE)
    ahead = Conversation.objects.get(cid="c-ahead")
    assert ahead.sort_at == ahead.server_updated_at + 300_000


def test_d03_two_edits_of_one_version_are_both_kept(service: Service, device: Devices) -> None:
    a, b = pair(service, device)
    a.edit("c1", "mine", now=NOW + 1)
    b.edit("c1", "theirs", now=NOW + 1)

    etag = a.local["c1"].base
    first = service.put(Put("c1", a.local["c1"].words, NOW + 1, etag))
    second = service.put(Put("c1", b.local["c1"].words, NOW + 1, etag))
    settle(service, b, a)

    assert (first.status, second.status, second.etag) == (200, 412, first.etag)
    assert words(a) == words(b) == {("one", "mine"), ("one", "theirs")}


def test_d04_a_list_that_the_server_continues_is_taken_without_an_upload(
    service: Service, device: Devices
) -> None:
    a, b = pair(service, device)
    b.edit("c1", "two", now=NOW + 1)
    service.put(Put("c1", ("one", "two", "three"), NOW, a.local["c1"].base))
    before = service.tried

    b.sync(service, faults=QUIET)

    assert words(b) == {("one", "two", "three")}
    assert service.tried == before


def test_d05_a_list_that_continues_the_servers_is_uploaded_with_its_tag(
    service: Service, device: Devices
) -> None:
    a, b = pair(service, device)
    service.put(Put("c1", ("one", "two"), NOW, a.local["c1"].base))
    b.edit("c1", "two", now=NOW + 1)
    b.edit("c1", "three", now=NOW + 2)

    settle(service, b)

    assert service.live() == {"c1": ("one", "two", "three")}
    assert (service.versions["c1"], service.accepted) == (3, 3)


def test_d06_d07_equal_times_decide_nothing_and_equal_words_need_no_upload(
    service: Service, device: Devices
) -> None:
    a, b = pair(service, device)
    for it, word in ((a, "mine"), (b, "theirs")):
        it.edit("c1", word, now=NOW + 5)
    settle(service, a, b)
    forked, before = words(a), service.accepted
    a.edit("c1", "same", now=NOW + 9)
    service.put(Put("c1", a.local["c1"].words, NOW + 7, a.local["c1"].base))
    settle(service, a, b)

    assert forked == {("one", "mine"), ("one", "theirs")}
    assert words(a) == words(b) == {("one", "mine", "same"), ("one", "theirs")}
    assert service.accepted == before + 1


def test_d08_a_put_whose_answer_was_lost_is_one_version_and_is_recognised(
    service: Service, device: Devices
) -> None:
    a, _ = pair(service, device)
    a.edit("c1", "two", now=NOW + 1)
    a.sync(service, faults=(None, None, "answer"))
    written = service.accepted

    retried = service.put(Put("c1", a.local["c1"].words, NOW + 1, a.local["c1"].base))
    settle(service, a)

    assert retried.status == 412
    assert service.accepted == written == 2
    assert (a.local["c1"].base, a.local["c1"].dirty) == (retried.etag, False)


def test_d09_an_id_of_a_send_used_for_another_writes_nothing(engine: Engine) -> None:
    """Idempotency belongs to sends: their `turnId` is the key."""
    engine.say("open V1", turn_id="t-1")
    before = rows()
    api = Api(engine.owner)

    answer = api(
        "POST", "chat/stream", {"conversationId": "c-1", "turnId": "t-1", "message": "open V2"}
    )

    assert (answer.status_code, answer.body["error"]["code"]) == (422, "mismatch")
    assert rows() == before


def test_d10_a_simple_client_without_conditions_overwrites_and_devices_follow(
    service: Service, device: Devices
) -> None:
    a, b = pair(service, device)
    a.edit("c1", "mine", now=NOW + 1)

    blind = service.put(Put("c1", ("all", "new"), 1, None), blind=True)
    settle(service, a, b)

    assert blind.status == 200
    assert words(a) == words(b) == {("all", "new"), ("one", "mine")}


def test_d11_a_rename_while_a_turn_runs_and_the_turn_both_survive(engine: Engine) -> None:
    engine.script(says("It is open."))
    turn = engine.send("open V1")
    other = Api(engine.owner)

    renamed = other("PATCH", "conversations/c-1", {"title": "Valves", "pinned": True})
    engine.watch(turn)

    stored = other.get("c-1").body
    assert renamed.body["live"] == {"turnId": turn.turn_id, "status": "running"}
    assert (stored["title"], stored["pinned"]) == ("Valves", True)
    assert [spoken(message) for message in stored["messages"]] == ["open V1", "It is open."]
    assert stored["version"] == renamed.body["version"] + 1


def test_d14_d15_a_list_cut_short_elsewhere_is_taken_by_the_clean_and_forked_by_the_dirty(
    service: Service, device: Devices
) -> None:
    a, b = pair(service, device)
    for word in ("two", "three"):
        a.edit("c1", word, now=NOW + 1)
    settle(service, a, b)
    c = device("c")
    c.sync(service, faults=QUIET)
    c.edit("c1", "four", now=NOW + 2)

    service.put(Put("c1", ("one", "anew"), NOW + 3, a.local["c1"].base))
    b.sync(service, faults=QUIET)
    clean = words(b)
    settle(service, c, b)

    assert clean == {("one", "anew")}
    assert words(b) == words(c) == {("one", "anew"), ("one", "two", "three", "four")}


def test_d16_what_is_too_large_or_no_list_is_refused_alone(
    api: Api, told: Told, settings: Settings
) -> None:
    api.put("c-0")
    before = rows()
    settings.KENNY_MAX_BODY = settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 2000

    told(api.put("c-1", messages=said("x" * 2000)), 413, "too_large", limit=2000)
    told(api.put("c-2", messages=[{"role": "user"}]), 400, "bad_request")

    assert rows() == before
    assert api.put("c-3").status_code == 201


def test_d17_a_condition_on_a_tombstone_is_410(api: Api, told: Told) -> None:
    etag = api.put("c-1").body["etag"]
    api.delete("c-1")

    for tag in (etag, '"9.other"', "*"):
        told(api.put("c-1", if_match=tag), 410, "deleted", version=2)
    told(api.put("c-1", if_none_match="*"), 410, "deleted", version=2)


def test_d18_any_version_of_an_unknown_id_is_412(api: Api, told: Told) -> None:
    told(api.put("c-1", if_match="*"), 412, "conflict", version=None)

    assert not Conversation.objects.exists()
