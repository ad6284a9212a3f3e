"""What the loop needs of a model, and nothing of who gives it."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, runtime_checkable


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One Messages request. `messages` has passed `history.messages.check`; `system` and `tools` are frozen.

    `effort` is one of low, medium, high, xhigh, max or None for the model's default. `edit_from` asks the API to leave
    old tool results out of what the model reads once the request has so many tokens; only for models that offer it.
    """

    model: str
    system: str
    tools: Sequence[dict[str, Any]]
    messages: Sequence[dict[str, Any]]
    max_tokens: int
    effort: str | None = None
    edit_from: int | None = None


@dataclass(frozen=True, slots=True)
class Delta:
    """A piece of what the model says while it says it; `text` never ends in half a surrogate pair."""

    kind: Literal["text", "thinking"]
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """A reply that was received whole (message_stop seen, stop_reason set).

    `content` holds the blocks as they came, ready to be stored and sent back. A tool_use whose raw JSON could not
    be read strictly (no object, duplicate keys, NaN, lone surrogates) stands in `unreadable` by its id with the
    reason, and its `input` in `content` is `{"INVALID_JSON": raw}`.
    """

    content: list[dict[str, Any]]
    stop_reason: str
    usage: dict[str, int]
    unreadable: dict[str, str]
    request_id: str | None


class Stream(Protocol):
    """One attempt at one request. Iterate it to its end, then read `reply`."""

    reply: Reply | None

    @property
    def usage(self) -> dict[str, int]:
        """The tokens counted so far, all of them billed."""
        ...

    def __aiter__(self) -> AsyncIterator[Delta]:
        """Yield deltas in order. Raises ModelFailed for every fault, a clean EOF before message_stop included."""
        ...

    def partial(self) -> list[dict[str, Any]]:
        """Return what may be kept of a reply that was cut short: closed blocks and the open block's text (rule B3)."""
        ...

    async def aclose(self) -> None:
        """End the connection. Idempotent."""
        ...


class Model(Protocol):
    """A provider. `stream` sends nothing before the stream is iterated."""

    def stream(self, request: Request) -> Stream: ...


@runtime_checkable
class Lists(Protocol):
    """A provider that says which models it has, as `{id, display_name?, max_input_tokens?, capabilities?, …}`."""

    def known(self) -> list[dict[str, Any]]:
        """Return the last listing, empty while there is none; asks nobody, from any thread."""
        ...

    async def models(self) -> list[dict[str, Any]]:
        """Return a listing that is fresh enough; the last known one when none can be had."""
        ...


def listed_by(model: object) -> list[dict[str, Any]]:
    """Return what a provider is known to list, nothing for one that does not."""
    return model.known() if isinstance(model, Lists) else []


FailureKind = Literal[
    "transient",
    "invalid",
    "too_long",
    "binding",
    "refused_key",
    "no_credit",
    "rate_limited",
    "unreachable",
]


class ModelFailed(Exception):
    """An attempt failed.

    `kind` decides what the loop does: transient and unreachable are tried again at most twice; rate_limited when
    `retry_after` (seconds) is short; invalid is healed once; the others end the turn. `code` and `message` are for
    the person (one sentence, never upstream text); `request_id` is for the log.
    """

    def __init__(
        self,
        message: str,
        *,
        kind: FailureKind,
        code: str,
        request_id: str | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message)
        self.message, self.kind, self.code = message, kind, code
        self.request_id, self.retry_after = request_id, retry_after

    @property
    def retryable(self) -> bool:
        """Whether a person may sensibly press Retry."""
        return self.kind in {"transient", "unreachable", "rate_limited"}
