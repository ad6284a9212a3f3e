"""The API's description, as far as types do not give it: parameters, headers, and every error with its facts."""

from http import HTTPStatus
from typing import Any

from drf_spectacular.utils import OpenApiParameter, OpenApiResponse

from history.components import ID_PATTERN, SHA256, Schema, ref
from history.refusal_shapes import CODES, name_of

ALWAYS = ("bad_request", "unauthenticated", "account_mismatch", "rate_limited", "unavailable")
WRITING = ("forbidden",)
BODY = ("too_large",)


def errors(*codes: str) -> dict[Any, OpenApiResponse]:
    """Return the answers to `extend_schema(responses=…)` for these codes and those that every address can give."""
    by_status: dict[int, list[str]] = {}
    for code in dict.fromkeys((*ALWAYS, *codes)):
        by_status.setdefault(CODES[code][0], []).append(code)
    return {status: _answer(status, by_status[status]) for status in sorted(by_status)}


def _answer(status: int, codes: list[str]) -> OpenApiResponse:
    refs = [ref(name_of(code)) for code in codes]
    meaning = " ".join(f"`{code}`: {CODES[code][1]}" for code in codes)
    schema = refs[0] if len(refs) == 1 else {"oneOf": refs}
    return OpenApiResponse(schema, description=meaning or HTTPStatus(status).phrase)


def answer(name: str, description: str) -> OpenApiResponse:
    """Return a JSON answer in the shape of that name."""
    return OpenApiResponse(ref(name), description=description)


def body(name: str) -> dict[str, Schema]:
    """Return a JSON body in the shape of that name."""
    return {"application/json": ref(name)}


def sent(name: str, description: str) -> OpenApiParameter:
    """Describe a header of the request."""
    return OpenApiParameter(name, str, OpenApiParameter.HEADER, description=description)


def told(name: str, description: str, *statuses: int) -> OpenApiParameter:
    """Describe a header of the answers with these statuses."""
    return OpenApiParameter(
        name, str, OpenApiParameter.HEADER, description=description, response=list(statuses)
    )


IN_ADDRESS: Schema = {"type": "string", "pattern": ID_PATTERN}
CID = OpenApiParameter("cid", IN_ADDRESS, OpenApiParameter.PATH, description="A conversation's id.")
DIGEST = OpenApiParameter(
    "sha256",
    {"type": "string", "pattern": SHA256},
    OpenApiParameter.PATH,
    description="Of its bytes.",
)
IF_MATCH = sent("If-Match", "An ETag: write only while it is still this one, else 412.")
CREATE_ONLY = sent("If-None-Match", "`*`: write only while the id is free, else 412.")
HELD = sent("If-None-Match", "An ETag that the client holds: 304 while it is still this one.")
ETAG = "The conversation's `etag`, strong."
LISTED = [
    OpenApiParameter("since", str, description="A cursor: only what changed after it."),
    OpenApiParameter(
        "limit",
        {"type": "integer", "minimum": 1, "maximum": 999_999_999},
        description="Entries of one page; 1000 is the most there is.",
    ),
    OpenApiParameter("next", str, description="Where the page before said the next one begins."),
    OpenApiParameter("include", str, enum=["messages"], description="`messages` adds the bodies."),
    OpenApiParameter("q", str, description="Words that must all occur; the answer is ranked."),
    HELD,
    told("ETag", "Of the account's state and of what was asked, weak.", 200, 304),
]
NOT_MODIFIED = {304: OpenApiResponse(None, description="The client holds this answer.")}
NAMED = ("invalid_id", "unknown_field")
FOUND = ("invalid_id", "not_found", "deleted")
SAVING = (*NAMED, *WRITING, *BODY, "busy", "pending", "deleted", "conflict")
PAGE = answer("ConversationPage", "A list, a delta or what was found.")
SAVED = {
    200: answer("ConversationSummary", "Saved again."),
    201: answer("ConversationSummary", "Saved for the first time."),
}
BURIED = answer("Tombstone", "Deleted, now or before.")
BEFORE = OpenApiParameter("before", str, description="A cursor: spare what was created after it.")
