"""The thing kenny is measured against: a Channels consumer on daphne that forwards one stream, and nothing else.

    python -m tests.load.bare PORT UPSTREAM

No account, no journal, no gate: a frame comes in, `messages.create(stream=True)` is awaited, each delta goes out.
"""

import json
import sys

import anthropic
import django
from channels.generic.websocket import AsyncWebsocketConsumer
from channels.routing import ProtocolTypeRouter, URLRouter
from daphne.server import Server
from django.conf import settings
from django.urls import path


class Forward(AsyncWebsocketConsumer):
    client: anthropic.AsyncAnthropic

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        asked = json.loads(text_data or "")
        stream = await self.client.messages.create(
            model="m",
            max_tokens=1000,
            stream=True,
            messages=[{"role": "user", "content": asked["message"]}],
        )
        async for event in stream:
            if event.type == "content_block_delta" and event.delta.type == "text_delta":
                await self.send(
                    text_data=json.dumps({"type": "text_delta", "text": event.delta.text})
                )
        await self.send(text_data=json.dumps({"type": "done"}))


def application(upstream: str) -> ProtocolTypeRouter:
    settings.configure(
        INSTALLED_APPS=["channels"], SECRET_KEY="bare", CHANNEL_LAYERS={}, DATABASES={}
    )
    django.setup()
    Forward.client = anthropic.AsyncAnthropic(api_key="bare", base_url=upstream, max_retries=0)
    return ProtocolTypeRouter({"websocket": URLRouter([path("ws/chat", Forward.as_asgi())])})  # type: ignore[arg-type, list-item]  # the stubs know HTTP views only


if __name__ == "__main__":
    listen, upstream = sys.argv[1:]
    endpoint = f"tcp:port={listen}:interface=127.0.0.1"
    Server(application(upstream), endpoints=[endpoint], websocket_timeout=-1).run()
