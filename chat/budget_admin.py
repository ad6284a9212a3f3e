"""Budgets are set here, in dollars and tokens; what was used is only shown."""

from decimal import Decimal
from typing import Any

from django import forms
from django.contrib import admin
from django.http import HttpRequest

from chat.ledger import Budget, Spend
from chat.spending import Standing, standing_of
from history.admin import ReadOnlyAdmin
from history.clock import now_ms

MICRO = 1_000_000


class BudgetForm(forms.ModelForm):  # type: ignore[type-arg]  # generic only to the type checker
    """The money of a budget as dollars; the row keeps whole millionths."""

    dollars = forms.DecimalField(
        required=False, min_value=0, max_digits=12, decimal_places=6, help_text="Empty: no limit."
    )

    class Meta:
        model = Budget
        fields = ("user", "group", "period", "tokens")
        help_texts = {
            "user": "One person, or",
            "group": "a group: its members share the budget.",
            "tokens": "Input, output, cache writes and cache reads together. Empty: no limit.",
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.instance.money is not None:
            self.initial["dollars"] = Decimal(self.instance.money) / MICRO

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or {}
        dollars = cleaned.get("dollars")
        self.instance.money = None if dollars is None else int(dollars * MICRO)
        if bool(cleaned.get("user")) == bool(cleaned.get("group")):
            raise forms.ValidationError("Choose a user or a group, not both.")
        if cleaned.get("tokens") is None and dollars is None:
            raise forms.ValidationError("Set tokens, dollars, or both.")
        return cleaned


@admin.register(Budget)
class BudgetAdmin(admin.ModelAdmin):  # type: ignore[type-arg]  # generic only to the type checker
    """Budgets with what is used of them in their present period."""

    form = BudgetForm
    list_display = ("whose", "period", "tokens_used", "money_used")
    list_filter = ("period",)
    list_select_related = ("user", "group")
    search_fields = ("user__username", "group__name")
    ordering = ("pk",)

    @admin.display(description="whose")
    def whose(self, budget: Budget) -> str:
        return str(budget.user) if budget.user_id else f"group {budget.group}"

    @admin.display(description="tokens")
    def tokens_used(self, budget: Budget) -> str:
        return self._standing(budget).tokens

    @admin.display(description="money")
    def money_used(self, budget: Budget) -> str:
        return self._standing(budget).money

    def _standing(self, budget: Budget) -> Standing:
        return standing_of(budget, now=now_ms())


@admin.register(Spend)
class SpendAdmin(ReadOnlyAdmin):
    """Who used how much of which model on which day."""

    list_display = (
        "day",
        "user",
        "model",
        "input",
        "output",
        "cache_write",
        "cache_read",
        "dollars",
    )
    list_filter = ("model",)
    list_select_related = ("user",)
    search_fields = ("user__username", "model")
    ordering = ("-day", "user_id", "model")

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    @admin.display(description="money", ordering="cost")
    def dollars(self, spend: Spend) -> str:
        return f"${spend.cost / MICRO:,.4f}"
