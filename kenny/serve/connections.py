"""One connection as kenny wants it: room before the next write, a limit on bodies, errors in the API's shape."""

import asyncio
import json
import logging
from collections.abc import Iterable
from typing import Any

from autobahn.websocket.compress import PerMessageDeflateOffer, PerMessageDeflateOfferAccept
from daphne.http_protocol import WebRequest
from daphne.ws_protocol import WebSocketProtocol
from django.conf import settings
from twisted.internet import reactor as _reactor
from twisted.web.http import datetimeToString

from history.errors import BadRequest, Refused, TooLarge, Unavailable

reactor: Any = _reactor  # a module that its reactor has replaced
access = logging.getLogger("kenny.access")

LINGER = (
    10.0  # seconds to read on after a body was refused, so that the client gets to read the answer
)
FRAME = 1024 * 1024  # bytes of one WebSocket message
COMPRESS_FROM = 1024  # bytes; deflating a delta of 150 bytes costs more than it saves
WINDOW_BITS, MEMORY_LEVEL = 12, 5  # 32 KiB of compressor a socket instead of 256


class Flow:
    """Twisted's view of one answer: the transport pauses it when 64 KiB wait to be sent."""

    def __init__(self) -> None:
        self.room = asyncio.Event()
        self.room.set()

    def pauseProducing(self) -> None:
        self.room.clear()

    def resumeProducing(self) -> None:
        self.room.set()

    def stopProducing(self) -> None:
        self.room.set()


class Request(WebRequest):
    """An HTTP request whose body has a limit, and whose errors are the API's."""

    flow: Flow | None = None
    content: Any
    channel: Any
    _refused = False
    _linger: Any = None

    def gotLength(self, length: int | None) -> None:
        """Refuse a body by its announced length, before any of it is kept."""
        too_large = length is not None and length > settings.KENNY_MAX_BODY
        super().gotLength(0 if too_large else length)
        if too_large:
            self._refuse()

    def handleContentChunk(self, data: bytes) -> None:
        """Refuse a body without an announced length once it has grown too large; drop what follows."""
        if not self._refused and self.content.tell() + len(data) > settings.KENNY_MAX_BODY:
            self._refuse()
        if not self._refused:
            super().handleContentChunk(data)

    def _refuse(self) -> None:
        self._refused = True
        self.content.seek(0)
        self.content.truncate()
        self.requestHeaders.removeHeader(b"expect")
        status, headers, body = error_answer(TooLarge(limit=settings.KENNY_MAX_BODY))
        head = b"".join(
            b"%s: %s\r\n" % header
            for header in (*headers, (b"date", datetimeToString()), (b"connection", b"close"))
        )
        # Past the request, which Twisted has not finished reading.
        self.channel.transport.write(
            b"HTTP/1.1 %d Content Too Large\r\n%s\r\n%s" % (status, head, body)
        )
        self._linger = reactor.callLater(LINGER, self.channel.transport.abortConnection)

    def process(self) -> Any:
        """Hand the request on, without the header by which daphne lets any client choose the root path."""
        if self._refused:
            self.channel.loseConnection()
            return None
        self.requestHeaders.removeHeader(b"daphne-root-path")
        return super().process()

    def handle_reply(self, message: dict[str, Any]) -> None:
        """Date every answer, as RFC 9110 6.6.1 asks; by it a page sees that its device's clock is wrong."""
        super().handle_reply(message)
        if message["type"] == "http.response.start" and not self.responseHeaders.hasHeader(b"date"):
            self.responseHeaders.setRawHeaders(b"date", [datetimeToString()])

    def connectionLost(self, reason: Any) -> None:
        if self._linger is not None and self._linger.active():
            self._linger.cancel()
        super().connectionLost(reason)

    def basic_error(self, status: int, _status_text: bytes, _body: str) -> None:
        refused: Refused = (
            BadRequest() if status < 500 else Unavailable("The server failed at this request.")
        )
        _, headers, content = error_answer(refused)
        self.handle_reply({"type": "http.response.start", "status": status, "headers": headers})
        self.handle_reply({"type": "http.response.body", "body": content})

    def handle_exception(self, exception: Exception) -> None:
        """Answer for an application that failed; a body half sent can only be cut, so that it does not look whole."""
        if not self._response_started:
            super().handle_exception(exception)
        elif self.channel is not None:
            self.channel.transport.abortConnection()


def error_answer(refused: Refused) -> tuple[int, list[tuple[bytes, bytes]], bytes]:
    """Return status, headers and body of a refusal that no view has seen."""
    body = json.dumps(
        {"error": {"code": refused.code, "message": refused.message, **refused.facts}}
    ).encode()
    headers = [(b"content-type", b"application/json"), (b"cache-control", b"no-store")]
    return refused.status, [*headers, (b"content-length", str(len(body)).encode())], body


class Socket(WebSocketProtocol):
    """A WebSocket that compresses long messages only."""

    flow: Flow | None = None

    def serverSend(self, content: str | bytes, binary: bool = False) -> None:  # noqa: FBT001, FBT002  daphne's signature
        payload = content if isinstance(content, bytes) else content.encode()
        self.sendMessage(payload, binary, doNotCompress=len(payload) < COMPRESS_FROM)

    def onClose(self, wasClean: bool, code: int | None, reason: str | None) -> None:  # noqa: FBT001  autobahn's signature
        super().onClose(wasClean, code, reason)
        access.info("socket %s closed %s", getattr(self, "client_addr", None), code)


def deflated(offers: Iterable[Any]) -> Any:
    """Accept the first offer of permessage-deflate, with a small window and no message beyond `FRAME`."""
    for offer in offers:
        if isinstance(offer, PerMessageDeflateOffer):
            bits = min(WINDOW_BITS, offer.request_max_window_bits or WINDOW_BITS)
            client_bits = WINDOW_BITS if offer.accept_max_window_bits else 0
            return PerMessageDeflateOfferAccept(
                offer,
                request_max_window_bits=client_bits,
                window_bits=bits,
                mem_level=MEMORY_LEVEL,
                max_message_size=FRAME,
            )
    return None
