"""`/api/export` and `/api/import`: an account as one file, and back."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import asdict
from datetime import UTC, datetime
from functools import partial
from io import BytesIO
from typing import IO, Any, cast

from asgiref.sync import sync_to_async
from django.conf import settings
from django.contrib.auth.models import User
from django.core.handlers.asgi import ASGIRequest
from django.db import connections
from django.http import HttpRequest, StreamingHttpResponse
from rest_framework.parsers import BaseParser
from rest_framework.request import Request
from rest_framework.response import Response

from history import hooks
from history.clock import now_ms
from history.exporting import export
from history.importing import take
from history.json_body import whole
from history.operations import operation
from history.requests import owner_of
from history.unpacking import Archive, Limits
from history.views import HistoryView


class ZipParser(BaseParser):
    """Takes a body of at most KENNY_MAX_BODY bytes as it is."""

    media_type = "application/zip"

    def parse(
        self, stream: IO[Any], media_type: str | None = None, parser_context: Any = None
    ) -> Any:
        return whole(stream)


class Export(HistoryView):
    """The account as a file."""

    @operation("export_account")
    def get(self, request: Request) -> StreamingHttpResponse:
        """Send all conversations, images and tombstones of the account as a zip (docs/export.md)."""
        token_key = getattr(request.auth, "token_key", None)
        return download(request._request, user=cast(User, request.user), token_key=token_key)  # noqa: SLF001  DRF's own way to Django's request


class Import(HistoryView):
    """A file back into the account."""

    parser_classes = (ZipParser,)  # type: ignore[assignment]  # the base class takes JSON

    @operation("import_account")
    def post(self, request: Request) -> Response:
        """Take an export; what is here already is skipped, what cannot be taken is named."""
        limits = Limits.of(settings.KENNY_MAX_BODY)
        archive = Archive(BytesIO(_body_of(request)), limits=limits)
        taken = take(owner_of(request), archive, limits=limits, now=now_ms())
        return Response(asdict(taken))


def download(
    request: HttpRequest, *, user: User, token_key: str | None = None
) -> StreamingHttpResponse:
    """Return the answer that a browser saves as a file: the archive of `user`.

    It ends, cut off, when who asked for it may not see it any more: with the session, or with the token of this key.
    """
    standing = partial(
        hooks.Standing,
        user_id=cast(int, request.user.pk),
        session_key=None if token_key else request.session.session_key,
        token_key=token_key,
    )
    now = now_ms()
    pieces = export(user.pk, account=user.get_username(), now=now)
    day = datetime.fromtimestamp(now / 1000, tz=UTC).date()
    return StreamingHttpResponse(
        # Each kind of server would gather the other kind of iterator whole in memory.
        _in_steps(pieces, standing) if isinstance(request, ASGIRequest) else pieces,
        content_type="application/zip",
        headers={
            "Content-Disposition": f'attachment; filename="kenny-{day}.zip"',
            "Cache-Control": "no-store",
            "X-Content-Type-Options": "nosniff",
        },
    )


async def _in_steps(
    pieces: Iterator[bytes], standing: Callable[..., hooks.Standing]
) -> AsyncIterator[bytes]:
    """Iterate in threads, each step in any of them: no step leaves a connection or a cursor behind."""
    step = sync_to_async(_step, thread_sensitive=False)
    ended = asyncio.Event()
    leaving = [enter(standing(end=ended.set)) for enter in hooks.standing]
    try:
        while not ended.is_set() and (piece := await step(pieces)):
            yield piece
    finally:
        for leave in leaving:
            leave()


def _step(pieces: Iterator[bytes]) -> bytes:
    try:
        return next(pieces, b"")
    finally:
        connections.close_all()


def _body_of(request: Request) -> bytes:
    if request.META.get("CONTENT_LENGTH") in {None, "", "0"}:
        # DRF takes a body of undeclared length (chunked) for none.
        return cast(bytes, ZipParser().parse(BytesIO(request.body)))
    return cast(bytes, request.data)
