"""Models and efforts: what may be chosen, what is refused by the name of its field, what an unknown listing lets through."""

from typing import Any

import pytest

from chat import offer
from chat.offer import Choice, Rules
from history.errors import BadRequest
from tests.support.listing import entry

OPEN = Rules(allowed=(), default="claude-sonnet-5-5")
CLOSED = Rules(allowed=("claude-a", "claude-b"), default="claude-a")
LISTED = [entry(), entry("claude-opus-5-5"), entry("claude-old", lifecycle="retired")]
DEMO = [{"id": "demo", "display_name": "Demo"}]


def choose(settings: object, *, listed: list[dict[str, Any]], rules: Rules = OPEN) -> Choice:
    return offer.chosen(settings, listed=listed, rules=rules)


class TestChosen:
    @pytest.mark.parametrize("settings", [{}, {"model": None}, {"model": ""}, None, ["model"]])
    def test_is_the_default_without_a_choice(self, settings: object) -> None:
        assert choose(settings, listed=LISTED) == Choice(model="claude-sonnet-5-5", effort="")

    def test_is_what_the_settings_say(self) -> None:
        settings = {"model": "claude-opus-5-5", "effort": "high"}

        assert choose(settings, listed=LISTED) == Choice(model="claude-opus-5-5", effort="high")

    @pytest.mark.parametrize(
        ("settings", "field"),
        [
            ({"model": "claude-unheard-of"}, "settings.model"),
            ({"model": "claude-old"}, "settings.model"),
            ({"model": 5}, "settings.model"),
            ({"effort": "extreme"}, "settings.effort"),
            ({"effort": "max"}, "settings.effort"),
            ({"effort": ["low"]}, "settings.effort"),
        ],
    )
    def test_is_refused_by_the_name_of_its_field(self, settings: object, field: str) -> None:
        with pytest.raises(BadRequest) as raised:
            choose(settings, listed=LISTED)

        assert raised.value.facts["field"] == field
        assert "unheard" not in raised.value.message

    def test_says_what_there_is_instead(self) -> None:
        with pytest.raises(BadRequest) as raised:
            choose({"model": "x"}, listed=LISTED)

        assert raised.value.facts["offered"] == ["claude-sonnet-5-5", "claude-opus-5-5"]

    def test_is_let_through_while_no_listing_is_known(self) -> None:
        settings = {"model": "claude-unheard-of", "effort": "max"}

        assert choose(settings, listed=[]) == Choice(model="claude-unheard-of", effort="max")

    @pytest.mark.parametrize("name", ["x" * 129, "a b", "a\nb", "-a"])
    def test_is_no_name_whatever_is_known(self, name: str) -> None:
        with pytest.raises(BadRequest):
            choose({"model": name}, listed=[])

    def test_takes_any_effort_of_the_api_where_nobody_told_which(self) -> None:
        listed = [entry(efforts=None)]

        assert choose({"effort": "xhigh"}, listed=listed).effort == "xhigh"

    def test_takes_no_effort_where_the_model_takes_none(self) -> None:
        with pytest.raises(BadRequest):
            choose({"effort": "low"}, listed=[entry(efforts=())])

    @pytest.mark.parametrize("listed", [LISTED, []])
    def test_keeps_to_the_operators_list_even_when_no_listing_is_known(
        self, listed: list[dict[str, Any]]
    ) -> None:
        assert choose({"model": "claude-b"}, listed=listed, rules=CLOSED).model == "claude-b"
        with pytest.raises(BadRequest):
            choose({"model": "claude-opus-5-5"}, listed=listed, rules=CLOSED)

    def test_is_the_operators_default_even_if_it_is_not_listed(self) -> None:
        rules = Rules(allowed=(), default="gateway/own")

        assert choose({}, listed=LISTED, rules=rules).model == "gateway/own"

    def test_is_answered_by_the_demo_under_every_name(self) -> None:
        assert choose({"model": "claude-opus-5-5"}, listed=DEMO).model == "demo"


class TestOffered:
    def test_names_what_the_provider_lists(self) -> None:
        found = offer.offered(listed=LISTED, rules=OPEN)

        assert found[0] == {
            "id": "claude-sonnet-5-5",
            "name": "Claude-Sonnet-5-5",
            "maxInputTokens": 1000,
            "maxTokens": None,
            "efforts": ["low", "high"],
        }
        assert [model["id"] for model in found] == ["claude-sonnet-5-5", "claude-opus-5-5"]

    def test_keeps_the_operators_order(self) -> None:
        found = offer.offered(listed=LISTED, rules=CLOSED)

        assert [model["id"] for model in found] == ["claude-a", "claude-b"]

    def test_is_the_default_while_no_listing_is_known(self) -> None:
        (found,) = offer.offered(listed=[], rules=OPEN)

        assert (found["id"], found["efforts"]) == ("claude-sonnet-5-5", None)

    def test_is_the_demo_alone_without_a_key(self) -> None:
        assert [model["id"] for model in offer.offered(listed=DEMO, rules=CLOSED)] == ["demo"]
        assert offer.default(listed=DEMO, rules=CLOSED) == "demo"


class TestCapabilities:
    @pytest.mark.parametrize(
        "known",
        [None, {}, {"capabilities": None}, {"capabilities": {"context_management": None}},
         {"capabilities": {"context_management": {"clear_tool_uses_20250919": None}}}],
    )  # fmt: skip
    def test_are_none_where_nobody_told(self, known: dict[str, Any] | None) -> None:
        assert not offer.edits_context(known)
        assert offer.efforts_of(known) is None
        assert offer.window_of(known) is None

    def test_are_what_the_listing_tells(self) -> None:
        assert offer.edits_context(entry())
        assert not offer.edits_context(entry(edits=False))
        assert offer.window_of(entry(window=7)) == 7
