"""Who opens a WebSocket: the exact origin first, then a Bearer token or the session cookie, then the account it names.

Channels' own middleware would let any port and scheme of the host in, ignore the fallbacks of the secret key, and end
the session while doing so (django/channels, `channels.auth.get_user`); this reads the session and never writes it.
"""

import logging
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any
from urllib.parse import parse_qs

from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY, load_backend
from django.contrib.auth.models import AnonymousUser, User
from django.db import InterfaceError, OperationalError
from django.http.cookie import parse_cookie
from django.utils import timezone
from django.utils.crypto import constant_time_compare

from chat.doors import OVERLOADED, SIGN_IN_AGAIN
from chat.threads import in_thread
from kenny.accounts import tokens

logger = logging.getLogger(__name__)

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[MutableMapping[str, Any], Receive, Send], Awaitable[None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Visitor:
    """Who stands at the door; `session_key` or `token_key` says by what right."""

    user: User
    session_key: str | None = None
    token_key: str | None = None


class SocketDoor:
    """Set `scope["user"]` and `scope["door"] = (session_key, token_key)`, or turn the socket away.

    A wrong origin, or none beside a cookie, gets HTTP 403. Whoever cannot be told apart from a stranger, or is
    another account than `?account=` says, is let in and shut out with 4001, a code that a browser's page can read;
    whoever cannot be looked up, since the database answers nobody, in the same way with 4013.
    """

    def __init__(self, inner: Application) -> None:
        self.inner = inner

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        headers = {
            name.decode("latin-1").lower(): value.decode("latin-1")
            for name, value in scope["headers"]
        }
        bearer, cookie = bearer_of(headers), session_cookie_of(headers)
        origin = headers.get("origin")
        if origin not in settings.KENNY_ORIGINS and (origin is not None or (cookie and not bearer)):
            await receive()
            await send({"type": "websocket.close"})
            return
        try:
            visitor = await in_thread(_visitor, bearer, cookie) if bearer or cookie else None
        except (OperationalError, InterfaceError) as error:
            logger.warning("a socket is sent away: %s", type(error).__name__)
            await _shut_out(receive, send, code=OVERLOADED)
            return
        if visitor is None or not _names_itself(scope, visitor):
            await _shut_out(receive, send, code=SIGN_IN_AGAIN)
            return
        door = (visitor.session_key, visitor.token_key)
        await self.inner({**scope, "user": visitor.user, "door": door}, receive, send)


async def _shut_out(receive: Receive, send: Send, *, code: int) -> None:
    """Accept and close: a browser's page sees the code of a socket that was open, and none of a refusal."""
    await receive()
    await send({"type": "websocket.accept"})
    await send({"type": "websocket.close", "code": code})


def bearer_of(headers: dict[str, str]) -> str:
    kind, _, token = headers.get("authorization", "").partition(" ")
    return token.strip() if kind.lower() == "bearer" else ""


def session_cookie_of(headers: dict[str, str]) -> str:
    return parse_cookie(headers.get("cookie", "")).get(settings.SESSION_COOKIE_NAME, "")


def _names_itself(scope: MutableMapping[str, Any], visitor: Visitor) -> bool:
    named = parse_qs(scope["query_string"].decode("latin-1")).get("account")
    if named is None:
        return visitor.token_key is not None
    return named == [str(visitor.user.pk)]


def _visitor(bearer: str, cookie: str) -> Visitor | None:
    """Blocking. A token goes before a cookie."""
    if bearer:
        row = tokens.find(bearer, now=timezone.now())
        return None if row is None else Visitor(user=row.user, token_key=row.token_key)
    user = user_of_session(cookie)
    return None if isinstance(user, AnonymousUser) else Visitor(user=user, session_key=cookie)


def user_of_session(key: str) -> User | AnonymousUser:
    """Return the session's user as `django.contrib.auth.get_user` finds it, without ending or renewing the session."""
    session: Any = import_module(settings.SESSION_ENGINE).SessionStore(key)
    try:
        number, backend = session[SESSION_KEY], session[BACKEND_SESSION_KEY]
    except KeyError:
        return AnonymousUser()
    if backend not in settings.AUTHENTICATION_BACKENDS:
        return AnonymousUser()
    user = load_backend(backend).get_user(User._meta.pk.to_python(number))  # noqa: SLF001  Django's own way to read it
    if user is None or not proven(session.get(HASH_SESSION_KEY) or "", user):
        return AnonymousUser()
    return user


def proven(kept: str, user: User) -> bool:
    """Whether a session's hash belongs to the user's present password, under the secret key or a fallback of it."""
    rights = (user.get_session_auth_hash(), *user.get_session_auth_fallback_hash())
    return any(constant_time_compare(kept, right) for right in rights)
