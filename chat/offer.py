"""Which models and efforts a conversation may choose, and what a model can do, by what the provider lists. Pure.

`listed` is the provider's last known listing, empty while none is known: then every name is let through, and the
provider judges it.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from history.errors import BadRequest

Entry = dict[str, Any]
EFFORTS = ("low", "medium", "high", "xhigh", "max")
DEMO = "demo"
LONGEST = 128
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/@-]{0,127}")
EDITING = "clear_tool_uses_20250919"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """The operator's: `allowed` names (empty: all that are listed) and the model without a choice."""

    allowed: Sequence[str]
    default: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """`effort` is "" for the model's own default."""

    model: str
    effort: str


def chosen(settings: object, *, listed: Sequence[Entry], rules: Rules) -> Choice:
    """Return what a conversation's settings choose. Raises BadRequest with `field`, what it may be in `offered`."""
    wanted = settings if isinstance(settings, Mapping) else {}
    effort = _text(wanted, "effort")
    if effort and effort not in EFFORTS:
        raise _refused("settings.effort", "This effort is not known.", EFFORTS)
    model = _text(wanted, "model") or default(listed=listed, rules=rules)
    if is_demo(listed):
        # The demo model answers under every name, so that a conversation keeps its choice for when there is a key.
        return Choice(model=DEMO, effort=effort)
    if not _NAME.fullmatch(model) or not _is_offered(model, listed=listed, rules=rules):
        names = [entry["id"] for entry in offered(listed=listed, rules=rules)]
        raise _refused("settings.model", "This model is not offered here. Choose another.", names)
    efforts = efforts_of(entry_of(model, listed))
    if effort and efforts is not None and effort not in efforts:
        raise _refused("settings.effort", "This model does not take that effort.", efforts)
    return Choice(model=model, effort=effort)


def _text(settings: Mapping[str, Any], name: str) -> str:
    value = settings.get(name)
    if value is not None and not isinstance(value, str):
        raise BadRequest(f"settings.{name} must be a text.", field=f"settings.{name}")
    return value or ""


def _refused(field: str, message: str, offered: Sequence[str]) -> BadRequest:
    return BadRequest(message, field=field, offered=list(offered))


def _is_offered(model: str, *, listed: Sequence[Entry], rules: Rules) -> bool:
    if rules.allowed:
        return model in rules.allowed
    return not listed or model == rules.default or model in {e["id"] for e in _current(listed)}


def default(*, listed: Sequence[Entry], rules: Rules) -> str:
    """Return the model of a conversation that chooses none."""
    return DEMO if is_demo(listed) else rules.default


def offered(*, listed: Sequence[Entry], rules: Rules) -> list[Entry]:
    """Return `{id, name, maxInputTokens, maxTokens, efforts}` of each model that may be chosen.

    Figures that nobody told are null, `efforts` too where it is not known which ones a model takes.
    """
    current = _current(listed)
    if is_demo(listed):
        return [_wire(entry) for entry in current]
    names = list(rules.allowed) or [entry["id"] for entry in current]
    if rules.default not in names:
        names.insert(0, rules.default)
    return [_wire(entry_of(name, listed) or {"id": name}) for name in names]


def _wire(entry: Entry) -> Entry:
    return {
        "id": entry["id"],
        "name": entry.get("display_name") or entry["id"],
        "maxInputTokens": entry.get("max_input_tokens"),
        "maxTokens": entry.get("max_tokens"),
        "efforts": efforts_of(entry),
    }


def is_demo(listed: Sequence[Entry]) -> bool:
    return [entry["id"] for entry in listed] == [DEMO]


def _current(listed: Sequence[Entry]) -> list[Entry]:
    return [entry for entry in listed if entry.get("lifecycle") != "retired"]


def entry_of(model: str, listed: Sequence[Entry]) -> Entry | None:
    return next((entry for entry in listed if entry["id"] == model), None)


def efforts_of(entry: Entry | None) -> list[str] | None:
    """Return the efforts a model takes, None when nobody told."""
    told = _capability(entry, "effort")
    if told is None:
        return None
    if not told.get("supported"):
        return []
    return [name for name in EFFORTS if _supported(told, name)]


def edits_context(entry: Entry | None) -> bool:
    """Say whether the API can leave old tool results out of a model's context by itself; no for an unknown model."""
    told = _capability(entry, "context_management")
    return told is not None and _supported(told, EDITING)


def _supported(told: Mapping[str, Any], name: str) -> bool:
    value = told.get(name)
    return isinstance(value, Mapping) and bool(value.get("supported"))


def _capability(entry: Entry | None, name: str) -> Mapping[str, Any] | None:
    capabilities = (entry or {}).get("capabilities")
    told = capabilities.get(name) if isinstance(capabilities, Mapping) else None
    return told if isinstance(told, Mapping) else None


def window_of(entry: Entry | None) -> int | None:
    """Return how many tokens a model can read, None when nobody told."""
    window = (entry or {}).get("max_input_tokens")
    return window if isinstance(window, int) and window > 0 else None
