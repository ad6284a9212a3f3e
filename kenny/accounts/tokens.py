"""API tokens: made, shown once, found by their hash, revoked."""

from datetime import datetime, timedelta

from django.contrib.auth.models import AbstractBaseUser
from django.db.models import Q, QuerySet
from knox.crypto import hash_token

from kenny.accounts.models import ApiToken

# last_used_at is for people; writing it at every request would cost a commit each.
NOTE_USE_EVERY = timedelta(hours=1)


def make(
    user: AbstractBaseUser, *, name: str, lifetime: timedelta | None = None
) -> tuple[ApiToken, str]:
    """Return the stored row and the token itself, which nobody can read again."""
    row, token = ApiToken.objects.create(user=user, name=name, expiry=lifetime)
    return row, token


def valid(now: datetime) -> QuerySet[ApiToken]:
    return ApiToken.objects.filter(Q(expiry__isnull=True) | Q(expiry__gt=now), user__is_active=True)


def find(token: str, *, now: datetime) -> ApiToken | None:
    """Return the valid row of a token, its user loaded, or None. Found by hash, so time tells nothing of a guess."""
    try:
        digest = hash_token(token)
    except UnicodeEncodeError:
        return None
    row = valid(now).select_related("user").filter(digest=digest).first()
    if row is not None and (row.last_used_at is None or now - row.last_used_at > NOTE_USE_EVERY):
        ApiToken.objects.filter(pk=row.pk).update(last_used_at=now)
    return row


def of(user: AbstractBaseUser) -> QuerySet[ApiToken]:
    return ApiToken.objects.filter(user=user).order_by("-created", "digest")


def revoke(user: AbstractBaseUser, *, token_key: str) -> bool:
    """Delete a token of the user and say whether there was one."""
    return bool(ApiToken.objects.filter(user=user, token_key=token_key).delete()[0])
