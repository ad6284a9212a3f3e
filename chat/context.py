"""How full the model's context is, by the API's own figures, and when the API is asked to make room. Pure.

The figures travel in a turn's `usage` beside the tokens, and from one turn to the next: `contextTokens` of the last
request, `contextWindow` of its model, `contextEditing` once old tool results are left out of requests. Editing stays
on then: the figure is small because of it, and without it the next request would be as long as ever.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from chat import offer

LATEST = ("contextTokens", "contextWindow", "contextEditing")
NEAR = 0.8
"""The part of the window from which on room is made."""
_PARTS = (
    "input_tokens",
    "cache_creation_input_tokens",
    "cache_read_input_tokens",
    "output_tokens",
)


def added(total: Mapping[str, int], more: Mapping[str, int]) -> dict[str, int]:
    """Return two usages added up; of the context's figures the later ones count."""
    summed = {name: total.get(name, 0) + more.get(name, 0) for name in {**total, **more}}
    return summed | {
        name: (more if name in more else total)[name] for name in LATEST if name in summed
    }


def carried(usage: Mapping[str, int]) -> dict[str, int]:
    """Return the figures with which the next turn of a conversation begins."""
    return {name: usage[name] for name in LATEST if name in usage}


class Meter:
    """The context of one turn's requests, for as long as a segment runs it. `usage` is the turn's so far."""

    def __init__(
        self, usage: Mapping[str, int], *, model: str, listed: Sequence[dict[str, Any]]
    ) -> None:
        entry = offer.entry_of(model, listed)
        self._window = offer.window_of(entry)
        self._may_edit = offer.edits_context(entry) and self._window is not None
        self._tokens = usage.get("contextTokens", 0)
        self._editing = bool(usage.get("contextEditing")) and self._may_edit

    @property
    def edit_from(self) -> int | None:
        """From how many tokens on the API shall leave out old tool results; None while it need not, or cannot."""
        if self._window is None or not self._may_edit:
            return None
        self._editing = self._editing or self._tokens >= NEAR * self._window
        return self._window // 2 if self._editing else None

    def overflown(self) -> bool:
        """A request was too long: say whether another one, with room made, is worth a try."""
        if self._editing or not self._may_edit:
            return False
        self._editing = True
        return True

    def measured(self, usage: Mapping[str, int]) -> dict[str, int]:
        """Return a request's usage with the context's figures; without the API's figures there are none."""
        if "input_tokens" not in usage:
            return dict(usage)
        self._tokens = sum(usage.get(part, 0) for part in _PARTS)
        figures = {"contextTokens": self._tokens, "contextWindow": self._window}
        if self._editing:
            figures["contextEditing"] = 1
        return {**usage, **{name: n for name, n in figures.items() if n is not None}}
