"""The first account: from the environment, or by a link that the first start prints once. There is no default user."""

import hashlib
import secrets

from django.conf import settings
from django.contrib.auth.models import User
from django.core.exceptions import ImproperlyConfigured
from django.db import transaction
from django.urls import reverse

from kenny import environment
from kenny.accounts.models import SetupLink


def needed() -> bool:
    """Whether nobody has an account yet."""
    return not User.objects.exists()


def from_environment() -> User | None:
    """Make the account that DJANGO_SUPERUSER_USERNAME and _PASSWORD name; None when they are not set."""
    username = environment.text("DJANGO_SUPERUSER_USERNAME")
    password = environment.text("DJANGO_SUPERUSER_PASSWORD")
    if not username and not password:
        return None
    if not username or not password:
        missing = "DJANGO_SUPERUSER_PASSWORD" if username else "DJANGO_SUPERUSER_USERNAME"
        raise ImproperlyConfigured(
            f"{missing} must be set too; the first account needs a name and a password."
        )
    email = environment.text("DJANGO_SUPERUSER_EMAIL")
    return User.objects.create_superuser(username, email, password)


def new_link() -> str:
    """Return the URL of a new set-up link. Only the hash of its secret is kept."""
    token = secrets.token_urlsafe(24)
    SetupLink.objects.create(digest=_digest(token))
    return f"{settings.KENNY_BASE_URL}{reverse('first_account', args=[token])}"


def opens(token: str) -> bool:
    """Whether the link is one of ours and nobody has an account yet."""
    return needed() and SetupLink.objects.filter(digest=_digest(token)).exists()


def claim(token: str, *, username: str, password: str) -> User | None:
    """Make the first account and void every link; None when the link is void. Of two at once, one wins."""
    with transaction.atomic():
        # All rows, so that two different links exclude each other as well.
        links = list(SetupLink.objects.select_for_update().order_by("pk"))
        if not needed() or _digest(token) not in {link.digest for link in links}:
            return None
        SetupLink.objects.all().delete()
        return User.objects.create_superuser(username, "", password)


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
