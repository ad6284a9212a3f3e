"""What an upstream's fault means: the loop's kind, a code, and one sentence for the person.

Decided by the API's own `type` and `error_code` wherever they are given; the HTTP status speaks only when they are
not (a proxy's HTML page). Nothing the upstream wrote is passed on.
"""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime

import httpx2

from chat.llm.base import FailureKind, ModelFailed


class NotTheApi(Exception):
    """The answer was a success, but no event stream."""


@dataclass(frozen=True, slots=True)
class Cause:
    """One kind of fault and how it is told."""

    kind: FailureKind
    code: str
    message: str


OVERLOADED = Cause("transient", "overloaded", "Claude is overloaded right now.")
UPSTREAM = Cause(
    "transient", "upstream_error", "Claude had a problem on its side and did not finish the answer."
)
TIMED_OUT = Cause("transient", "timeout", "Claude took too long to answer.")
BROKEN = Cause(
    "transient", "broken_stream", "The connection to Claude broke before the answer was complete."
)
RATE = Cause(
    "rate_limited",
    "rate_limited",
    "Too many requests to Claude at once.",
)
KEY = Cause(
    "refused_key",
    "refused_key",
    "The API key was refused. An administrator can set ANTHROPIC_API_KEY and restart.",
)
NOT_ALLOWED = Cause(
    "refused_key",
    "not_allowed",
    "The API key may not do this. An administrator can check its permissions.",
)
NO_MODEL = Cause(
    "refused_key",
    "unknown_model",
    "This model is not available to the API key. Choose another one.",
)
CREDIT = Cause(
    "no_credit",
    "no_credit",
    "The Anthropic account has no credit or has reached its spend limit. An administrator can raise it.",
)
INVALID = Cause("invalid", "invalid_request", "Claude refused this request as malformed.")
IMAGE = Cause(
    "invalid", "image_too_large", "An image in this conversation is larger than Claude accepts."
)
LONG = Cause(
    "too_long",
    "context_full",
    "This conversation has grown too long for the model. Go on in a new chat.",
)
LARGE = Cause(
    "too_long",
    "too_large",
    "This conversation is too large to be sent. Go on in a new chat, or use fewer images.",
)
BOUND = Cause(
    "binding", "binding", "Claude's earlier thinking does not fit this conversation any more."
)
UNREACHABLE = Cause(
    "unreachable",
    "unreachable",
    "Claude could not be reached. Check the server's network connection.",
)
NOT_THE_API = Cause(
    "unreachable",
    "not_the_api",
    "What answered is not the Claude API. An administrator can check ANTHROPIC_BASE_URL.",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """A cause with what the log and the loop need beside it. `detail` is ours: it holds nothing the upstream wrote."""

    cause: Cause
    status: int | None = None
    request_id: str | None = None
    retry_after: float | None = None
    detail: str = ""

    def failure(self, *, request_id: str | None) -> ModelFailed:
        """Return what the loop is told; `request_id` is used when the fault brings none."""
        cause = self.cause
        return ModelFailed(
            cause.message,
            kind=cause.kind,
            code=cause.code,
            request_id=self.request_id or request_id,
            retry_after=self.retry_after,
        )


_BY_CODE = {
    "image_dimensions_too_large": IMAGE,
    "request_body_too_large_after_decoding": LARGE,
    "request_body_timeout": TIMED_OUT,
    "ramp_limit_exceeded": RATE,
    "contract_spend_limit_reached": CREDIT,
    "enforced_spend_limit_reached": CREDIT,
    "linked_organization_spend_limit_reached": CREDIT,
    "linked_organization_billing_unavailable": CREDIT,
    "organization_on_hold": NOT_ALLOWED,
}
_BY_TYPE = {
    "overloaded_error": OVERLOADED,
    "api_error": UPSTREAM,
    "conflict_error": UPSTREAM,
    "timeout_error": TIMED_OUT,
    "rate_limit_error": RATE,
    "authentication_error": KEY,
    "permission_error": NOT_ALLOWED,
    "billing_error": CREDIT,
    "not_found_error": NO_MODEL,
    "request_too_large": LARGE,
    "invalid_request_error": INVALID,
}
_BY_STATUS = {
    401: KEY,
    402: CREDIT,
    403: NOT_ALLOWED,
    404: NOT_THE_API,
    405: NOT_THE_API,
    408: TIMED_OUT,
    409: UPSTREAM,
    413: LARGE,
    429: RATE,
    504: TIMED_OUT,
    529: OVERLOADED,
}
# Faults the API names in prose only. A changed wording falls back to INVALID, which is handled as well.
_BY_PROSE = (
    (re.compile(r"prompt is too long|exceed(s|ed)? (the )?context", re.IGNORECASE), LONG),
    (
        re.compile(
            r"signature.{0,20}thinking|bound to a different conversation|blocks? .{0,80}cannot be modified",
            re.IGNORECASE,
        ),
        BOUND,
    ),
    (re.compile(r"credit balance", re.IGNORECASE), CREDIT),
)


def cause_of(*, status: int, kind: object, code: object, prose: str) -> Cause:
    """Return the cause of an error the API reported, as a response or as an event in a stream (then status is 200)."""
    if isinstance(code, str) and code in _BY_CODE:
        return _BY_CODE[code]
    found = _BY_TYPE.get(kind) if isinstance(kind, str) else None
    if found is INVALID:
        return next((cause for pattern, cause in _BY_PROSE if pattern.search(prose)), INVALID)
    return found or _of_status(status)


def named(kind: object) -> str:
    """Return an error type for the log, if it is one of the API's."""
    return kind if isinstance(kind, str) and kind in _BY_TYPE else "unnamed"


def cause_of_local(error: Exception, *, begun: bool) -> Cause:
    """Return the cause of a fault that no answer reported; `begun` says that the response had started."""
    if isinstance(error, (NotTheApi, httpx2.InvalidURL, httpx2.UnsupportedProtocol)):
        return NOT_THE_API
    if isinstance(error, (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.ProxyError)):
        return UNREACHABLE
    if isinstance(error, (httpx2.TimeoutException, TimeoutError)):
        return TIMED_OUT
    if begun:
        return BROKEN
    if isinstance(error, httpx2.LocalProtocolError):
        return KEY  # characters that no header can carry
    return INVALID if isinstance(error, ValueError) else BROKEN


def _of_status(status: int) -> Cause:
    if status in _BY_STATUS:
        return _BY_STATUS[status]
    return INVALID if 400 <= status < 500 else UPSTREAM


def seconds_to_wait(headers: Mapping[str, str], *, now: float) -> float | None:
    """Return what `retry-after-ms` or `retry-after` (seconds or an HTTP date) asks for; `now` in seconds since 1970.

    Not capped: how long is too long is the loop's decision. None when there is no such header or it makes no sense.
    """
    wait = _number(headers.get("retry-after-ms"))
    if wait is not None:
        return wait / 1000
    text = headers.get("retry-after")
    wait = _number(text)
    if wait is not None or text is None:
        return wait
    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - now)
    except ValueError:
        return None


def _number(text: str | None) -> float | None:
    try:
        number = float(text or "")
    except ValueError:
        return None
    return number if 0 <= number < math.inf else None
