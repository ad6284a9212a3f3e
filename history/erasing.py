"""An account erased: every row and image of it, and what other floors keep of it outside the database.

Tombstones go too: they tell an account's own devices that an id is dead, and nobody is left to ask. What stays is the
record of looks, with a pseudonym in place of the name; it was drawn, not derived, so that it leads back to nobody.
"""

import secrets

from django.contrib.auth.models import User
from django.db import transaction

from history import hooks
from history.models import Look
from history.rows import locked
from history.staffroom import ERASURE
from history.tombstones import bury_all


def pseudonym() -> str:
    return f"erased-{secrets.token_hex(6)}"


def erase(user_id: int, *, name: str, now: int, by: User | None = None) -> None:
    """Erase a user who cannot sign in any more; `name` is the pseudonym, `by` the member of staff who wanted it.

    First the conversations die as any deletion does it, which ends their turns and tells open pages. If a file cannot
    be removed, the OSError comes out before the user's row is gone: the erasure can be repeated.
    """
    bury_all(owner_id=user_id, now=now)
    for call in hooks.erase:
        call(user_id)
    with transaction.atomic():
        locked(user_id)
        Look.objects.filter(owner=user_id).update(owner_name=name)
        Look.objects.filter(staff=user_id).update(staff_name=name)
        User.objects.filter(pk=user_id).delete()
        _record(name=name, now=now, by=by if by and by.pk != user_id else None)


def _record(*, name: str, now: int, by: User | None) -> None:
    Look.objects.create(
        staff=by, staff_name=by.get_username() if by else "", owner_name=name, cid=ERASURE, at=now
    )
