"""The server of one process: listens, holds writers back, and drains at SIGTERM."""

import asyncio
import gc
import logging
import resource
import sys
from collections.abc import Callable
from typing import Any, Protocol, cast

from daphne.endpoints import build_endpoint_description_strings
from daphne.http_protocol import HTTPFactory
from daphne.server import Server as DaphneServer
from daphne.server import twisted_loop
from daphne.ws_protocol import WebSocketFactory
from twisted.internet import defer
from twisted.internet.endpoints import serverFromString
from twisted.logger import ILogObserver, globalLogBeginner

from chat import doors
from kenny import paths
from kenny.accounts.sockets import Application
from kenny.admission import Admission
from kenny.health import HEALTH
from kenny.serve.connections import FRAME, Flow, Request, Socket, deflated, reactor

logger = logging.getLogger(__name__)
access = logging.getLogger("kenny.access")

STALL = 30.0  # seconds a client may read nothing before it is dropped
FAREWELL = 2.0  # seconds for requests in flight, and again for clients to answer a close
SWITCH = 0.0005  # seconds a database thread keeps the interpreter while the loop has a delta to send (5 ms by default)
HELD_BACK = frozenset({"websocket.send", "http.response.body"})


class Life(Protocol):
    """What begins before the first request and ends at SIGTERM (`kenny.life`)."""

    async def begin(self) -> None: ...

    async def end(self) -> None: ...


class Pages(HTTPFactory):
    """Makes each HTTP connection use kenny's `Request`."""

    def buildProtocol(self, addr: Any) -> Any:
        protocol = super().buildProtocol(addr)
        protocol.requestFactory = Request
        return protocol


class Server(DaphneServer):
    """Daphne's server with back-pressure, an honest drain and kenny's connections.

    `announce` is called when it listens; `stall` is how many seconds a client may leave a full buffer unread.
    """

    def __init__(
        self,
        admission: Admission,
        *,
        endpoints: list[str],
        life: Life,
        announce: Callable[[], None],
        stall: float = STALL,
    ) -> None:
        super().__init__(
            admission, endpoints=endpoints, server_name="kenny", websocket_timeout=-1,
            websocket_max_message_size=FRAME, websocket_max_frame_size=FRAME,
        )  # fmt: skip
        self.admission = admission
        self.life, self.announce = life, announce
        self.stall = stall
        self.failed = ""

    def run(self) -> None:
        """Serve until a signal has been obeyed."""
        self.connections: dict[Any, dict[str, Any]] = {}
        self.http_factory = Pages(self)
        self.ws_factory = WebSocketFactory(self, server=self.server_name)
        self.ws_factory.protocol = Socket
        self.ws_factory.setProtocolOptions(
            autoPingTimeout=self.ping_timeout,
            allowNullOrigin=True,  # kenny.accounts.sockets judges origins
            openHandshakeTimeout=self.websocket_handshake_timeout,
            maxMessagePayloadSize=FRAME,
            maxFramePayloadSize=FRAME,
            perMessageCompressionAccept=deflated,
        )
        globalLogBeginner.beginLoggingTo(
            [cast("ILogObserver", _failures)], redirectStandardIO=False, discardBuffer=True
        )
        asyncio.set_event_loop(twisted_loop)
        opening = twisted_loop.create_task(self._open())
        reactor.callLater(1, self.application_checker)
        reactor.callLater(2, self.timeout_checker)
        reactor.addSystemEventTrigger("before", "shutdown", self.kill_all_applications)
        reactor.run()
        opening.cancel()

    async def _open(self) -> None:
        """Listen once everything is ready, so that no early request meets a process that takes no turn."""
        try:
            await self.life.begin()
        except Exception:
            logger.exception("the start failed")
            self.failed = "the start failed, see the log"
            self.stop()
            return
        for endpoint in self.endpoints:
            listening = serverFromString(reactor, endpoint).listen(self.http_factory)
            listening.addCallbacks(self.listen_success, self.listen_error)

    def listen_success(self, port: Any) -> None:
        super().listen_success(port)
        self.announce()

    def listen_error(self, failure: Any) -> None:
        self.failed = failure.getErrorMessage()
        self.stop()

    # Writing

    async def handle_reply(self, protocol: Any, message: dict[str, Any]) -> None:
        """Pass a message on when the client has read enough of those before it."""
        kind = message["type"]
        if kind in HELD_BACK:
            await self._room(
                protocol, last=kind == "http.response.body" and not message.get("more_body")
            )
        await super().handle_reply(protocol, message)

    async def _room(self, protocol: Any, *, last: bool) -> None:
        if "disconnected" in self.connections.get(protocol, {"disconnected": 0}):
            return
        if protocol.flow is None and not last:
            _make_flow(protocol)
        if protocol.flow is not None and not protocol.flow.room.is_set():
            try:
                await asyncio.wait_for(protocol.flow.room.wait(), self.stall)
            except TimeoutError:
                access.warning("%s reads nothing and is dropped", protocol.client_addr)
                _transport(protocol).abortConnection()
        if last and protocol.flow is not None and protocol.channel is not None:
            # Twisted complains about a producer that outlives its request.
            protocol.unregisterProducer()

    # Reaping

    def application_checker(self) -> None:
        """Daphne's own, which must run on: what it fails to reap once it would never reap again."""
        try:
            super().application_checker()
        except Exception:
            logger.exception("a finished connection could not be cleared away")
            reactor.callLater(1, self.application_checker)

    # Leaving

    def kill_all_applications(self) -> Any:
        """Called by Twisted at SIGTERM and SIGINT; it goes on serving until the result fires."""
        return defer.Deferred.fromFuture(asyncio.ensure_future(self._drain())).addErrback(
            lambda failure: logger.error("the drain failed: %s", type(failure.value).__name__)
        )

    async def _drain(self) -> None:
        HEALTH.drain()
        self.admission.drain()
        try:
            await self.life.end()
        except Exception:
            logger.exception("what runs could not be drained")
        streams = self._applications(lambda protocol: isinstance(protocol, Request))
        await _ended(streams, within=FAREWELL)
        doors.close_all(doors.RESTARTING)
        sockets = [protocol for protocol in self.connections if isinstance(protocol, Socket)]
        for socket in sockets:
            if socket.state == socket.STATE_OPEN:
                socket.sendClose(doors.RESTARTING)
        await _ended(self._applications(lambda _: True), within=FAREWELL)
        late = self._applications(lambda _: True)
        for task in late:
            task.cancel()
        await _ended(late, within=1.0)
        logger.info("drained: %d sockets closed, %d requests cut", len(sockets), len(late))

    def _applications(self, wanted: Callable[[Any], bool]) -> list["asyncio.Task[None]"]:
        tasks = [
            details["application_instance"]
            for protocol, details in self.connections.items()
            # A handshake that was just answered has none: plain daphne dies of that with a KeyError.
            if "application_instance" in details and wanted(protocol)
        ]
        return [task for task in tasks if not task.done()]

    # Telling

    def log_action(self, protocol: str, action: str, details: dict[str, Any]) -> None:
        """Write the access log: a line for each request and each state of a socket, without what a client made up."""
        path = paths.shown(details["path"])
        if protocol == "http":
            access.info(
                "%s %s %s %d bytes %.0f ms %s",
                details["method"], path, details["status"], details["size"], details["time_taken"] * 1000,
                details["client"],
            )  # fmt: skip
        elif action != "disconnected":
            access.info("socket %s %s %s", details["client"], action, path)


def _make_flow(protocol: Any) -> None:
    flow = protocol.flow = Flow()
    if isinstance(protocol, Request):
        protocol.registerProducer(flow, True)  # noqa: FBT003  Twisted's signature
    else:
        # The upgrade left the HTTP channel registered, which knows nothing of the socket.
        protocol.transport.unregisterProducer()
        protocol.transport.registerProducer(flow, True)  # noqa: FBT003  as above


def _transport(protocol: Any) -> Any:
    return protocol.channel.transport if isinstance(protocol, Request) else protocol.transport


async def _ended(tasks: "list[asyncio.Task[None]]", *, within: float) -> None:
    if tasks:
        await asyncio.wait(tasks, timeout=within)


def _failures(event: dict[str, Any]) -> None:
    """Log what Twisted would swallow, and nothing of its chatter."""
    failure = event.get("log_failure")
    if failure is not None:
        trace = failure.getTracebackObject()
        logger.error("in Twisted", exc_info=(failure.type, failure.value, trace))


def run(
    application: Application, *, life: Life, host: str, port: int, announce: Callable[[], None]
) -> str:
    """Serve until SIGTERM or SIGINT and return why it could not, or "". `announce` is called when it listens."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != hard and sys.platform != "darwin":
        # A socket each; the usual soft limit of 1024 is for programs that use select().
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 65536), hard))
    # Collecting the modules again and again would hold every stream up for a tenth of a second each time.
    gc.collect()
    gc.freeze()
    sys.setswitchinterval(SWITCH)
    endpoints = build_endpoint_description_strings(host=host, port=port)
    server = Server(Admission(application), endpoints=endpoints, life=life, announce=announce)
    server.run()
    return server.failed
