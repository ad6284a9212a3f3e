"""The rows that remember, and the only place that names `owner` and `deleted_at` in a query."""

import secrets
from typing import Any, Self, cast

from django.conf import settings as django_settings
from django.db import connection, models
from django.db.models import F, Q

from history.beside import BlobLink, Look, ScaledCopy, SearchText
from history.columns import BODY, TOMBSTONE
from history.fields import VerbatimJSONField

__all__ = ["Blob", "BlobLink", "Conversation", "Look", "ScaledCopy", "SearchText", "SyncState"]

TIME_LIMIT = 2**53
RUNNING, HELD = "running", "held"


def new_tag() -> str:
    """Return a random write tag: with it a version number reused after a restore never matches."""
    return secrets.token_hex(6)


def new_epoch() -> str:
    return secrets.token_hex(8)


class SyncState(models.Model):
    """The owner's counter. Locked first by every write, so that numbers follow the order of commits without gaps."""

    user = models.OneToOneField(
        django_settings.AUTH_USER_MODEL, models.CASCADE, primary_key=True, related_name="+"
    )
    last_seq = models.BigIntegerField(default=0)
    epoch = models.CharField(max_length=32, default=new_epoch)

    read_at = 2**63
    """The number at which the transaction that holds the lock began (`rows.locked`): what is above is its own."""

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(last_seq__gte=0), name="history_syncstate_seq")
        ]

    def __str__(self) -> str:
        return f"v1.{self.epoch}.{self.last_seq}"


class ConversationQuerySet(models.QuerySet["Conversation"]):
    """The words in which the rest of the code asks for conversations."""

    def owned_by(self, user_id: int) -> Self:
        return self.filter(owner_id=user_id)

    def live(self) -> Self:
        return self.filter(deleted_at=None)

    def buried(self) -> Self:
        return self.filter(deleted_at__isnull=False)

    def with_cid(self, cid: str) -> Self:
        return self.filter(cid=cid)

    def idle(self) -> Self:
        """Without a running or held turn."""
        return self.filter(live_turn=None)

    def born_up_to(self, seq: int) -> Self:
        return self.filter(first_seq__lte=seq)

    def moved_up_to(self, seq: int) -> Self:
        """Bind to a state of the feed. As an expression, since nearly all rows satisfy it: no index should serve it."""
        return self.alias(moved=F("seq") + 0).filter(moved__lte=seq)

    def moved_after(self, seq: int) -> Self:
        return self.filter(seq__gt=seq)

    def in_commit_order(self) -> Self:
        return self.order_by("seq")

    def newest_first(self) -> Self:
        return self.order_by("-sort_at", "cid")

    def below(self, sort_at: int, cid: str) -> Self:
        """Return what follows this position in `newest_first`."""
        return self.filter(sort_at__lte=sort_at).filter(Q(sort_at__lt=sort_at) | Q(cid__gt=cid))

    def without_bodies(self) -> Self:
        return self.defer(*BODY)

    def swap(self, row: "Conversation", **changes: Any) -> bool:
        """Write `changes`, plain values, only if `row` is still live and at its version.

        The lock makes the race impossible already; the guard holds even for a caller that forgot the lock. In plain
        SQL: every write comes here, and the ORM takes four times as long for it.
        """
        named = ", ".join(f"{name} = %s" for name in changes)
        # Only names of our own columns are put into the text: a name that is none has no field.
        sql = f"UPDATE history_conversation SET {named} WHERE id = %s AND version = %s AND deleted_at IS NULL"  # noqa: S608
        values = [_stored(name, value) for name, value in changes.items()]
        with connection.cursor() as cursor:
            cursor.execute(sql, [*values, row.pk, row.version])
            return bool(cursor.rowcount)

    def bury(self, *, now: int) -> int:
        """Turn the live rows of this set into tombstones, their `seq` left to the caller; return how many."""
        rows = self.live()
        return rows.update(
            **TOMBSTONE,
            version=F("version") + 1,
            tag=new_tag(),
            deleted_at=now,
            server_updated_at=now,
        )

    def number(self, seqs: dict[int, int]) -> None:
        """Give rows (by primary key) their numbers, in plain SQL: `bulk_update` takes milliseconds for each row."""
        with connection.cursor() as cursor:
            sql = "UPDATE history_conversation SET seq = %s WHERE id = %s"
            cursor.executemany(sql, [(seq, pk) for pk, seq in seqs.items()])


def _stored(name: str, value: Any) -> Any:
    """Return what the database is given for a column's value. Raises FieldDoesNotExist."""
    field = cast("models.Field[Any, Any]", Conversation._meta.get_field(name))  # noqa: SLF001  Django's public API
    return field.get_db_prep_save(value, connection)


class Conversation(models.Model):
    """One chat of one owner, or what is left of it: written only through `history.store`."""

    owner = models.ForeignKey(
        django_settings.AUTH_USER_MODEL, models.CASCADE, related_name="+", db_index=False
    )
    cid = models.CharField(max_length=128)
    version = models.BigIntegerField(default=1)
    seq = models.BigIntegerField()
    first_seq = models.BigIntegerField()
    tag = models.CharField(max_length=32, default=new_tag)
    created_at = models.BigIntegerField(default=0)
    updated_at = models.BigIntegerField(default=0)
    server_updated_at = models.BigIntegerField(default=0)
    sort_at = models.BigIntegerField(default=0)
    deleted_at = models.BigIntegerField(null=True)
    title = models.CharField(max_length=200, default="", blank=True)
    agent_id = models.CharField(max_length=200, null=True)  # noqa: DJ001  null and "" are two answers on the wire
    settings = VerbatimJSONField(default=dict)
    pinned = models.BooleanField(default=False)
    archived = models.BooleanField(default=False)
    message_count = models.PositiveIntegerField(default=0)
    preview = models.CharField(max_length=200, default="", blank=True)
    live_turn = models.CharField(max_length=200, null=True)  # noqa: DJ001  null is "no turn"
    live_status = models.CharField(max_length=16, null=True)  # noqa: DJ001  as above
    frozen_hash = models.CharField(max_length=64, default="", blank=True)
    thinking_from = models.PositiveIntegerField(default=0)
    # The large columns stand last: SQLite reads the others without stepping over their pages.
    system = models.TextField(default="", blank=True)
    tools = VerbatimJSONField(default=list)
    facts = VerbatimJSONField(default=dict)
    messages = VerbatimJSONField(default=list)

    objects = ConversationQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["owner", "cid"], name="history_conversation_owner_cid"),
            models.UniqueConstraint(fields=["owner", "seq"], name="history_conversation_owner_seq"),
            models.CheckConstraint(
                condition=Q(version__gte=1), name="history_conversation_version"
            ),
            models.CheckConstraint(
                condition=Q(seq__gte=F("first_seq")) & Q(first_seq__gte=1),
                name="history_conversation_seq",
            ),
            models.CheckConstraint(
                condition=Q(created_at__range=(0, TIME_LIMIT - 1))
                & Q(updated_at__range=(0, TIME_LIMIT - 1)),
                name="history_conversation_times",
            ),
            models.CheckConstraint(
                condition=Q(deleted_at=None) | Q(**TOMBSTONE), name="history_conversation_tombstone"
            ),
            models.CheckConstraint(
                condition=Q(live_turn=None, live_status=None)
                | Q(live_turn__isnull=False, live_status__in=[RUNNING, HELD]),
                name="history_conversation_live",
            ),
        ]
        indexes = [
            models.Index(
                F("owner"),
                F("sort_at").desc(),
                F("cid"),
                condition=Q(deleted_at=None),
                name="history_conversation_newest",
            ),
            models.Index(
                fields=["owner", "seq"],
                condition=Q(deleted_at__isnull=False),
                name="history_conversation_dead",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.cid} v{self.version}"

    @property
    def etag(self) -> str:
        """The strong entity tag, quotes included."""
        return f'"{self.version}.{self.tag}"'

    @property
    def is_deleted(self) -> bool:
        return self.deleted_at is not None

    @property
    def live(self) -> dict[str, str] | None:
        """The turn that runs or is held, as it stands on the wire."""
        return (
            {"turnId": self.live_turn, "status": cast(str, self.live_status)}
            if self.live_turn
            else None
        )


class BlobQuerySet(models.QuerySet["Blob"]):
    def owned_by(self, user_id: int) -> Self:
        return self.filter(owner_id=user_id)

    def unused(self) -> Self:
        """No conversation holds them any more."""
        return self.exclude(pk__in=BlobLink.objects.values("blob"))


class Blob(models.Model):
    """An image's bytes, once per owner.

    Media type, width and height are read from the bytes, not from what a client says: "" and 0 when they do not tell.
    """

    owner = models.ForeignKey(
        django_settings.AUTH_USER_MODEL, models.CASCADE, related_name="+", db_index=False
    )
    sha256 = models.CharField(max_length=64)
    size = models.PositiveIntegerField()
    media_type = models.CharField(max_length=64, default="", blank=True)
    width = models.PositiveIntegerField(default=0)
    height = models.PositiveIntegerField(default=0)
    data = models.BinaryField()

    objects = BlobQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["owner", "sha256"], name="history_blob_owner_sha256")
        ]

    def __str__(self) -> str:
        return self.sha256[:12]
