"""The API's description says everything that is mounted, in words that a validator and the golden frames agree with."""

import json
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.urls import URLPattern, URLResolver, get_resolver
from drf_spectacular.generators import SchemaGenerator
from jsonschema import Draft202012Validator
from rest_framework.views import APIView

from history.errors import Refused
from history.refusal_shapes import CODES, name_of
from kenny.components import EVENTS, SCHEMAS

FRAMES = Path(__file__).resolve().parents[1] / "contracts"
METHODS = {"get", "put", "post", "patch", "delete"}
ANYWHERE = {"400", "401", "409", "429", "503"}
# They describe the others.
OF_THE_DESCRIPTION = {"schema", "api_docs"}


def routes(resolver: URLResolver, before: str = "") -> Iterator[tuple[str, URLPattern]]:
    """Yield every address with its pattern."""
    for entry in resolver.url_patterns:
        path = before + str(entry.pattern)
        if isinstance(entry, URLResolver):
            yield from routes(entry, path)
        else:
            yield path, entry


def operations_mounted() -> set[tuple[str, str]]:
    """Return (route's name, method) of all REST views."""
    found = set()
    for path, pattern in routes(get_resolver()):
        view = getattr(pattern.callback, "cls", None) or getattr(
            pattern.callback, "view_class", None
        )
        if path.startswith("api/") and pattern.name not in OF_THE_DESCRIPTION:
            assert issubclass(view or object, APIView), f"{path} is no REST view"
            bare = path.replace("<str:", "{").replace("<any:", "{").replace(">", "}")
            found |= {(f"/{bare}", name) for name in METHODS if hasattr(view, name)}
    return found


@pytest.fixture(scope="module")
def described() -> dict[str, Any]:
    schema: dict[str, Any] = SchemaGenerator().get_schema(request=None, public=True)
    return schema


@pytest.fixture(scope="module")
def operations(described: dict[str, Any]) -> dict[tuple[str, str], dict[str, Any]]:
    return {
        (path, name): item[name]
        for path, item in described["paths"].items()
        for name in METHODS & set(item)
    }


def validator(name: str) -> Draft202012Validator:
    return Draft202012Validator(
        {"$ref": f"#/components/schemas/{name}", "components": {"schemas": SCHEMAS}}
    )


class TestDescription:
    def test_is_made_without_a_warning_and_is_valid(self) -> None:
        out, err = StringIO(), StringIO()

        call_command("spectacular", "--fail-on-warn", "--validate", stdout=out, stderr=err)

        assert err.getvalue() == ""
        assert out.getvalue().startswith("openapi: 3.1")

    def test_names_every_operation_that_is_mounted(
        self, operations: dict[tuple[str, str], Any]
    ) -> None:
        mounted = operations_mounted()

        assert ("/api/conversations/{cid}", "patch") in mounted
        assert set(operations) == mounted

    def test_gives_every_operation_an_answer_with_a_shape(
        self, operations: dict[tuple[str, str], Any]
    ) -> None:
        bare = [
            (where, status)
            for where, operation in operations.items()
            for status, answer in operation["responses"].items()
            if status != "304" and not shapes_of(answer)
        ]

        assert bare == []
        assert [
            where
            for where, operation in operations.items()
            if not any(status.startswith("2") for status in operation["responses"])
        ] == []

    def test_gives_every_operation_the_refusals_that_every_address_has(
        self, operations: dict[tuple[str, str], Any]
    ) -> None:
        lacking = {
            where: ANYWHERE - set(operation["responses"])
            for where, operation in operations.items()
            if ANYWHERE - set(operation["responses"])
        }

        assert lacking == {}
        for operation in operations.values():
            assert "Retry-After" in operation["responses"]["429"]["headers"]
            assert "X-Kenny-Account" in [p.get("name") for p in operation["parameters"]]

    def test_gives_every_body_a_shape_and_its_refusals(
        self, operations: dict[tuple[str, str], Any]
    ) -> None:
        with_body = [op for op in operations.values() if "requestBody" in op]

        assert len(with_body) >= 7
        for operation in with_body:
            assert shapes_of(operation["requestBody"]), operation["operationId"]
            assert {"403", "413"} <= set(operation["responses"]), operation["operationId"]

    def test_says_that_turns_answer_with_a_stream(
        self, operations: dict[tuple[str, str], Any]
    ) -> None:
        streams = {
            where
            for where, operation in operations.items()
            if "text/event-stream" in operation["responses"].get("200", {}).get("content", {})
        }

        assert streams == {
            ("/api/chat/stream", "post"),
            ("/api/chat/confirm/stream", "post"),
            ("/api/chat/turns/{turn_id}/events", "get"),
        }


def shapes_of(answer: dict[str, Any]) -> list[Any]:
    return [kind["schema"] for kind in answer.get("content", {}).values() if kind.get("schema")]


class TestShapes:
    def test_refer_to_nothing_that_is_missing(self) -> None:
        for name, shape in SCHEMAS.items():
            for target in references(shape):
                assert target.removeprefix("#/components/schemas/") in SCHEMAS, name

    @pytest.mark.parametrize("kind", EVENTS)
    def test_of_events_agree_with_the_golden_frames(self, kind: str) -> None:
        frame = json.loads((FRAMES / f"{kind}.json").read_text())

        validator("Event").validate(frame)
        for key in EVENTS[kind][1]:
            short = {name: value for name, value in frame.items() if name != key}
            assert not validator("Event").is_valid(short), f"{kind} without {key}"

    def test_of_refusals_name_every_code_with_its_status(self) -> None:
        raised = {kind.code: kind.status for kind in kinds_of(Refused) if kind.status < 500}
        del raised["bad_request"]  # also that of 405

        assert raised.items() <= {code: CODES[code][0] for code in CODES}.items()
        for code in CODES:
            error = {"code": code, "message": "m"}
            assert validator(name_of(code)).is_valid({"error": error}) is (not CODES[code][2])
            assert not validator(name_of(code)).is_valid({"error": {**error, "code": "other"}})


def references(shape: Any) -> Iterator[str]:
    if isinstance(shape, dict):
        for key, value in shape.items():
            if key == "$ref":
                yield value
            else:
                yield from references(value)
    elif isinstance(shape, list):
        for value in shape:
            yield from references(value)


def kinds_of(kind: type[Refused]) -> Iterator[type[Refused]]:
    yield kind
    for below in kind.__subclasses__():
        yield from kinds_of(below)
