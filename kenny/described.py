"""The API's description of a turn: bodies and answers of chat's views, which stream and so have no serializers."""

from typing import Any

from drf_spectacular.extensions import OpenApiViewExtension
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import (
    OpenApiParameter,
    OpenApiResponse,
    extend_schema,
    extend_schema_view,
)

from history.described import ERRORS

OBJECT = {"type": "object", "additionalProperties": True}
TEXT: dict[str, Any] = {"type": "string"}
IMAGE = {
    "type": "object",
    "required": ["mediaType", "data"],
    "properties": {"mediaType": TEXT, "data": TEXT},
}
SEND = {
    "type": "object",
    "required": ["message"],
    "additionalProperties": False,
    "properties": {
        "conversationId": TEXT,
        "turnId": {
            **TEXT,
            "description": "Idempotency key: the same id again attaches, it never runs twice.",
        },
        "message": TEXT,
        "agentId": {**TEXT, "nullable": True},
        "images": {"type": "array", "items": IMAGE},
        "truncateAt": {"type": "integer", "minimum": 0},
        "version": {"type": "integer", "minimum": 1},
    },
}
CONFIRM = {
    "type": "object",
    "required": ["conversationId", "callId", "digest", "approve"],
    "additionalProperties": False,
    "properties": {
        "conversationId": TEXT,
        "callId": TEXT,
        "digest": TEXT,
        "approve": {"type": "boolean"},
    },
}
EVENTS = {
    (200, "text/event-stream"): OpenApiResponse(
        OpenApiTypes.STR, "The turn's events: id, event, data."
    )
}
MISMATCH = {422: OpenApiResponse(OBJECT, "The turn id was used for another request.")}
LAST = OpenApiParameter(
    "Last-Event-ID", int, OpenApiParameter.HEADER, description="Send what came after it."
)
VIEWS: dict[str, tuple[str, dict[str, Any]]] = {
    "StreamView": (
        "post",
        {"request": {"application/json": SEND}, "responses": {**EVENTS, **MISMATCH, **ERRORS}},
    ),
    "ConfirmStreamView": (
        "post",
        {"request": {"application/json": CONFIRM}, "responses": {**EVENTS, **ERRORS}},
    ),
    "TurnEventsView": ("get", {"parameters": [LAST], "responses": {**EVENTS, **ERRORS}}),
    "StopView": ("post", {"request": None, "responses": {200: OBJECT, **ERRORS}}),
    "PendingView": ("get", {"responses": {200: OBJECT, **ERRORS}}),
}


def _view_replacement(extension: Any) -> Any:
    """Return the view with its description; the package asks for it once."""
    method, schema = VIEWS[extension.target_class.__name__]
    return extend_schema_view(**{method: extend_schema(**schema)})(extension.target_class)


for _name in VIEWS:
    # Making the class registers it.
    type(
        f"{_name}Described",
        (OpenApiViewExtension,),
        {"target_class": f"chat.views.{_name}", "view_replacement": _view_replacement},
    )
