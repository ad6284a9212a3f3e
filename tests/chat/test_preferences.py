"""What a person prefers: the same on every device, checked value by value, exported and taken back."""

import json

import pytest
from django.contrib.auth.models import User
from django.test import Client

from chat import preferences
from chat.preferable import NAMES
from history.archive import MANIFEST
from tests.chat.test_pages import config_of
from tests.history.archives import exported, packed, taken, unpacked
from tests.history.conftest import Api
from tests.support.engine import Engine
from tests.support.listing import entry, lists

NOTHING = dict.fromkeys(NAMES)


@pytest.fixture
def other(db: None) -> User:
    return User.objects.create_user("bob")


@pytest.fixture
def api(engine: Engine) -> Api:
    return Api(engine.owner)


class TestPreferences:
    def test_are_null_until_something_is_chosen(self, api: Api) -> None:
        answer = api("GET", "preferences")

        assert (answer.status_code, answer.body) == (200, NOTHING)

    def test_keep_each_value_and_take_null_for_none(self, api: Api) -> None:
        chosen = {
            "sendKey": "ctrl",
            "announcements": "ends",
            "language": "de",
            "model": "claude-sonnet-5-5",
            "agentId": "kenny",
        }

        assert api("PATCH", "preferences", chosen).body == chosen
        assert set(chosen) == set(NAMES)
        answer = api("PATCH", "preferences", {"model": None, "sendKey": "enter"})

        assert answer.body == {**chosen, "model": None, "sendKey": "enter"}
        assert api("GET", "preferences").body == answer.body

    @pytest.mark.parametrize(
        ("body", "named"),
        [
            ({"sendKey": "space"}, "sendKey"),
            ({"announcements": "all"}, "announcements"),
            ({"language": "tlh"}, "language"),
            ({"agentId": "nobody"}, "agentId"),
            ({"model": "never-listed"}, "model"),
            ({"model": "x" * 129}, "model"),
            ({"model": ""}, "model"),
        ],
    )
    def test_refuse_what_is_not_offered_and_store_nothing_of_the_rest(
        self, engine: Engine, api: Api, body: dict[str, str], named: str
    ) -> None:
        lists(engine, entry())

        answer = api("PATCH", "preferences", {"sendKey": "ctrl", **body})

        assert answer.status_code == 400
        assert (answer.body["error"]["code"], answer.body["error"]["field"]) == (
            "bad_request",
            named,
        )
        assert api("GET", "preferences").body == NOTHING

    def test_refuse_other_names_other_types_and_other_bodies(self, api: Api) -> None:
        theme = api("PATCH", "preferences", {"theme": "dark"})
        number = api("PATCH", "preferences", {"sendKey": 1})
        some = api("PATCH", "preferences", [1])

        assert (theme.status_code, theme.body["error"]["fields"]) == (400, ["theme"])
        assert [answer.status_code for answer in (number, some)] == [400, 400]

    def test_belong_to_one_account(self, api: Api, other: User) -> None:
        api("PATCH", "preferences", {"sendKey": "ctrl"})

        assert Api(other)("GET", "preferences").body == NOTHING
        assert Api(None)("GET", "preferences").status_code == 401

    def test_stand_in_the_page(self, client: Client, other: User) -> None:
        preferences.change(other.pk, {"announcements": "ends"})
        client.force_login(other)

        config = config_of(client.get("/").content.decode())

        assert config["preferences"] == {**NOTHING, "announcements": "ends"}

    def test_a_language_chosen_elsewhere_holds_here_from_the_first_page(
        self, client: Client, other: User
    ) -> None:
        preferences.change(other.pk, {"language": "de"})
        client.force_login(other)

        answer = client.get("/", headers={"accept-language": "en"})

        assert answer.headers["Content-Language"] == "de"
        assert '<html lang="de"' in answer.content.decode()
        assert answer.cookies["language"].value == "de"
        assert "language" not in client.get("/").cookies


class TestMoving:
    def test_an_export_has_them_and_an_import_takes_what_is_not_chosen(
        self, engine: Engine, api: Api, other: User
    ) -> None:
        api("PATCH", "preferences", {"sendKey": "ctrl", "language": "de"})
        preferences.change(other.pk, {"language": "en"})
        archive = exported(engine.owner.pk)
        assert json.loads(unpacked(archive)[MANIFEST])["preferences"] == {
            "sendKey": "ctrl",
            "language": "de",
        }

        taken(other.pk, archive)

        kept = preferences.of(other.pk)
        assert kept == {**NOTHING, "sendKey": "ctrl", "language": "en"}

    @pytest.mark.parametrize(
        "odd", [None, "x", [1], {"sendKey": "space", "theme": 1}, {"model": "m" * 5000}]
    )
    def test_an_import_passes_over_what_makes_no_sense(
        self, engine: Engine, api: Api, odd: object
    ) -> None:
        parts = unpacked(exported(engine.owner.pk))
        parts[MANIFEST] = json.dumps({**json.loads(parts[MANIFEST]), "preferences": odd}).encode()

        taken(engine.owner.pk, packed(parts))

        assert api("GET", "preferences").body == NOTHING
