"""GET /api/chat/models, and a choice that is judged when a message is sent."""

from typing import Any

import pytest

from chat.threads import in_thread
from history import store
from tests.history.conftest import Api
from tests.support.engine import Engine
from tests.support.listing import entry, lists


@pytest.fixture
def api(engine: Engine) -> Api:
    return Api(engine.owner)


class TestListing:
    def test_names_models_and_default(self, engine: Engine, api: Api) -> None:
        lists(engine, entry(), entry("claude-opus-5-5"))

        answer = api("GET", "chat/models")

        assert answer.status_code == 200
        assert answer.body["default"] == "claude-sonnet-5-5"
        assert [model["id"] for model in answer.body["models"]] == [
            "claude-sonnet-5-5",
            "claude-opus-5-5",
        ]

    def test_is_the_default_where_the_provider_lists_nothing(self, api: Api) -> None:
        answer = api("GET", "chat/models")

        assert [model["id"] for model in answer.body["models"]] == ["claude-sonnet-5-5"]

    def test_is_asked_for_when_none_is_known(self, engine: Engine, api: Api) -> None:
        async def models() -> list[dict[str, Any]]:
            return [entry("claude-late")]

        engine.model.known = list  # type: ignore[attr-defined]  # a provider that lists
        engine.model.models = models  # type: ignore[attr-defined]  # as above
        answer = engine.run(in_thread(api, "GET", "chat/models"))

        assert [model["id"] for model in answer.body["models"]] == [
            "claude-sonnet-5-5",
            "claude-late",
        ]

    def test_is_for_people_who_are_signed_in(self, engine: Engine) -> None:
        assert Api(None)("GET", "chat/models").status_code == 401


class TestSend:
    @pytest.mark.parametrize(
        ("settings", "field"),
        [({"model": "nobody"}, "settings.model"), ({"effort": "max"}, "settings.effort")],
    )
    def test_is_refused_for_what_is_not_offered_and_changes_nothing(
        self, engine: Engine, api: Api, settings: dict[str, str], field: str
    ) -> None:
        lists(engine, entry())
        api.put("c-1", settings=settings, messages=[])

        answer = api("POST", "chat/stream", {"conversationId": "c-1", "message": "hi"})

        error = answer.body["error"]
        assert (answer.status_code, error["code"], error["field"]) == (400, "bad_request", field)
        assert (engine.conversation().version, engine.conversation().live_turn) == (1, None)

    def test_asks_the_chosen_model_with_the_chosen_effort(self, engine: Engine, api: Api) -> None:
        lists(engine, entry(), entry("claude-opus-5-5"))
        api.put("c-1", settings={"model": "claude-opus-5-5", "effort": "high"}, messages=[])

        engine.say("hi")

        (request,) = engine.model.requests
        assert (request.model, request.effort) == ("claude-opus-5-5", "high")

    def test_goes_through_while_no_listing_is_known(self, engine: Engine, api: Api) -> None:
        api.put("c-1", settings={"model": "nobody"}, messages=[])

        engine.say("hi")

        assert engine.model.requests[0].model == "nobody"

    def test_works_again_once_the_choice_is_changed(self, engine: Engine, api: Api) -> None:
        lists(engine, entry())
        api.put("c-1", settings={"model": "nobody"}, messages=[])
        api("POST", "chat/stream", {"conversationId": "c-1", "message": "hi"})
        api("PATCH", "conversations/c-1", {"settings": {"model": "claude-sonnet-5-5"}})

        events = engine.say("hi")

        assert events[-1]["stopReason"] == "end_turn"
        assert store.find(owner_id=engine.owner.pk, cid="c-1").live is None


class TestSettingsOfASend:
    def test_are_those_of_the_conversation_that_it_makes(self, engine: Engine, api: Api) -> None:
        lists(engine, entry(), entry("claude-opus-5-5"))

        engine.say("hi", conversation_id="c-new", settings={"model": "claude-opus-5-5", "mine": 1})

        assert store.find(owner_id=engine.owner.pk, cid="c-new").settings == {
            "model": "claude-opus-5-5",
            "mine": 1,
        }

    def test_leave_a_conversation_that_exists_alone(self, engine: Engine, api: Api) -> None:
        api.put("c-old", settings={"effort": "low"})

        engine.say("hi", conversation_id="c-old", settings={"effort": "high"})

        assert store.find(owner_id=engine.owner.pk, cid="c-old").settings == {"effort": "low"}

    @pytest.mark.parametrize(
        ("settings", "status"),
        [({"model": "nobody"}, 400), ({"x": "x" * 20_000}, 413), ([], 400)],
    )
    def test_that_are_refused_make_no_conversation(
        self, engine: Engine, api: Api, settings: Any, status: int
    ) -> None:
        lists(engine, entry())

        body = {"conversationId": "c-new", "message": "hi", "settings": settings}
        answer = engine.run(in_thread(api, "POST", "chat/stream", body))

        assert answer.status_code == status
        assert api.get("c-new").status_code == 404


class TestAgents:
    def test_are_named_with_their_tools_the_default_first(self, api: Api) -> None:
        agents = api("GET", "chat/models").body["agents"]

        assert [agent["id"] for agent in agents][:2] == ["workspace", "kenny"]
        assert "set_valve" in agents[0]["tools"]
