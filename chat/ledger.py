"""What was spent, and what may be: rows of tokens and money, counted a day, limited a day or a month.

Days and months are those of UTC. Money is whole millionths of a US dollar, tokens are all that the API counted:
input, output, cache writes and cache reads.
"""

from typing import ClassVar

from django.conf import settings
from django.contrib.auth.models import Group
from django.db import models
from django.db.models import Q


class BudgetQuerySet(models.QuerySet["Budget"]):
    def binding(self, user_id: int) -> "BudgetQuerySet":
        """Narrow to those a person must keep to: their own, and those of the groups they are in."""
        return self.filter(Q(user_id=user_id) | Q(group__user=user_id)).distinct()


class Budget(models.Model):
    """How much one person, or all members of a group together, may use in a period; null is no limit."""

    class Period(models.TextChoices):
        DAY = "day"
        MONTH = "month"

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, null=True, blank=True, related_name="+"
    )
    group = models.ForeignKey(Group, models.CASCADE, null=True, blank=True, related_name="+")
    period = models.CharField(max_length=8, choices=Period.choices)
    tokens = models.BigIntegerField(null=True, blank=True)
    money = models.BigIntegerField(null=True, blank=True)

    objects = BudgetQuerySet.as_manager()

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=Q(user=None, group__isnull=False) | Q(user__isnull=False, group=None),
                name="chat_budget_of_one",
            ),
            models.CheckConstraint(
                condition=(Q(tokens=None) | Q(tokens__gte=0)) & (Q(money=None) | Q(money__gte=0)),
                name="chat_budget_not_negative",
            ),
            models.UniqueConstraint(
                fields=["user", "period"], condition=Q(group=None), name="chat_budget_of_user"
            ),
            models.UniqueConstraint(
                fields=["group", "period"], condition=Q(user=None), name="chat_budget_of_group"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.period} budget of {self.user or self.group}"


class Spend(models.Model):
    """What one person used of one model on one day. `day` is a date of UTC as an integer like 20261130."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    day = models.IntegerField()
    model = models.CharField(max_length=128)
    input = models.BigIntegerField(default=0)
    output = models.BigIntegerField(default=0)
    cache_write = models.BigIntegerField(default=0)
    cache_read = models.BigIntegerField(default=0)
    cost = models.BigIntegerField(default=0)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["user", "day", "model"], name="chat_spend_once_a_day"),
        ]

    def __str__(self) -> str:
        return f"{self.user} on {self.day}: {self.model}"
