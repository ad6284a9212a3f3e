"""Users and API tokens in the admin site: taking an account out as a file, erasing it; who has which token."""

from typing import Any, cast

from django.contrib import admin, messages
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponseBase

from history.clock import now_ms
from history.moving import download
from history.staffroom import record_export
from kenny.accounts.erasing import erase_account
from kenny.accounts.models import ApiToken

admin.site.unregister(User)  # which the import of UserAdmin registered


@admin.register(User)
class PersonAdmin(UserAdmin):  # type: ignore[type-arg]  # generic in the stubs only
    """Django's own, but that to delete is to erase: with conversations, images and files."""

    actions = ("export",)

    @admin.action(description="Export", permissions=["export"])
    def export(self, request: HttpRequest, queryset: QuerySet[User]) -> HttpResponseBase | None:
        """Send a user's archive; that it was taken is recorded before."""
        chosen = list(queryset[:2])
        if len(chosen) != 1:
            self.message_user(request, "Choose one user to export.", messages.ERROR)
            return None
        record_export(chosen[0], staff=request.user, now=now_ms())
        return download(request, user=chosen[0])

    def has_export_permission(self, request: HttpRequest) -> bool:
        """Ask for the right to read conversations, which an archive is full of."""
        return request.user.has_perm("history.view_conversation")

    def has_delete_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        """Ask for the right to delete conversations too; one's own account goes on the account page."""
        may = super().has_delete_permission(request, obj)
        return may and request.user.has_perm("history.delete_conversation") and obj != request.user

    def get_actions(self, request: HttpRequest) -> dict[str, Any]:
        """Call the deletion of several users, which asks first, what it is."""
        actions = super().get_actions(request)
        if "delete_selected" in actions:
            call, name, _ = cast(tuple[Any, str, str], actions["delete_selected"])
            actions["delete_selected"] = (call, name, "Erase")
        return cast(dict[str, Any], actions)

    def delete_model(self, request: HttpRequest, obj: User) -> None:
        erase_account(obj, now=now_ms(), by=cast(User, request.user))

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[User]) -> None:
        for user in queryset:
            self.delete_model(request, user)

    def get_deleted_objects(
        self, objs: Any, request: HttpRequest
    ) -> tuple[list[Any], dict[str, int], set[str], list[str]]:
        """List the users alone: what is theirs goes with them and is not for staff to read here."""
        denied = {"user" for user in objs if not self.has_delete_permission(request, user)}
        listed = [f"{user.get_username()}, with everything of theirs" for user in objs]
        return listed, {"users": len(listed)}, denied, []


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
