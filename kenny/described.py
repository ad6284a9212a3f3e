"""The API's description of a turn: bodies and answers of chat's views, which stream and so have no serializers."""

from typing import Any

from drf_spectacular.extensions import OpenApiViewExtension
from drf_spectacular.utils import (
    OpenApiParameter,
    extend_schema,
    extend_schema_view,
)

from history.described import BODY, WRITING, answer, body, errors
from kenny.components import TURN_ID

EVENTS = {
    (200, "text/event-stream"): answer(
        "ServerSentEvent", "The turn's events, one by one, to the newest `done`."
    )
}
LAST = OpenApiParameter(
    "Last-Event-ID",
    {"type": "integer", "minimum": 0, "maximum": 10**15 - 1},
    OpenApiParameter.HEADER,
    description="Send what came after this event; from the first without it.",
)
TURN = OpenApiParameter(
    "turn_id", TURN_ID, OpenApiParameter.PATH, description="A turn's id, as every event names it."
)
SENDING = (*WRITING, *BODY, "invalid_id", "unknown_field", "deleted", "busy", "pending")
VIEWS: dict[str, tuple[str, dict[str, Any]]] = {
    "StreamView": (
        "post",
        {
            "operation_id": "send_message",
            "request": body("Send"),
            "responses": {**EVENTS, **errors(*SENDING, "conflict", "mismatch")},
        },
    ),
    "ConfirmStreamView": (
        "post",
        {
            "operation_id": "decide_call",
            "request": body("Confirm"),
            "responses": {
                **EVENTS,
                **errors(
                    *(*WRITING, *BODY, "invalid_id", "unknown_field", "not_found", "deleted"),
                    *("digest_mismatch", "decided", "expired"),
                ),
            },
        },
    ),
    "TurnEventsView": (
        "get",
        {
            "operation_id": "watch_turn",
            "parameters": [TURN, LAST],
            "responses": {**EVENTS, **errors("not_found", "deleted")},
        },
    ),
    "StopView": (
        "post",
        {
            "operation_id": "stop_turn",
            "parameters": [TURN],
            "request": None,
            "responses": {
                200: answer("Stopping", "Accepted; the turn ends with `done`."),
                **errors(*WRITING, "not_found", "deleted"),
            },
        },
    ),
    "PendingView": (
        "get",
        {
            "operation_id": "list_pending",
            "responses": {200: answer("PendingCalls", "Held calls."), **errors()},
        },
    ),
    "ModelsView": (
        "get",
        {
            "operation_id": "list_models",
            "responses": {200: answer("Models", "What may be chosen."), **errors()},
        },
    ),
    "HandoverView": (
        "post",
        {
            "operation_id": "hand_over",
            "request": body("Handover"),
            "responses": {
                201: answer("HandedOver", "The new conversation."),
                **errors(*SENDING, "not_found"),
            },
        },
    ),
}
PREFERENCES = answer("Preferences", "All of them, null where none was chosen.")
# Views with more than one method.
MORE: dict[str, dict[str, dict[str, Any]]] = {
    "PreferencesView": {
        "get": {"operation_id": "read_preferences", "responses": {200: PREFERENCES, **errors()}},
        "patch": {
            "operation_id": "change_preferences",
            "request": body("PreferenceChanges"),
            "responses": {200: PREFERENCES, **errors(*WRITING, *BODY, "unknown_field")},
        },
    },
}
ACCOUNT = {
    "name": "X-Kenny-Account",
    "in": "header",
    "schema": {"type": "string"},
    "description": "The account the client believes to be: compared whenever present, required with a cookie on "
    "writes. Another one is 409 `account_mismatch`.",
}
RETRY = {
    "Retry-After": {
        "schema": {"type": "integer"},
        "description": "Seconds until it may be tried again.",
    }
}
CHALLENGE = {"WWW-Authenticate": {"schema": {"type": "string"}, "description": "`Bearer`."}}
ON_STATUS = {"401": CHALLENGE, "429": RETRY, "503": RETRY}
METHODS = {"get", "put", "post", "patch", "delete"}


def complete(result: dict[str, Any], **_context: Any) -> dict[str, Any]:
    """Add what holds for every operation: the account's header and those of refusals."""
    for path in result["paths"].values():
        for operation in (path[name] for name in METHODS & set(path)):
            operation.setdefault("parameters", []).append(ACCOUNT)
            for status, headers in ON_STATUS.items():
                if status in operation["responses"]:
                    operation["responses"][status].setdefault("headers", {}).update(headers)
    return result


def _view_replacement(extension: Any) -> Any:
    """Return the view with its description; the package asks for it once."""
    name = extension.target_class.__name__
    methods = MORE[name] if name in MORE else dict([VIEWS[name]])
    described = {method: extend_schema(**schema) for method, schema in methods.items()}
    return extend_schema_view(**described)(extension.target_class)


for _name in (*VIEWS, *MORE):
    # Making the class registers it.
    type(
        f"{_name}Described",
        (OpenApiViewExtension,),
        {"target_class": f"chat.views.{_name}", "view_replacement": _view_replacement},
    )
