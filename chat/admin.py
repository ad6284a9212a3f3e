"""What staff see of turns and of the gate: what ran, at what cost, who decided what and when. Nothing is edited here."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest, HttpResponse

from chat import budget_admin
from chat.models import ToolCall, Turn
from history.admin import ReadOnlyAdmin
from history.clock import now_ms
from history.staffroom import record_look, when

__all__ = ["TurnAdmin", "budget_admin"]


class CallsInline(admin.TabularInline):  # type: ignore[type-arg]  # generic only to the type checker
    """The calls of a turn without their arguments: these are content, and a look at content is recorded."""

    model = ToolCall
    fields = readonly_fields = (
        "tool",
        "tier",
        "state",
        "auto_run",
        "decided_by",
        "decided",
        "took",
    )
    extra = 0
    can_delete = False
    show_change_link = True

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    @admin.display(description="decided")
    def decided(self, call: ToolCall) -> str:
        return when(call.decided_at or 0)

    @admin.display(description="took")
    def took(self, call: ToolCall) -> str:
        return duration(call.started_at, call.ended_at)


@admin.register(Turn)
class TurnAdmin(ReadOnlyAdmin):
    """Turns with their usage; the messages themselves belong to the conversation."""

    list_display = (
        "turn_id",
        "owner",
        "conversation",
        "status",
        "stop_reason",
        "model",
        "tokens",
        "rounds",
        "began",
        "took",
    )
    list_filter = ("status", "model", "agent_id")
    search_fields = ("turn_id", "owner__username", "conversation__cid")
    ordering = ("-pk",)
    list_select_related = ("owner", "conversation")
    fields = readonly_fields = (
        "turn_id", "owner", "conversation", "status", "stop_reason", "error", "agent_id", "model", "effort",
        "rounds", "usage", "version", "last_seq", "fence", "began", "took",
    )  # fmt: skip
    inlines = (CallsInline,)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    @admin.display(description="tokens in / out")
    def tokens(self, turn: Turn) -> str:
        usage = turn.usage
        read = sum(count for name, count in usage.items() if name.endswith("input_tokens"))
        return f"{read:,} / {usage.get('output_tokens', 0):,}"

    @admin.display(description="began", ordering="created_at")
    def began(self, turn: Turn) -> str:
        return when(turn.created_at)

    @admin.display(description="took")
    def took(self, turn: Turn) -> str:
        return duration(turn.created_at, turn.ended_at)


@admin.register(ToolCall)
class ToolCallAdmin(ReadOnlyAdmin):
    """The audit of the gate. Opening a call shows its arguments, so that look is recorded like one at a transcript."""

    list_display = ("call_id", "owner", "tool", "tier", "state", "decided_by", "decided", "took")
    list_filter = ("state", "tier", "tool")
    search_fields = (
        "call_id",
        "digest",
        "turn__owner__username",
        "turn__conversation__cid",
        "decided_by__username",
    )
    ordering = ("-pk",)
    list_select_related = ("turn__owner", "decided_by")
    fields = readonly_fields = (
        "call_id", "turn", "owner", "tool", "agent_id", "tier", "state", "args", "digest", "auto_run",
        "decided_by", "decided", "reason", "took", "ok",
    )  # fmt: skip

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        call = self.get_object(request, object_id)
        if call is not None and self.has_view_permission(request, call):
            record_look(call.turn.conversation, staff=request.user, now=now_ms())
        return super().change_view(request, object_id, form_url, extra_context)

    @admin.display(description="owner")
    def owner(self, call: ToolCall) -> str:
        return call.turn.owner.get_username()

    @admin.display(description="decided", ordering="decided_at")
    def decided(self, call: ToolCall) -> str:
        return when(call.decided_at or 0)

    @admin.display(description="took")
    def took(self, call: ToolCall) -> str:
        return duration(call.started_at, call.ended_at)


def duration(began: int | None, ended: int | None) -> str:
    """Return the time between two moments in ms since 1970, in seconds."""
    return f"{(ended - began) / 1000:.1f} s" if began and ended else "-"
