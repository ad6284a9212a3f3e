"""What a caller is told when a request is refused: one class for each fact, one code and status for each class.

The edges (`history.api.exception_handler`, `chat.consumers`) turn any `Refused` into the contract's error body
`{"error": {"code", "message", ...facts}}`. A message never holds a value the client sent.
"""

from typing import Any, ClassVar


class Refused(Exception):
    """A request that changes nothing. `facts` stand beside code and message in the error body."""

    code: ClassVar[str] = "bad_request"
    status: ClassVar[int] = 400
    default: ClassVar[str] = "The request could not be understood."

    def __init__(self, message: str = "", **facts: Any) -> None:
        self.message = message or self.default
        self.facts = facts
        super().__init__(self.message)


class BadRequest(Refused):
    pass


class InvalidId(Refused):
    code = "invalid_id"
    default = "The id may hold letters, digits, dot, dash and underscore, 128 at most."


class UnknownField(Refused):
    """Facts: `fields`, the names that are not known."""

    code = "unknown_field"
    default = "The body holds fields that are not known here."


class Unauthenticated(Refused):
    code = "unauthenticated"
    status = 401
    default = "Sign in, or send a valid token."


class Forbidden(Refused):
    code = "forbidden"
    status = 403
    default = "You may not do that."


class NotFound(Refused):
    code = "not_found"
    status = 404
    default = "There is nothing here under that id."


class Busy(Refused):
    """Facts: `turnId`, the turn that runs in the conversation."""

    code = "busy"
    status = 409
    default = "Claude is still answering in this conversation."


class Pending(Refused):
    """Facts: `calls`, the ids of the held calls."""

    code = "pending"
    status = 409
    default = "A tool call waits for your decision in this conversation."


class AccountMismatch(Refused):
    code = "account_mismatch"
    status = 409
    default = "This browser is signed in as somebody else by now."


class Deleted(Refused):
    """Facts: `version`, `deletedAt`."""

    code = "deleted"
    status = 410
    default = "This conversation was deleted."


class Conflict(Refused):
    """Facts: `version`, `etag` of what is stored."""

    code = "conflict"
    status = 412
    default = "The conversation has changed since you read it."


class TooLarge(Refused):
    """Facts: `limit`, in the unit that the message names."""

    code = "too_large"
    status = 413
    default = "The request is too large."


class Mismatch(Refused):
    code = "mismatch"
    status = 422
    default = "This turn id was used for another request."


class RateLimited(Refused):
    """Facts: `retryAfter`, seconds."""

    code = "rate_limited"
    status = 429
    default = "Too many requests."


class Unavailable(Refused):
    code = "unavailable"
    status = 503
    default = "The server cannot take this right now; try again shortly."
