"""The list of a user's sessions: kept up to date while they are used, ended one by one or all at once."""

import time
from collections.abc import Callable
from datetime import datetime

from allauth.usersessions.models import UserSession
from django.contrib.auth.models import AbstractBaseUser
from django.http import HttpRequest, HttpResponseBase
from django.utils import timezone

NOTE_SEEN_EVERY = 60.0  # seconds
_noted: dict[str, float] = {}


class SeenMiddleware:
    """Note, at most once a minute and process, that a session was used."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        key = request.session.session_key
        # Unused sessions are not loaded for this: a token's request has none.
        if key and request.session.accessed and request.user.is_authenticated and _is_due(key):
            _note(request, key, now=timezone.now())
        return response


def _is_due(key: str) -> bool:
    now = time.monotonic()
    if now - _noted.get(key, -NOTE_SEEN_EVERY) < NOTE_SEEN_EVERY:
        return False
    if len(_noted) > 10_000:
        _noted.clear()
    _noted[key] = now
    return True


def _note(request: HttpRequest, key: str, *, now: datetime) -> None:
    if not UserSession.objects.filter(session_key=key, user_id=request.user.pk).update(
        last_seen_at=now
    ):
        UserSession.objects.create_from_request(request)


def of(user: AbstractBaseUser) -> list[UserSession]:
    """Return the live sessions of a user, last used first; rows whose session ended are dropped on the way."""
    return sorted(
        UserSession.objects.purge_and_list(user), key=lambda row: row.last_seen_at, reverse=True
    )


def end(user: AbstractBaseUser, *, number: int) -> bool:
    """End one session of the user and say whether there was one."""
    row = UserSession.objects.filter(user_id=user.pk, pk=number).first()
    if row is None:
        return False
    row.end()
    return True


def end_all(user: AbstractBaseUser, *, but: str | None = None) -> int:
    """End the sessions of the user, except the one with the key `but`, and say how many there were."""
    rows = list(UserSession.objects.filter(user_id=user.pk).exclude(session_key=but))
    for row in rows:
        row.end()
    return len(rows)


BROWSERS = (("Edg", "Edge"), ("OPR", "Opera"), ("Firefox", "Firefox"), ("Chrom", "Chrome"), ("Safari", "Safari"))  # fmt: skip
SYSTEMS = (("Android", "Android"), ("iPhone", "iPhone"), ("iPad", "iPad"), ("Windows", "Windows"), ("Mac OS", "macOS"), ("Linux", "Linux"))  # fmt: skip


def browser_of(user_agent: str) -> tuple[str, str]:
    """Return what a browser and its system are called, "" for either that it does not tell.

    The order matters: most browsers claim to be several of these.
    """
    named = next((name for mark, name in BROWSERS if f"{mark}" in user_agent), "")
    return named, next((name for mark, name in SYSTEMS if mark in user_agent), "")
