"""How a REST request says who it is: a Bearer token, or the session cookie with its CSRF token.

Beside both stands `X-Kenny-Account`, the account a page believes to be signed in as: a second tab of the same
browser may have signed in as somebody else.
"""

from typing import Any

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.utils import timezone
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework.authentication import (
    BaseAuthentication,
    SessionAuthentication,
    get_authorization_header,
)
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from history.errors import AccountMismatch
from kenny.accounts import tokens
from kenny.accounts.models import ApiToken

ACCOUNT = "X-Kenny-Account"
SAFE = frozenset({"GET", "HEAD", "OPTIONS"})


class BearerAuthentication(BaseAuthentication):
    """`Authorization: Bearer TOKEN`."""

    def authenticate(self, request: Request) -> tuple[AbstractBaseUser, ApiToken] | None:
        """Return (user, token row), or None when the header is of another kind. Raises AuthenticationFailed."""
        kind, *rest = get_authorization_header(request).split() or [b""]
        if kind.lower() != b"bearer":
            return None
        row = tokens.find(rest[0].decode("latin-1"), now=timezone.now()) if len(rest) == 1 else None
        if row is None:
            raise AuthenticationFailed
        compare_account(request.headers.get(ACCOUNT), user_id=row.user_id)
        return row.user, row

    def authenticate_header(self, _request: Request) -> str:
        """Make DRF answer 401, not 403, to a request without credentials."""
        return "Bearer"


class CookieAuthentication(SessionAuthentication):
    """The browser's session. The account is compared before CSRF, whose token changes with the account."""

    def authenticate(self, request: Request) -> tuple[Any, None] | None:
        """Return (user, None), or None for a stranger. Raises AccountMismatch and PermissionDenied."""
        user = getattr(request._request, "user", AnonymousUser())  # noqa: SLF001  DRF's own way to Django's request
        if not user.is_active:
            return None
        named = request.headers.get(ACCOUNT)
        if named is None and request.method not in SAFE:
            raise AccountMismatch("Name the account in X-Kenny-Account.")
        compare_account(named, user_id=user.pk)
        self.enforce_csrf(request)
        return user, None


def compare_account(named: str | None, *, user_id: int | None) -> None:
    """Raise AccountMismatch when a client names another account than the one it is signed in as."""
    if named is not None and named != str(user_id):
        raise AccountMismatch


class BearerScheme(OpenApiAuthenticationExtension):
    """How the API's description names the token."""

    target_class = "kenny.accounts.authentication.BearerAuthentication"
    name = "token"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        return {"type": "http", "scheme": "bearer"}


class CookieScheme(OpenApiAuthenticationExtension):
    """How the API's description names the session."""

    target_class = "kenny.accounts.authentication.CookieAuthentication"
    name = "session"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        return {"type": "apiKey", "in": "cookie", "name": "sessionid"}
