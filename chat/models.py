"""A turn's progress, its gate and its journal. Written by guarded UPDATEs only (turns.md)."""

from typing import Any, ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q

from chat.ledger import Budget, Spend
from history.fields import VerbatimJSONField
from history.models import Conversation

__all__ = ["Budget", "Preferences", "Spend", "ToolCall", "Turn", "TurnEvent", "TurnMessage"]


class TurnQuerySet(models.QuerySet["Turn"]):
    """The words for turns; `owner` stands in no query outside this file."""

    def owned_by(self, user_id: int) -> "TurnQuerySet":
        return self.filter(owner_id=user_id)

    def named(self, turn_id: str) -> "TurnQuerySet":
        return self.filter(turn_id=turn_id)

    def running(self) -> "TurnQuerySet":
        return self.filter(status=Turn.Status.RUNNING)

    def of_people(self, people: models.QuerySet[Any, Any]) -> "TurnQuerySet":
        return self.filter(owner__in=people)

    def live(self) -> "TurnQuerySet":
        return self.filter(status__in=Turn.LIVE)

    def held_under(self, *, lease: str, fence: int) -> "TurnQuerySet":
        """Narrow to turns this lease may still write (rule 8)."""
        return self.running().filter(lease_owner=lease, fence=fence)


class Turn(models.Model):
    """One user message and all that follows from it; `turn_id` is unique per owner, times are ms since 1970.

    `thought` are the ms that each run of thinking took which its messages hold.
    """

    class Status(models.TextChoices):
        RUNNING = "running"
        HELD = "held"
        DONE = "done"
        STOPPED = "stopped"
        FAILED = "failed"
        INTERRUPTED = "interrupted"
        DISCARDED = "discarded"

    LIVE: ClassVar = (Status.RUNNING, Status.HELD)

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    conversation = models.ForeignKey(Conversation, on_delete=models.CASCADE, related_name="turns")
    turn_id = models.CharField(max_length=128)
    request_hash = models.CharField(max_length=64)
    status = models.CharField(max_length=16, choices=Status.choices, default=Status.RUNNING)
    agent_id = models.CharField(max_length=64)
    model = models.CharField(max_length=128)
    effort = models.CharField(max_length=16, blank=True, default="")
    mark = models.CharField(max_length=32)
    cut = models.IntegerField(null=True)
    base = models.IntegerField(null=True)
    lease_owner = models.CharField(max_length=32, blank=True, default="")
    lease_until = models.DateTimeField(null=True)
    fence = models.IntegerField(default=1)
    stop = models.BooleanField(default=False)
    last_seq = models.BigIntegerField(default=0)
    left = models.BigIntegerField(null=True)
    msg_seq = models.BigIntegerField(default=0)
    rounds = models.IntegerField(default=0)
    stop_reason = models.CharField(max_length=40, blank=True, default="")
    error = models.CharField(max_length=40, blank=True, default="")
    usage = VerbatimJSONField(default=dict)
    spent = VerbatimJSONField(default=dict)
    thought = VerbatimJSONField(default=list)
    version = models.BigIntegerField(null=True)
    created_at = models.BigIntegerField()
    ended_at = models.BigIntegerField(null=True)

    objects = TurnQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["owner", "turn_id"], name="chat_turn_once_per_owner"),
            models.UniqueConstraint(
                fields=["conversation"],
                condition=Q(status__in=["running", "held"]),
                name="chat_one_live_turn_per_conversation",
            ),
        ]
        indexes = [
            models.Index(
                fields=["lease_until"], condition=Q(status="running"), name="chat_running_leases"
            ),
            models.Index(fields=["ended_at"], name="chat_turn_ended"),
        ]

    def __str__(self) -> str:
        return f"turn {self.turn_id} ({self.status})"


class TurnMessage(models.Model):
    """One finished message of a turn: n = 0 is the person's, the others are the model's. Deleted at the last settle."""

    turn = models.ForeignKey(Turn, on_delete=models.CASCADE, related_name="messages")
    n = models.IntegerField()
    payload = VerbatimJSONField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["turn", "n"], name="chat_turn_message_once"),
        ]

    def __str__(self) -> str:
        return f"message {self.n} of turn {self.turn_id}"


class TurnEvent(models.Model):
    """What one flush wrote of one turn: `events` is a JSON list of event objects, the last one has `last_seq`."""

    turn = models.ForeignKey(Turn, on_delete=models.CASCADE, related_name="events")
    last_seq = models.BigIntegerField()
    events = models.TextField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["turn", "last_seq"], name="chat_turn_event_once"),
        ]

    def __str__(self) -> str:
        return f"events of turn {self.turn_id} up to {self.last_seq}"


class ToolCall(models.Model):
    """Gate and audit in one row: what was asked, who decided what and when, what came of it.

    PENDING waits for a person; APPROVED has a yes and has not begun; RUNNING has `started_at` committed before its effect; UNKNOWN began and its end was not seen; FORBIDDEN was approved
    by somebody who had lost the right to it when it was to begin. `announced` says
    that the decision is an event already, `told` that the answer is one.
    """

    class State(models.TextChoices):
        PENDING = "pending"
        APPROVED = "approved"
        RUNNING = "running"
        DONE = "done"
        FAILED = "failed"
        UNKNOWN = "unknown"
        DENIED = "denied"
        EXPIRED = "expired"
        REPEATED = "repeated"
        STOPPED = "stopped"
        NOT_RUN = "not_run"
        FORBIDDEN = "forbidden"
        SUPERSEDED = "superseded"

    OPEN: ClassVar = (State.PENDING, State.APPROVED, State.RUNNING)

    turn = models.ForeignKey(Turn, on_delete=models.CASCADE, related_name="calls")
    message_n = models.IntegerField()
    position = models.IntegerField()
    call_id = models.CharField(max_length=128)
    tool = models.CharField(max_length=128)
    agent_id = models.CharField(max_length=64)
    tier = models.CharField(max_length=16)
    args = VerbatimJSONField(default=dict)
    canonical_args = models.TextField(blank=True, default="")
    digest = models.CharField(max_length=64)
    state = models.CharField(max_length=16, choices=State.choices)
    auto_run = models.BooleanField(default=False)
    created_at = models.BigIntegerField()
    expires_at = models.BigIntegerField(null=True)
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    decided_at = models.BigIntegerField(null=True)
    reason = models.TextField(blank=True, default="")
    announced = models.BooleanField(default=False)
    told = models.BooleanField(default=False)
    started_at = models.BigIntegerField(null=True)
    ended_at = models.BigIntegerField(null=True)
    ok = models.BooleanField(null=True)
    result = VerbatimJSONField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["turn", "call_id"], name="chat_call_once_per_turn"),
        ]
        indexes = [
            models.Index(
                fields=["expires_at"], condition=Q(state="pending"), name="chat_pending_expiry"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.tool} {self.call_id} ({self.state})"


class Preferences(models.Model):
    """What a person chose for all their devices; `chat.preferences` knows the names."""

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, models.CASCADE, primary_key=True, related_name="+"
    )
    chosen = models.JSONField(default=dict)

    class Meta:
        verbose_name_plural = "preferences"

    def __str__(self) -> str:
        return f"preferences of {self.user_id}"
