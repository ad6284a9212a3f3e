"""The rows that stand beside a conversation: its images' links and copies, its searchable text, who looked at it."""

from django.conf import settings as django_settings
from django.db import models


class BlobLink(models.Model):
    """That a conversation holds an image. RESTRICT: bytes in use cannot go before their conversation does."""

    conversation = models.ForeignKey(
        "history.Conversation", models.CASCADE, related_name="links", db_index=False
    )
    blob = models.ForeignKey("history.Blob", models.RESTRICT, related_name="links")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["conversation", "blob"], name="history_bloblink_conversation_blob"
            )
        ]

    def __str__(self) -> str:
        return f"{self.conversation_id} holds {self.blob_id}"


class ScaledCopy(models.Model):
    """The smaller copy of an image that goes into requests; a row of its own, so that the original is not rewritten."""

    blob = models.OneToOneField(
        "history.Blob", models.CASCADE, primary_key=True, related_name="scaled"
    )
    media_type = models.CharField(max_length=64)
    data = models.BinaryField()

    def __str__(self) -> str:
        return f"scaled {self.blob_id}"


class SearchText(models.Model):
    """The searchable text of one message (`n` from 0) or of the title (`n` -1), cut into `part`s.

    `digest` tells a changed text from an unchanged one without reading it. The inverted index beside this table
    is set up in migration 0002 and differs between the databases.
    """

    conversation = models.ForeignKey(
        "history.Conversation", models.CASCADE, related_name="+", db_index=False
    )
    n = models.IntegerField()
    part = models.PositiveIntegerField()
    digest = models.CharField(max_length=16)
    text = models.TextField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["conversation", "n", "part"], name="history_searchtext_position"
            )
        ]

    def __str__(self) -> str:
        return f"{self.conversation_id}/{self.n}.{self.part}"


class Look(models.Model):
    """That a member of staff opened another user's transcript: who, whose, which, when. Nothing of what was seen."""

    staff = models.ForeignKey(
        django_settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+"
    )
    owner = models.ForeignKey(
        django_settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+"
    )
    staff_name = models.CharField(max_length=150)
    owner_name = models.CharField(max_length=150)
    cid = models.CharField(max_length=128)
    at = models.BigIntegerField()

    def __str__(self) -> str:
        return f"{self.staff_name} at {self.cid}"
