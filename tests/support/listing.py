"""What a provider lists, as a test wants it."""

from typing import Any

from tests.support.engine import Engine

WINDOW = 1000


def entry(
    name: str = "claude-sonnet-5-5",
    *,
    window: int | None = WINDOW,
    efforts: tuple[str, ...] | None = ("low", "high"),
    edits: bool = True,
    **more: Any,
) -> dict[str, Any]:
    """Return one model as the API lists it; `efforts` None leaves out what it can do."""
    capabilities = {
        "effort": {
            "supported": bool(efforts),
            **{name: {"supported": True} for name in efforts or ()},
        },
        "context_management": {
            "supported": edits,
            "clear_tool_uses_20250919": {"supported": edits},
        },
    }
    known = {} if efforts is None else {"capabilities": capabilities}
    return {"id": name, "display_name": name.title(), "max_input_tokens": window, **known, **more}


def lists(engine: Engine, *entries: dict[str, Any]) -> None:
    """Make the engine's provider list these models."""

    async def models() -> list[dict[str, Any]]:
        return list(entries)

    for name, value in {"known": lambda: list(entries), "models": models}.items():
        setattr(engine.model, name, value)
