"""The search index from nothing but the conversations, for when it was lost or the way words are cut has changed."""

from django.db import connection, transaction

from history import index
from history.models import Conversation, SearchText
from history.prepared import prepare
from history.rows import locked
from history.settling import full_messages


def rebuild() -> int:
    """Index every live conversation anew, each in its own transaction; return how many."""
    SearchText.objects.exclude(conversation__in=Conversation.objects.live()).delete()
    count = 0
    for pk in list(Conversation.objects.live().order_by("pk").values_list("pk", flat=True)):
        count += _rebuild_one(pk)
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute(
                "INSERT INTO history_searchindex(history_searchindex) VALUES ('rebuild')"
            )
    return count


def _rebuild_one(pk: int) -> bool:
    with transaction.atomic():
        owner_id = Conversation.objects.values_list("owner", flat=True).get(pk=pk)
        locked(owner_id)
        row = Conversation.objects.live().filter(pk=pk).first()
        if row is None:
            return False
        index.forget([pk])
        index.index_title(pk, row.title)
        index.index_messages(pk, prepare(full_messages(row)).texts)
        return True
