"""What staff see of conversations: rows, versions, tombstones, and a transcript whose every look is recorded."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.db.models.functions import Length
from django.http import HttpRequest, HttpResponse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from history import store
from history.clock import now_ms
from history.models import Conversation, Look
from history.staffroom import record_look, transcript_html, when


class StateFilter(admin.SimpleListFilter):
    """Live conversations, tombstones, or both."""

    title = "state"
    parameter_name = "state"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("live", "live"), ("deleted", "deleted")]

    def queryset(
        self, request: HttpRequest, queryset: QuerySet[Conversation]
    ) -> QuerySet[Conversation]:
        known = {"live": Conversation.objects.live, "deleted": Conversation.objects.buried}.get(
            self.value() or ""
        )
        return queryset.filter(pk__in=known().values("pk")) if known else queryset


class ReadOnlyAdmin(admin.ModelAdmin):  # type: ignore[type-arg]  # generic only to the type checker
    """Rows that a form must never write: `save()` from one would bypass version and number."""

    show_full_result_count = False

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(Conversation)
class ConversationAdmin(ReadOnlyAdmin):
    """Search by id, title and owner; delete through the store, which leaves a tombstone."""

    list_display = (
        "cid",
        "owner",
        "title",
        "state",
        "version",
        "seq",
        "message_count",
        "size",
        "updated",
        "deleted",
    )
    list_display_links = ("cid",)
    list_filter = (StateFilter,)
    list_select_related = ("owner",)
    search_fields = ("cid", "title", "owner__username")
    ordering = ("-server_updated_at", "-pk")
    fields = (
        *("cid", "owner", "title", "agent_id", "state", "version", "seq", "etag", "message_count"),
        *("created", "updated", "deleted", "transcript"),
    )
    readonly_fields = fields

    def get_queryset(self, request: HttpRequest) -> QuerySet[Conversation]:
        return Conversation.objects.without_bodies().annotate(text_size=Length("messages"))

    @admin.display(description="characters", ordering="text_size")
    def size(self, row: Any) -> int:
        return int(row.text_size)

    @admin.display(description="state")
    def state(self, row: Conversation) -> str:
        return "deleted" if row.is_deleted else row.live_status or "live"

    @admin.display(description="created")
    def created(self, row: Conversation) -> str:
        return when(row.created_at)

    @admin.display(description="last used", ordering="updated_at")
    def updated(self, row: Conversation) -> str:
        return when(row.updated_at)

    @admin.display(description="deleted")
    def deleted(self, row: Conversation) -> str:
        return when(row.deleted_at or 0)

    @admin.display(description="transcript")
    def transcript(self, row: Conversation) -> SafeString:
        return transcript_html(row)

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any
    ) -> HttpResponse:
        # Recorded before the page is made: a look that fails half way was a look.
        if row := kwargs.get("obj"):
            record_look(row, staff=request.user, now=now_ms())
        return super().render_change_form(request, context, *args, **kwargs)

    def delete_model(self, request: HttpRequest, obj: Conversation) -> None:
        store.bury(owner_id=obj.owner_id, cid=obj.cid, now=now_ms())

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Conversation]) -> None:
        for row in queryset:
            self.delete_model(request, row)

    def get_deleted_objects(
        self, objs: Any, request: HttpRequest
    ) -> tuple[list[Any], dict[str, int], set[str], list[str]]:
        """List the conversations alone: nothing cascades, a tombstone stays."""
        listed = [format_html("{} of {}", row.cid, row.owner) for row in objs]
        denied = set() if self.has_delete_permission(request) else {"conversation"}
        return listed, {"conversations": len(listed)}, denied, []


@admin.register(Look)
class LookAdmin(ReadOnlyAdmin):
    """Who of the staff looked at whose conversation, and when; nobody edits or deletes that."""

    list_display = ("moment", "staff_name", "owner_name", "cid")
    search_fields = ("staff_name", "owner_name", "cid")
    ordering = ("-at", "-pk")

    @admin.display(description="at", ordering="at")
    def moment(self, row: Look) -> str:
        return when(row.at)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False
