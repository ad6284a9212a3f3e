"""Static files: one digest in STATIC_URL for the whole tree, served from where they lie.

Relative imports between modules resolve inside the prefix, so nothing is collected or rewritten and every file may
be cached for ever; a changed file changes the prefix of all.
"""

import gzip
import hashlib
from collections.abc import Iterable
from functools import lru_cache
from importlib import metadata
from pathlib import Path
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils.cache import patch_vary_headers
from whitenoise.middleware import WhiteNoiseMiddleware

# Packages that bring static files of their own.
PACKAGES = ("django", "djangorestframework", "drf-spectacular-sidecar")


def digest(folders: Iterable[Path]) -> str:
    """Return 16 hex digits over names and bytes of all files below the folders, and over the packages' versions."""
    total = hashlib.sha256(" ".join(metadata.version(name) for name in PACKAGES).encode())
    for folder in folders:
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            content = path.read_bytes()
            total.update(f"\n{path.relative_to(folder).as_posix()} {len(content)}\n".encode())
            total.update(content)
    return total.hexdigest()[:16]


def always_immutable(_path: str, _url: str) -> bool:
    """Say that a file may be cached for ever: its digest stands in the URL."""
    return True


WORDY = ("text/", "application/javascript", "application/json", "image/svg+xml")
"""What compresses well; the other types are compressed already."""

SMALL = 512
"""Bytes below which a packet is a packet, compressed or not."""


class StaticMiddleware(WhiteNoiseMiddleware):
    """WhiteNoise, answering with the bytes at once, compressed where the client takes that.

    Its own answer iterates over an open file, which Django reads synchronously under ASGI, with a warning. It knows
    compressed files only as files beside the others, and nothing is collected here that could write them.
    """

    @staticmethod
    def serve(static_file: Any, request: HttpRequest) -> HttpResponse:  # type: ignore[override]  # as the middleware does
        found = static_file.get_response(request.method, request.META)
        content = b""
        if found.file is not None:
            with found.file:
                content = found.file.read()
        response = HttpResponse(content, status=int(found.status), content_type="")
        del response["Content-Type"]
        for name, value in found.headers:
            response[name] = value
        if response.status_code == 200 and response["Content-Type"].startswith(WORDY):
            _compress(response, accepted=request.headers.get("Accept-Encoding", ""))
        return response


def _compress(response: HttpResponse, *, accepted: str) -> None:
    patch_vary_headers(response, ["Accept-Encoding"])
    if len(response.content) < SMALL or not _takes_gzip(accepted):
        return
    response.content = _zipped(response.content)
    response["Content-Encoding"] = "gzip"
    response["Content-Length"] = str(len(response.content))
    if response.has_header("ETag"):
        response["ETag"] = f"W/{response['ETag']}"  # the same file in other bytes (RFC 9110, 8.8.1)


def _takes_gzip(accepted: str) -> bool:
    """Return whether an Accept-Encoding names gzip without forbidding it by a weight of 0 (RFC 9110, 12.5.3)."""
    for offer in accepted.lower().split(","):
        name, _, weight = offer.replace(" ", "").partition(";q=")
        if name == "gzip":
            return not weight or weight.strip("0.") != ""
    return False


@lru_cache(maxsize=256)
def _zipped(content: bytes) -> bytes:
    """Compress a file once: its bytes never change under its address."""
    return gzip.compress(content, mtime=0)
