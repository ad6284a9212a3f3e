"""JSON schemas of every refusal, by its code, for the API's description. Plain data, as `history.components`."""

from history.components import COUNT, TEXT, TIME, VERSION, Schema, listing, opened

CODES: dict[str, tuple[int, str, dict[str, Schema]]] = {
    "bad_request": (400, "The request is malformed; the message names the field.", {}),
    "invalid_id": (400, "An id that no conversation or turn can have.", {}),
    "unknown_field": (400, "The body holds keys that are not known.", {"fields": listing(TEXT)}),
    "unauthenticated": (401, "Nobody is signed in, or the token is not good (any more).", {}),
    "forbidden": (403, "This is not allowed; with a cookie, the CSRF token is missing.", {}),
    "not_found": (404, "It never existed for this account.", {}),
    "busy": (409, "A turn runs in the conversation.", {"turnId": TEXT}),
    "pending": (409, "A call waits for a decision in the conversation.", {"calls": listing(TEXT)}),
    "account_mismatch": (409, "X-Kenny-Account names another account than the caller's.", {}),
    "digest_mismatch": (409, "The digest is not that of the held call.", {}),
    "decided": (
        409,
        "The call was decided before.",
        {"decision": TEXT, "decidedBy": {"type": ["string", "null"]}, "decidedAt": TIME},
    ),
    "expired": (409, "The time for a decision has run out; nothing was run.", {}),
    "deleted": (410, "The conversation was deleted.", {"version": VERSION, "deletedAt": TIME}),
    "conflict": (
        412,
        "A condition does not hold; null where nothing is stored.",
        {"version": {"type": ["integer", "null"]}, "etag": {"type": ["string", "null"]}},
    ),
    "too_large": (413, "Larger than a limit.", {"limit": COUNT}),
    "mismatch": (422, "The turn id was used for another request.", {}),
    "rate_limited": (429, "Too often; Retry-After says when to come back.", {}),
    "unavailable": (503, "The server cannot take this right now.", {}),
}
"""Each code with its status, its meaning and the facts beside it. An error may name more, such as a `field`."""


def name_of(code: str) -> str:
    """Return the name of a code's schema, such as AccountMismatchError."""
    return f"{code.title().replace('_', '')}Error"


def _schema_of(code: str) -> Schema:
    facts = CODES[code][2]
    inner = opened(
        " ".join(["code", "message", *facts]),
        code={"type": "string", "enum": [code]},
        message={**TEXT, "description": "For a person; never what was sent."},
        **facts,
    )
    return opened("error", error=inner)


ERROR_SCHEMAS: dict[str, Schema] = {
    "Error": opened(
        "error",
        error=opened("code message", code={"type": "string", "enum": list(CODES)}, message=TEXT),
    ),
    **{name_of(code): {**_schema_of(code), "description": CODES[code][1]} for code in CODES},
}
