"""Where the socket is mounted."""

from django.urls import path

from chat.consumers import ChatConsumer

websocket_urlpatterns = [
    path("ws/chat", ChatConsumer.as_asgi()),  # type: ignore[arg-type]  # the stubs know HTTP views only
]
