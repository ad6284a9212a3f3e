"""The demo model: the wire of the API spoken inside the process, so that without a key the very same path runs.

It judges each request as the API does, streams at a human pace, calls the real tools, and says what it is.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Iterable
from typing import Any

import httpx2

from chat.llm import binding, claude, intake, persona
from chat.llm.script import Event, Mint, Script, call, mint, text, thinking
from chat.llm.situation import situation_of
from chat.llm.wire import encode

MODEL = "demo"
PACE = 1 / 30
"""Seconds between two deltas."""
_CARD = {
    "type": "model",
    "id": MODEL,
    "display_name": "Demo model (no Claude)",
    "created_at": "2026-01-01T00:00:00Z",
    "lifecycle": "active",
    "max_input_tokens": 200_000,
    "max_tokens": 64_000,
}


def demo_model(*, pace: float = PACE, new_id: Mint = mint) -> claude.Claude:
    """Return the model that answers without a key. `pace`: seconds between two deltas; `new_id` makes ids."""
    return claude.over(DemoTransport(pace=pace, new_id=new_id))


class DemoTransport(httpx2.AsyncBaseTransport):
    """Answers the requests of the SDK without a socket."""

    def __init__(self, *, pace: float = PACE, new_id: Mint = mint) -> None:
        self._pace, self._mint = pace, new_id

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Answer one request as the API would."""
        raw = await request.aread()
        # Judging a long list takes a while; the event loop serves everybody else meanwhile.
        return await asyncio.to_thread(self._answer, request.method, request.url.path, raw)

    def _answer(self, method: str, path: str, raw: bytes) -> httpx2.Response:
        if (method, path) == ("GET", "/v1/models"):
            return self._json(
                200, {"data": [_CARD], "has_more": False, "first_id": MODEL, "last_id": MODEL}
            )
        if method != "POST" or path not in {"/v1/messages", "/v1/messages/count_tokens"}:
            return self._error(404, "not_found_error", "Not found")
        body = json.loads(raw)
        counting = path.endswith("count_tokens")
        refused = intake.refusal({"max_tokens": 1, **body} if counting else body)
        if refused is not None:
            return self._error(400, "invalid_request_error", refused)
        if counting:
            return self._json(200, {"input_tokens": intake.tokens(body)})
        if not body.get("stream"):
            return self._error(400, "invalid_request_error", "stream: the demo model only streams")
        return self._streamed(self._script(body))

    def _script(self, body: dict[str, Any]) -> Script:
        said = persona.reply(situation_of(body))
        blocks = [
            thinking(said.thought, signature=binding.sign(body)),
            text(said.text),
            *(call(name, arguments, call_id=self._mint("toolu")) for name, arguments in said.calls),
        ]
        return Script(blocks=blocks, model=MODEL, message_id=self._mint("msg"), usage=_usage(body))

    def _streamed(self, script: Script) -> httpx2.Response:
        headers = {
            "content-type": "text/event-stream; charset=utf-8",
            "request-id": self._mint("req"),
        }
        return httpx2.Response(
            200, headers=headers, stream=_Paced(script.events(), pace=self._pace)
        )

    def _error(self, status: int, kind: str, message: str) -> httpx2.Response:
        request_id = self._mint("req")
        return self._json(
            status, intake.error_body(kind, message, request_id=request_id), request_id=request_id
        )

    def _json(
        self, status: int, body: dict[str, Any], *, request_id: str | None = None
    ) -> httpx2.Response:
        return httpx2.Response(
            status, headers={"request-id": request_id or self._mint("req")}, json=body
        )


class _Paced(httpx2.AsyncByteStream):
    """Events as bytes, with a pause before each that a person would see arrive."""

    def __init__(self, events: Iterable[Event], *, pace: float) -> None:
        self._events, self._pace = events, pace

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for event in self._events:
            if event["type"] == "content_block_delta":
                await asyncio.sleep(self._pace)
            yield encode(event)


def _usage(body: dict[str, Any]) -> dict[str, int]:
    """Return what the request would count with a warm cache: everything up to the last reply is read from it."""
    messages = body["messages"]
    replies = [place for place, message in enumerate(messages) if message["role"] == "assistant"]
    old = messages[: replies[-1]] if replies else []
    frozen = intake.tokens([body.get("system", ""), body.get("tools", [])])
    read = frozen + intake.tokens(old) if replies else 0
    return {
        "input_tokens": 4,
        "cache_read_input_tokens": read,
        "cache_creation_input_tokens": max(0, frozen + intake.tokens(messages) - read),
    }
