"""API tokens in the admin site: who has which, and revoking them. Tokens are made by their owners."""

from django.contrib import admin
from django.http import HttpRequest

from kenny.accounts.models import ApiToken


@admin.register(ApiToken)
class ApiTokenAdmin(admin.ModelAdmin):  # type: ignore[type-arg]  # generic in the stubs only
    """Read-only but for deletion, which revokes."""

    list_display = ("token_key", "name", "user", "created", "last_used_at", "expiry")
    list_select_related = ("user",)
    search_fields = ("token_key", "name", "user__username")
    fields = readonly_fields = ("token_key", "name", "user", "created", "last_used_at", "expiry")

    def has_add_permission(self, _request: HttpRequest) -> bool:
        """Say no: a token made here would have to be carried to its owner."""
        return False

    def has_change_permission(self, _request: HttpRequest, _obj: ApiToken | None = None) -> bool:
        return False
