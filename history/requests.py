"""What a REST request asks for, read from headers and query: conditions, pages, the body."""

import re
from io import BytesIO
from typing import Any, cast

from rest_framework.request import Request

from history.errors import BadRequest
from history.feed import Wish
from history.json_body import StrictJSONParser
from history.sent import Conditions
from history.serializers import check_object

MOST = 1000
"""Conversations of one page."""

_TAG = re.compile(r'(?:W/)?"[^"]*"|[^\s,"]+')


def owner_of(request: Request) -> int:
    """Return whose partition the request works in."""
    return cast(int, request.user.pk)


def body_of(request: Request) -> dict[str, Any]:
    """Return the body. Raises BadRequest unless it is a JSON object."""
    if request.META.get("CONTENT_LENGTH") in {None, "", "0"}:
        # DRF takes a body of undeclared length (chunked) for none, and none for an empty object.
        return check_object(StrictJSONParser().parse(BytesIO(request.body)))
    return check_object(request.data)


def conditions_of(request: Request) -> Conditions:
    """Read `If-Match` and `If-None-Match: *`; other values of the latter say nothing about a write."""
    match = request.headers.get("If-Match")
    none = request.headers.get("If-None-Match", "")
    return Conditions(
        match=None if match is None else tuple(map(_quoted, _TAG.findall(match))),
        create=none.strip() == "*",
    )


def is_fresh(request: Request, etag: str) -> bool:
    """Tell whether the client holds this very answer; the comparison is the weak one."""
    held = _TAG.findall(request.headers.get("If-None-Match", ""))
    return etag.removeprefix("W/") in {_quoted(tag).removeprefix("W/") for tag in held}


def wish_of(request: Request) -> Wish:
    """Read what list is asked for. Raises BadRequest for a `limit` or `include` that means nothing."""
    query = request.query_params
    include = query.get("include")
    if include not in {None, "messages"}:
        raise BadRequest("include can only be messages.")
    return Wish(
        since=query.get("since"),
        next=query.get("next"),
        limit=_limit(query.get("limit")),
        bodies=include is not None,
    )


def _limit(text: str | None) -> int | None:
    if text is None:
        return None
    if not (text.isascii() and text.isdecimal()) or len(text) > 9 or int(text) == 0:
        raise BadRequest("limit must be a whole number from 1.")
    return min(int(text), MOST)


def _quoted(tag: str) -> str:
    """Return an entity tag with its quotes, also for clients that leave them out; `*` is none."""
    return tag if tag == "*" or tag.endswith('"') else f'"{tag}"'
