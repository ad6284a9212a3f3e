"""Which tools an agent has, what they promise the API, and what start-up refuses."""

import urllib.request
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import jsonschema
import pytest

from chat.tools import arguments, registry
from chat.tools.base import Caller, Output, Tier, Tool, ToolFailed
from chat.tools.current_time import CURRENT_TIME
from history.errors import BadRequest

READ_ONLY = {"list_files", "read_file", "search_files", "search_history", "read_conversation", "current_time"}  # fmt: skip
CHANGING = {"write_file", "move_file", "delete_file"}
PROPERTIES = {
    "list_files": ({"path"}, set()),
    "read_file": ({"path"}, {"path"}),
    "search_files": ({"query", "path"}, {"query"}),
    "write_file": ({"path", "content"}, {"path", "content"}),
    "move_file": ({"from", "to"}, {"from", "to"}),
    "delete_file": ({"path"}, {"path"}),
    "search_history": ({"query"}, {"query"}),
    "read_conversation": ({"id"}, {"id"}),
    "current_time": (set[str](), set[str]()),
}


def nothing(args: Mapping[str, Any], caller: Caller) -> Output:
    return Output()


def tool(name: str = "thing", schema: Mapping[str, Any] | None = None) -> Tool:
    return Tool(name=name, description="", input_schema=schema or {"type": "object"}, run=nothing)


class TestToolbox:
    def test_the_workspace_agent_has_its_tools_and_those_of_kenny(self) -> None:
        assert set(registry.toolbox("workspace")) == READ_ONLY | CHANGING

    def test_the_kenny_agent_changes_nothing(self) -> None:
        box = registry.toolbox("kenny")

        assert set(box) == {"search_history", "read_conversation", "current_time"}
        assert {tool.tier for tool in box.values()} == {Tier.READ_ONLY}

    def test_an_unknown_agent_is_a_bad_request_that_does_not_repeat_the_name(self) -> None:
        with pytest.raises(registry.UnknownAgent) as refused:
            registry.toolbox("hunter-x")

        assert isinstance(refused.value, BadRequest)
        assert (refused.value.code, "hunter-x" in refused.value.message) == ("bad_request", False)

    def test_only_reading_tools_run_without_asking(self) -> None:
        tiers = {name: tool.tier for name, tool in registry.toolbox("workspace").items()}

        assert {name for name, tier in tiers.items() if tier is Tier.READ_ONLY} == READ_ONLY

    def test_the_order_is_always_the_same(self) -> None:
        assert list(registry.toolbox("workspace")) == list(PROPERTIES)

    @pytest.mark.parametrize("name", PROPERTIES)
    def test_each_schema_takes_exactly_the_promised_fields(self, name: str) -> None:
        schema = registry.toolbox("workspace")[name].wire()["input_schema"]

        assert (set(schema["properties"]), set(schema.get("required", ()))) == PROPERTIES[name]
        assert schema["additionalProperties"] is False
        assert all(field["type"] == "string" and field["description"] for field in schema["properties"].values())  # fmt: skip

    @pytest.mark.parametrize("name", PROPERTIES)
    def test_each_description_says_what_a_model_needs(self, name: str) -> None:
        words = registry.toolbox("workspace")[name].description

        assert 40 < len(words) < 500
        assert ("The person is asked before it runs." in words) is (name in CHANGING)


class TestCheck:
    def test_refuses_two_tools_of_one_name_in_one_agent(self) -> None:
        with pytest.raises(ValueError, match="two tools have one name"):
            registry.check({"kenny": (), "mine": (tool(), tool())})
        with pytest.raises(ValueError, match="two tools have one name"):
            registry.check({"kenny": (CURRENT_TIME,), "mine": (replace(tool(), name="current_time"),)})  # fmt: skip

    def test_takes_one_name_in_two_agents(self) -> None:
        registry.check({"kenny": (), "one": (tool(),), "two": (tool(),)})

    @pytest.mark.parametrize("name", ["", "read file", "größe", "a.b", "x" * 65, "a\n"], ids=ascii)
    def test_refuses_a_name_that_the_api_does_not_take(self, name: str) -> None:
        with pytest.raises(ValueError, match="does not take"):
            registry.check({"kenny": (tool(name),)})

    def test_refuses_a_schema_that_is_none(self) -> None:
        with pytest.raises(jsonschema.SchemaError):
            registry.check({"kenny": (tool(schema={"type": "objekt"}),)})
        with pytest.raises(ValueError, match="of type object"):
            registry.check({"kenny": (tool(schema={"type": "string"}),)})


class TestFaults:
    SCHEMA = {
        "type": "object",
        "properties": {
            "mode": {"enum": ["on", "off"]},
            "name": {"type": "string", "maxLength": 3},
            "list": {"type": "array", "items": {"type": "object", "properties": {"n": {"type": "integer"}}}},
            "free": {"type": "object", "additionalProperties": {"type": "integer"}},
        },
    }  # fmt: skip

    @pytest.mark.parametrize(
        ("args", "sentence"),
        [
            ({"mode": "secret"}, "`mode` must be one of the values that the schema lists."),
            ({"name": "secret"}, "`name` breaks the schema's rule `maxLength`."),
            ({"list": [{"n": 1}, {"n": "secret"}]}, "`list.1.n` must be of type integer."),
            ({"free": {"secret": "x"}}, "`free.…` must be of type integer."),
        ],
    )
    def test_name_the_place_and_never_a_value(self, args: dict[str, Any], sentence: str) -> None:
        assert arguments.faults(args, schema=self.SCHEMA) == [sentence]

    def test_are_five_at_most(self) -> None:
        args = {"list": [{"n": "x"}] * 40}

        assert len(arguments.faults(args, schema=self.SCHEMA)) == arguments.MAX_FAULTS

    def test_a_reference_elsewhere_is_not_fetched(self, monkeypatch: pytest.MonkeyPatch) -> None:
        asked: list[object] = []
        monkeypatch.setattr(urllib.request, "urlopen", asked.append)
        schema = {"type": "object", "properties": {"a": {"$ref": "http://127.0.0.1:9/schema.json"}}}

        found = arguments.faults({"a": 1}, schema=schema)

        assert found == ["The tool's schema refers to something that is not in it."]
        assert asked == []

    def test_a_schema_that_refers_to_itself_for_ever_ends(self) -> None:
        schema = {"type": "object", "properties": {"a": {"$ref": "#/properties/a"}}}

        assert len(arguments.faults({"a": 1}, schema=schema)) == 1

    def test_no_schema_of_ours_refuses_a_strange_value(self) -> None:
        """Values are judged when the call runs: what fits the schema is shown to the person first."""
        for path in ("../../etc/passwd", "", "\0", "x" * 100_000):
            schema = registry.toolbox("workspace")["delete_file"].input_schema
            assert arguments.faults({"path": path}, schema=schema) == []


class TestToolFailed:
    def test_is_no_refusal_of_a_request(self) -> None:
        assert not issubclass(ToolFailed, BadRequest)
