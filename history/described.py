"""The API's description, as far as types do not give it: parameters of the list and every error's shape."""

from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, inline_serializer
from rest_framework import serializers

OBJECT = OpenApiTypes.OBJECT

_ERROR = inline_serializer(
    "Error", {"error": serializers.DictField(help_text="`code`, `message`, and facts beside them.")}
)

_MEANINGS = {
    400: "The request is malformed, its id is invalid, or it holds unknown fields.",
    401: "Nobody is signed in.",
    403: "This is not allowed.",
    404: "It never existed for this account.",
    405: "The address does not take that method.",
    409: "A turn runs or is held, or the browser is signed in as somebody else.",
    410: "The conversation was deleted.",
    412: "A condition of the request does not hold.",
    413: "The request is larger than a limit.",
    429: "Too many requests; `Retry-After` says when to come back.",
    503: "The server cannot take this right now.",
}

ERRORS: dict[Any, Any] = {
    status: OpenApiResponse(_ERROR, description=meaning) for status, meaning in _MEANINGS.items()
}
"""Every refusal with its status, for `extend_schema(responses=...)`."""

LISTED = [
    OpenApiParameter("since", str, description="A cursor: only what changed after it."),
    OpenApiParameter("limit", int, description="Entries of one page, at most 1000."),
    OpenApiParameter("next", str, description="Where the page before said the next one begins."),
    OpenApiParameter("include", str, enum=["messages"], description="`messages` adds the bodies."),
    OpenApiParameter("q", str, description="Words that must all occur; the answer is ranked."),
]
