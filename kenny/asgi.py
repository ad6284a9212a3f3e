"""The application: health checks first, then Django's pages and API, and the chat socket behind its door."""

import os
from collections.abc import MutableMapping
from typing import Any, cast

from channels.routing import URLRouter
from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "kenny.settings")
pages: Any = get_asgi_application()

# These need the apps to be loaded.
from chat.routing import websocket_urlpatterns  # noqa: E402
from kenny import health  # noqa: E402
from kenny.accounts.sockets import Application, Receive, Send, SocketDoor  # noqa: E402

SOCKET_PATHS = frozenset({"/ws/chat"})
sockets = SocketDoor(cast("Application", URLRouter(cast("Any", websocket_urlpatterns))))


async def application(scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
    """Route one connection."""
    if scope["type"] == "websocket":
        await (sockets if scope["path"] in SOCKET_PATHS else _no_socket)(scope, receive, send)
    elif scope["type"] == "http" and scope["path"] in health.PATHS:
        await health.answer(scope, send)
    else:
        await pages(scope, receive, send)


async def _no_socket(_scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
    """Refuse a socket at an address that has none; the router would raise."""
    await receive()
    await send({"type": "websocket.close"})
