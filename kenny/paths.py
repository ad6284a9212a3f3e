"""How a request's path stands in the log: the words of the product's own routes, and nothing that a client made up."""

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from django.urls import get_resolver

LEFT_OUT = "…"
LONGEST = 12
"""Segments; what is longer is cut."""
_OTHERS = frozenset({"", "static", "ws", "chat", "livez", "readyz", "metrics", "favicon.ico"})
_WORD = re.compile(r"[A-Za-z0-9_-]+\Z")


def shown(path: str) -> str:
    """Return a path without its query, ids and other words of the client: `/api/conversations/…`."""
    segments = path.partition("?")[0].split("/")
    known = _words()
    kept = [segment if segment in known else LEFT_OUT for segment in segments[:LONGEST]]
    return "/".join(kept + [LEFT_OUT] * (len(segments) > LONGEST))


@cache
def _words() -> frozenset[str]:
    routes = "/".join(_routes(get_resolver()))
    return _OTHERS | {segment for segment in routes.split("/") if _WORD.match(segment)}


def _routes(resolver: Any) -> Iterator[str]:
    for pattern in resolver.url_patterns:
        yield str(pattern.pattern)
        if hasattr(pattern, "url_patterns"):
            yield from _routes(pattern)
