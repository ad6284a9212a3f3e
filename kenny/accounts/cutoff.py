"""Shut open sockets and streams when their right to be open ends: sign-out, deactivation, a new password, a revoked token.

Two sweeps a second over all doors of the process, with one query for users, one for sessions, one for tokens.
"""

import asyncio
import logging
from collections.abc import Collection, Iterable
from importlib import import_module
from typing import Any

from django.conf import settings
from django.contrib.auth import HASH_SESSION_KEY
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.utils import timezone

from chat import doors
from chat.doors import Door
from chat.threads import in_thread
from kenny.accounts import tokens
from kenny.accounts.sockets import proven

logger = logging.getLogger(__name__)

EVERY = 0.5
"""Seconds. Two are promised; a busy machine has the rest."""


class Watch:
    """Remembers, for each open door, the password hash its user had when it was first seen."""

    def __init__(self) -> None:
        self._passwords: dict[int, str] = {}

    def unwanted(self, open_doors: Collection[Door]) -> list[Door]:
        """Return the doors to be shut. Blocking: at most three queries, none when nothing is open."""
        if not open_doors:
            self._passwords.clear()
            return []
        users = _active_users({door.user_id for door in open_doors})
        sessions = _live_sessions({door.session_key for door in open_doors if door.session_key})
        keys = _live_tokens({door.token_key for door in open_doors if door.token_key})
        numbers = {door.number for door in open_doors}
        self._passwords = {
            number: kept for number, kept in self._passwords.items() if number in numbers
        }
        return [door for door in open_doors if not self._holds(door, users, sessions, keys)]

    def _holds(
        self, door: Door, users: dict[int, User], sessions: dict[str, str], keys: set[str]
    ) -> bool:
        user = users.get(door.user_id)
        if user is None:
            return False
        if door.token_key is not None:
            lives = door.token_key in keys
        else:
            lives = door.session_key in sessions
        known = self._passwords.get(door.number)
        if lives and known is None:
            # The password may have changed between the handshake and this first look.
            self._passwords[door.number] = user.password
            return door.session_key is None or _matches(sessions[door.session_key], user)
        return lives and known == user.password


def _active_users(ids: set[int]) -> dict[int, User]:
    return User.objects.filter(is_active=True).only("id", "password").in_bulk(ids)


def _live_sessions(keys: Iterable[str]) -> dict[str, str]:
    live = Session.objects.filter(session_key__in=keys, expire_date__gt=timezone.now())
    return dict(live.values_list("session_key", "session_data"))


def _live_tokens(keys: set[str]) -> set[str]:
    if not keys:
        return set()
    return set(
        tokens.valid(timezone.now()).filter(token_key__in=keys).values_list("token_key", flat=True)
    )


def _matches(session_data: str, user: User) -> bool:
    """Whether a stored session was made under the user's present password."""
    store: Any = import_module(settings.SESSION_ENGINE).SessionStore()
    return proven(store.decode(session_data).get(HASH_SESSION_KEY, ""), user)


async def watch() -> None:
    """Sweep until cancelled. A failing database is logged and asked again: a door stays open at worst that long."""
    state = Watch()
    while True:
        await asyncio.sleep(EVERY)
        try:
            for door in await in_thread(state.unwanted, list(doors.all_doors())):
                door.close(doors.SIGN_IN_AGAIN)
        except Exception:
            logger.exception("the sweep over open sockets failed")
