"""Do a call's arguments satisfy its tool's schema? Faults name fields, never values."""

from collections.abc import Mapping
from typing import Any

from jsonschema import Draft202012Validator, TypeChecker, ValidationError, validators
from referencing import Registry
from referencing.exceptions import Unresolvable

MAX_FAULTS = 5


def _integer(_: TypeChecker, value: object) -> bool:
    """Take 1 and not 1.0: the canonical text keeps the two apart, so the schema does as well."""
    return isinstance(value, int) and not isinstance(value, bool)


_Strict = validators.extend(  # type: ignore[no-untyped-call]  # the stubs leave it untyped
    Draft202012Validator,
    type_checker=Draft202012Validator.TYPE_CHECKER.redefine("integer", _integer),
)


def faults(args: object, *, schema: Mapping[str, Any]) -> list[str]:
    """Return what is wrong, at most MAX_FAULTS sentences; an empty list means that the call may be held or run."""
    # An empty registry: a schema of somebody else's must not make this process fetch what it refers to.
    check = _Strict(dict(schema), registry=Registry())
    try:
        found: list[ValidationError] = list(check.iter_errors(args))
    except (Unresolvable, RecursionError):
        return ["The tool's schema refers to something that is not in it."]
    sentences = dict.fromkeys(sentence for error in found for sentence in _sentences(error))
    return list(sentences)[:MAX_FAULTS]


def _sentences(error: ValidationError) -> list[str]:
    where = _where(error)
    rule: Any = error.validator_value
    schema: Any = error.schema
    match error.validator:
        case "required":
            instance: Any = error.instance
            return [f"{where} needs `{name}`." for name in rule if name not in instance]
        case "additionalProperties":
            known = ", ".join(f"`{name}`" for name in schema.get("properties", {}))
            return [
                f"{where} has a field that this tool does not know; it knows {known or 'none'}."
            ]
        case "type":
            return [f"{where} must be of type {rule}."]
        case "enum" | "const":
            return [f"{where} must be one of the values that the schema lists."]
        case other:
            return [f"{where} breaks the schema's rule `{other}`."]


def _where(error: ValidationError) -> str:
    """Name the place by the schema's own names; a key that the caller made up is a value too."""
    known = [step for step in error.absolute_schema_path if isinstance(step, str)]
    named = {known[at + 1] for at, step in enumerate(known[:-1]) if step == "properties"}
    steps = [
        str(step) if isinstance(step, int) or step in named else "…" for step in error.absolute_path
    ]
    return f"`{'.'.join(steps)}`" if steps else "The input"


def check_schema(schema: Mapping[str, Any]) -> None:
    """Refuse at start-up what is no schema of an object. Raises jsonschema.SchemaError or ValueError."""
    Draft202012Validator.check_schema(dict(schema))
    if schema.get("type") != "object":
        raise ValueError("a tool's input_schema must be of type object")
