"""The REST API of a turn (contract section 7)."""

from django.urls import path

from chat import views

urlpatterns = [
    path("api/chat/stream", views.StreamView.as_view(), name="chat-stream"),
    path("api/chat/confirm/stream", views.ConfirmStreamView.as_view(), name="chat-confirm"),
    path("api/chat/models", views.ModelsView.as_view(), name="chat-models"),
    path("api/preferences", views.PreferencesView.as_view(), name="preferences"),
    path("api/chat/handover", views.HandoverView.as_view(), name="chat-handover"),
    path("api/chat/pending", views.PendingView.as_view(), name="chat-pending"),
    path(
        "api/chat/turns/<str:turn_id>/events",
        views.TurnEventsView.as_view(),
        name="chat-turn-events",
    ),
    path("api/chat/turns/<str:turn_id>/stop", views.StopView.as_view(), name="chat-turn-stop"),
]
