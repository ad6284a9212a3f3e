"""What a person prefers, on every device: kept with the account, every value checked on its way in.

Null is the default of each: no choice of one's own. The theme is none of these; it belongs to the device (a cookie).
"""

from collections.abc import Mapping
from typing import Any

from django.db import transaction

from chat import admit, offer
from chat.models import Preferences
from chat.preferable import CHOICES, NAMES
from chat.reader import Reader
from chat.tools import registry
from history.errors import BadRequest, Refused
from history.fields import dump

MOST = 4096
"""Characters of JSON that are looked at in an export."""


def of(user_id: int) -> dict[str, str | None]:
    """Return every preference by its name, null where none was chosen."""
    row = Preferences.objects.filter(user_id=user_id).first()
    kept = row.chosen if row else {}
    return {name: kept.get(name) for name in NAMES}


def read(body: object, *, listed: list[dict[str, Any]]) -> dict[str, str | None]:
    """Return the changes a body asks for. Raises BadRequest, which names the field, and UnknownField."""
    reader = Reader(body)
    named = body if isinstance(body, Mapping) else {}
    values = {name: reader.take(name, str) for name in NAMES}
    reader.finish()
    changes = {name: value for name, value in values.items() if name in named}
    for name, value in changes.items():
        if value is not None:
            _check(name, value, listed=listed)
    return changes


def _check(name: str, value: str, *, listed: list[dict[str, Any]]) -> None:
    if name == "model":
        if not 0 < len(value) <= offer.LONGEST:
            raise BadRequest("model must be the name of a model.", field=name)
        try:
            offer.chosen({"model": value}, listed=listed, rules=admit.rules())
        except BadRequest as refusal:
            raise BadRequest(refusal.message, field=name) from None
        return
    known = CHOICES.get(name) or tuple(agent["id"] for agent in registry.offered())
    if value not in known:
        raise BadRequest(f"{name} must be one of: {', '.join(known)}.", field=name)


def change(user_id: int, changes: Mapping[str, str | None]) -> dict[str, str | None]:
    """Store changes and return all preferences as they are then."""
    with transaction.atomic():
        row, _ = Preferences.objects.select_for_update().get_or_create(user_id=user_id)
        kept = {**row.chosen, **changes}
        row.chosen = {name: value for name, value in kept.items() if value is not None}
        row.save()
    return of(user_id)


def take_out(user_id: int) -> dict[str, str]:
    """Return what an export says of them: what was chosen."""
    return {name: value for name, value in of(user_id).items() if value is not None}


def put_back(user_id: int, value: object) -> None:
    """Take from an export what is not chosen here and would be accepted; an import overwrites no choice."""
    if not isinstance(value, Mapping) or len(dump(dict(value))) > MOST:
        return
    own = of(user_id)
    wanted: dict[str, str | None] = {}
    for name in NAMES:
        if own[name] is None and value.get(name) is not None:
            try:
                wanted |= read({name: value[name]}, listed=[])
            except Refused:
                continue
    if wanted:
        change(user_id, wanted)
