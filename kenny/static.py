"""Static files: one digest in STATIC_URL for the whole tree, served from where they lie.

Relative imports between modules resolve inside the prefix, so nothing is collected or rewritten and every file may
be cached for ever; a changed file changes the prefix of all.
"""

import hashlib
from collections.abc import Iterable
from importlib import metadata
from pathlib import Path
from typing import Any

from django.http import HttpRequest, HttpResponse
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


class StaticMiddleware(WhiteNoiseMiddleware):
    """WhiteNoise, answering with the bytes at once.

    Its own answer iterates over an open file, which Django reads synchronously under ASGI, with a warning.
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
        return response
