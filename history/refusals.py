"""From an exception to the contract's error body: the one mapping for every REST answer."""

import logging
import math
from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.core.exceptions import PermissionDenied, RequestDataTooBig, SuspiciousOperation
from django.db import InterfaceError, OperationalError
from django.http import Http404
from rest_framework import exceptions
from rest_framework.response import Response

from history.errors import (
    BadRequest,
    Forbidden,
    NotFound,
    RateLimited,
    Refused,
    TooLarge,
    Unauthenticated,
    Unavailable,
)
from history.json_body import JSONRenderer

logger = logging.getLogger(__name__)


class WrongMethod(Refused):
    status = 405
    default = "This address does not take that method."


class Internal(Refused):
    code = "internal"
    status = 500
    default = "Something went wrong on the server."


def exception_handler(exc: Exception, context: dict[str, Any]) -> Response:
    """Answer with `{"error": {"code", "message", ...facts}}`. What nobody foresaw is logged here, once."""
    refused = _refused(exc)
    if refused is None:
        logger.error("unforeseen fault", exc_info=exc)
        refused = Internal()
    request = context.get("request")
    if request is not None:
        # The API's own description is YAML and its page HTML; an error is JSON there too.
        request.accepted_renderer, request.accepted_media_type = JSONRenderer(), "application/json"
    return answer(refused, headers=_headers(exc))


def answer(refused: Refused, *, headers: dict[str, str] | None = None) -> Response:
    """Return the answer that a refusal stands for."""
    error = {"code": refused.code, "message": refused.message, **refused.facts}
    return Response({"error": error}, status=refused.status, headers=headers or {})


def _refused(exc: Exception) -> Refused | None:
    if isinstance(exc, Refused):
        return exc
    return next((make() for kinds, make in _KNOWN if isinstance(exc, kinds)), None)


_Kinds = type[Exception] | tuple[type[Exception], ...]
_KNOWN: tuple[tuple[_Kinds, Callable[[], Refused]], ...] = (
    ((exceptions.NotAuthenticated, exceptions.AuthenticationFailed), Unauthenticated),
    ((exceptions.PermissionDenied, PermissionDenied), Forbidden),
    ((exceptions.NotFound, Http404), NotFound),
    (exceptions.Throttled, RateLimited),
    (exceptions.MethodNotAllowed, WrongMethod),
    (RequestDataTooBig, lambda: TooLarge(limit=settings.KENNY_MAX_BODY)),
    # Their own words may repeat what was sent, so none of them is passed on.
    ((exceptions.APIException, SuspiciousOperation), BadRequest),
    ((OperationalError, InterfaceError), Unavailable),
)


def _headers(exc: Exception) -> dict[str, str]:
    headers: dict[str, str] = {}
    if isinstance(exc, exceptions.APIException):
        if challenge := getattr(exc, "auth_header", None):
            headers["WWW-Authenticate"] = challenge
        if isinstance(exc, exceptions.Throttled):
            headers["Retry-After"] = str(math.ceil(getattr(exc, "wait", None) or 1))
    if isinstance(exc, RateLimited) and "retryAfter" in exc.facts:
        headers["Retry-After"] = str(exc.facts["retryAfter"])
    if isinstance(exc, OperationalError):
        headers["Retry-After"] = "1"
    return headers
