"""Every operation of the API of conversations as its description tells it: parameters, bodies, answers, refusals."""

from collections.abc import Callable
from typing import Any, TypeVar

from drf_spectacular.utils import OpenApiParameter, extend_schema

from history.described import (
    BEFORE,
    BODY,
    BURIED,
    CID,
    CREATE_ONLY,
    DIGEST,
    ETAG,
    FOUND,
    HELD,
    IF_MATCH,
    LISTED,
    NAMED,
    NOT_MODIFIED,
    PAGE,
    SAVED,
    SAVING,
    WRITING,
    answer,
    body,
    errors,
    told,
)

Method = TypeVar("Method", bound=Callable[..., Any])
OPERATIONS: dict[str, dict[str, Any]] = {
    "list_conversations": {
        "parameters": LISTED,
        "responses": {200: PAGE, **NOT_MODIFIED, **errors()},
    },
    "save_new_conversation": {
        "parameters": [CREATE_ONLY, IF_MATCH, told("ETag", ETAG, 200, 201)],
        "request": body("ConversationSave"),
        "responses": {**SAVED, **errors(*SAVING)},
    },
    "delete_all_conversations": {
        "parameters": [BEFORE],
        "responses": {
            200: answer("AllDeleted", "How many, and the position after."),
            **errors(*WRITING),
        },
    },
    "replace_conversations": {
        "request": body("ConversationSet"),
        "responses": {
            200: answer("SetReplaced", "What was done."),
            **errors(*WRITING, *BODY, *NAMED),
        },
    },
    "read_conversation": {
        "parameters": [CID, HELD, told("ETag", ETAG, 200, 304)],
        "responses": {
            200: answer("Conversation", "The whole conversation."),
            **NOT_MODIFIED,
            **errors(*FOUND),
        },
    },
    "save_conversation": {
        "parameters": [CID, CREATE_ONLY, IF_MATCH, told("ETag", ETAG, 200, 201)],
        "request": body("ConversationSave"),
        "responses": {**SAVED, **errors(*SAVING)},
    },
    "change_conversation": {
        "parameters": [CID, CREATE_ONLY, IF_MATCH, told("ETag", ETAG, 200)],
        "request": body("ConversationPatch"),
        "responses": {
            200: answer("ConversationSummary", "The conversation, changed."),
            **errors(*FOUND, *WRITING, *BODY, "unknown_field", "conflict"),
        },
    },
    "delete_conversation": {
        "parameters": [CID, IF_MATCH],
        "responses": {200: BURIED, **errors(*WRITING, "invalid_id", "conflict")},
    },
    "read_image": {
        "parameters": [CID, DIGEST],
        "responses": {(200, "image/*"): bytes, **errors(*FOUND)},
    },
    "export_account": {
        "parameters": [told("Content-Disposition", "A name for the file.", 200)],
        "responses": {(200, "application/zip"): bytes, **errors()},
    },
    "import_account": {
        "request": {"application/zip": bytes},
        "responses": {200: answer("Imported", "What became of it."), **errors(*WRITING, *BODY)},
    },
    "list_history": {
        "parameters": LISTED,
        "responses": {200: PAGE, **NOT_MODIFIED, **errors()},
    },
    "replay_conversation": {
        "parameters": [
            CID,
            OpenApiParameter(
                "render", str, enum=["tree"], description="`tree` adds `nodes` to each text."
            ),
        ],
        "responses": {200: answer("Transcript", "The conversation as events."), **errors(*FOUND)},
    },
    "delete_history": {
        "parameters": [CID, IF_MATCH],
        "responses": {200: BURIED, **errors(*WRITING, "invalid_id", "conflict")},
    },
}


def operation(name: str) -> Callable[[Method], Method]:
    """Return the decorator that gives a view's method its description."""
    decorate: Callable[[Method], Method] = extend_schema(operation_id=name, **OPERATIONS[name])
    return decorate
