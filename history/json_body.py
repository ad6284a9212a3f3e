"""JSON in and out, strictly: what Python's `json` would take silently (NaN, twice the same key) is refused."""

import json
import math
import re
from collections.abc import Iterable
from typing import IO, Any, NoReturn

from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from django.http import UnreadablePostError
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.parsers import BaseParser
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request

from history.errors import BadRequest, TooLarge

DEPTH = 64
DIGITS = 4300

# Runs are taken whole and never given back: character by character, 20 MB of base64 took ten seconds.
_STRINGS_AND_SCALARS = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"|[^\[\]{}"]++', re.DOTALL)
_ONE_KIND = str.maketrans("{}", "[]")
_ESCAPED_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


def loads(raw: str | bytes) -> Any:
    """Read one JSON text.

    Raises BadRequest for what is no JSON, no UTF-8, holds NaN, infinity, a key twice in one object, a lone surrogate,
    an integer over 4,300 digits or more than 64 levels.
    """
    try:
        text = raw.decode() if isinstance(raw, bytes) else raw
        value = json.loads(
            text,
            object_pairs_hook=_object,
            parse_constant=_constant,
            parse_float=_float,
            parse_int=_int,
        )
    except RecursionError:
        raise _too_deep() from None
    except ValueError:
        raise BadRequest("The body is not JSON.") from None
    # Only now, on well-formed text: there every string ends, so one pass over it is enough.
    if not _is_shallow(text):
        raise _too_deep()
    if _ESCAPED_SURROGATE.search(text):
        _refuse_lone_surrogates(value)
    return value


def dumps(value: Any) -> bytes:
    """Write JSON as UTF-8; a lone surrogate from an upstream is written as an escape, never as a fault."""
    try:
        return json.dumps(
            value, ensure_ascii=False, allow_nan=False, separators=(",", ":")
        ).encode()
    except UnicodeEncodeError:
        return json.dumps(value, allow_nan=False, separators=(",", ":")).encode()


def whole(stream: IO[Any]) -> bytes:
    """Return a request's body, of at most KENNY_MAX_BODY bytes. Raises TooLarge, and BadRequest when it ended early."""
    limit = settings.KENNY_MAX_BODY
    try:
        raw: bytes = stream.read(limit + 1)
    except RequestDataTooBig:
        raise _too_large() from None
    except UnreadablePostError:
        raise BadRequest("The body ended early.") from None
    if len(raw) > limit:
        raise _too_large()
    return raw


class StrictJSONParser(BaseParser):
    """Reads a body of at most KENNY_MAX_BODY bytes with `loads`."""

    media_type = "application/json"

    def parse(
        self, stream: IO[Any], media_type: str | None = None, parser_context: Any = None
    ) -> Any:
        return loads(whole(stream))


class JSONRenderer(BaseRenderer):
    """Writes answers with `dumps`."""

    media_type = "application/json"
    format = "json"
    charset = None

    def render(
        self, data: Any, accepted_media_type: str | None = None, renderer_context: Any = None
    ) -> bytes:
        return b"" if data is None else dumps(data)


class IgnoreAccept(DefaultContentNegotiation):
    """Answers are JSON whatever `Accept` says."""

    def select_renderer(
        self, request: Request, renderers: Iterable[BaseRenderer], format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        renderer = next(iter(renderers))
        return renderer, renderer.media_type


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise BadRequest("An object in the body has the same key twice.")
    return made


def _constant(_name: str) -> NoReturn:
    raise BadRequest("NaN and infinity are not JSON.")


def _float(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise BadRequest("The body holds a number that is out of range.")
    return value


def _int(text: str) -> int:
    if len(text.lstrip("-")) > DIGITS:
        raise BadRequest(f"The body holds an integer of more than {DIGITS} digits.")
    return int(text)


def _is_shallow(text: str) -> bool:
    """Tell whether no value stands deeper than DEPTH, at the speed of `str.replace`."""
    brackets = _STRINGS_AND_SCALARS.sub("", text).translate(_ONE_KIND)
    for _ in range(DEPTH):
        brackets = brackets.replace("[]", "")
    return not brackets


def _refuse_lone_surrogates(value: Any) -> None:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise BadRequest("The body holds half a surrogate pair.") from None


def _too_deep() -> BadRequest:
    return BadRequest(f"The body is nested deeper than {DEPTH} levels.")


def _too_large() -> TooLarge:
    return TooLarge("The body is larger than the limit in bytes.", limit=settings.KENNY_MAX_BODY)
