"""Erase an account: sign it out everywhere, take its name out of the admin site's log, then everything it has."""

import re

from django.contrib.admin.models import LogEntry
from django.contrib.auth import SESSION_KEY
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.db.models import Q

from history.erasing import erase, pseudonym


def erase_account(user: User, *, now: int, by: User | None = None) -> None:
    """Erase `user`; docs/export.md says what stays. Raises OSError if a file cannot be removed; it can be repeated.

    `by` is the member of staff who wanted it, None for the user and for the command line.
    """
    User.objects.filter(pk=user.pk).update(is_active=False)
    name = pseudonym()
    _end_sessions(user)
    _rename_in_log(user, name=name)
    erase(user.pk, name=name, now=now, by=by)


def _end_sessions(user: User) -> None:
    """Delete the sessions themselves: their rows name no user, only what is packed into them does."""
    for session in Session.objects.iterator():
        if session.get_decoded().get(SESSION_KEY) == str(user.pk):
            session.delete()


def _rename_in_log(user: User, *, name: str) -> None:
    """Put the pseudonym where the admin site's log says whose row was added, changed or deleted."""
    words = [word for word in (user.get_username(), user.email) if word]
    pattern = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, words))})(?!\w)")
    named = Q()
    for word in words:
        named |= Q(object_repr__contains=word)
    for entry in LogEntry.objects.filter(named):
        LogEntry.objects.filter(pk=entry.pk).update(
            object_repr=pattern.sub(name, entry.object_repr)[:200]
        )
