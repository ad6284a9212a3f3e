"""Finding the user that a command names."""

from django.contrib.auth.models import User
from django.core.management.base import CommandError


def named(username: str) -> User:
    """Return the user. Raises CommandError when there is none."""
    user = User.objects.filter(username=username).first()
    if user is None:
        raise CommandError("There is no user of that name.")
    return user
