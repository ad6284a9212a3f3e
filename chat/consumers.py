"""The WebSocket edge: a frame comes in, one call into the desk, frames go out. No rule about turns stands here."""

import asyncio
import contextlib
import json
import logging
import time
from typing import Any, cast

from channels.consumer import get_handler_name
from channels.generic.websocket import AsyncWebsocketConsumer
from django.conf import settings
from django.db import InterfaceError, OperationalError

from chat import desk, doors, limits, protocol
from chat.allowance import Allowance
from chat.bus import Hint, bus
from chat.subscription import Subscription
from chat.threads import in_thread
from chat.turns import Started
from history import feed
from history.errors import RateLimited, Refused, TooLarge, Unavailable

logger = logging.getLogger(__name__)

SIGN_IN_AGAIN, OVERLOADED, TOO_FAST, BAD_FRAMES = doors.SIGN_IN_AGAIN, doors.OVERLOADED, 4008, 4009
AWAY = (OperationalError, InterfaceError)
"""What is raised while the database answers nobody."""


class ChatConsumer(AsyncWebsocketConsumer):
    """One socket of one person. `scope["door"]` is (session key | None, token key | None)."""

    # A name that no layer has: hints come over the process's one channel, not over one for each socket.
    channel_layer_alias = "none"

    async def __call__(self, scope: Any, receive: Any, send: Any) -> Any:
        self._door: doors.Door | None = None
        self._watched: dict[str, Subscription] = {}
        self._closing: asyncio.Task[None] | None = None
        self._frames = Allowance(rate=limits.FRAMES_PER_SECOND, burst=limits.FRAMES_AT_ONCE)
        sends = settings.KENNY_SENDS_PER_MINUTE
        self._sends = Allowance(rate=sends / 60, burst=sends)
        self._bad = Allowance(
            rate=limits.BAD_FRAMES_PER_MINUTE / 60, burst=limits.BAD_FRAMES_PER_MINUTE - 1
        )
        try:
            return await super().__call__(scope, receive, send)
        finally:
            # Channels does not call `disconnect` after an exception.
            await self._leave()

    async def dispatch(self, message: dict[str, Any]) -> None:
        """Hand a message on without Channels' hop to the one database thread that all sockets would share."""
        handler = getattr(self, get_handler_name(message), None)
        if handler is not None:
            await handler(message)

    async def connect(self) -> None:
        await self.accept()
        user = self.scope.get("user")
        if user is None or not user.is_authenticated:
            await self.close(code=SIGN_IN_AGAIN)
            return
        self._owner_id: int = user.pk
        if doors.count(self._owner_id) >= limits.SOCKETS_PER_USER:
            await self.close(code=OVERLOADED)
            return
        session_key, token_key = cast("dict[str, Any]", self.scope)["door"]
        self._door = doors.Door(
            user_id=self._owner_id,
            session_key=session_key,
            token_key=token_key,
            close=self._close_soon,
        )
        doors.enter(self._door)
        bus.listen(self._on_hint)
        try:
            cursor = await in_thread(feed.cursor_for, self._owner_id)
        except AWAY as error:
            logger.warning("a socket is sent away: %s", type(error).__name__)
            await self.close(code=OVERLOADED)
            return
        await self._say_object(
            {
                "type": "hello",
                "account": self._owner_id,
                "static": settings.STATIC_URL,
                "limits": limits.published(),
                "cursor": cursor,
            }
        )

    async def disconnect(self, code: int) -> None:
        del code
        await self._leave()

    async def _leave(self) -> None:
        door, self._door = self._door, None
        if door is not None:
            doors.leave(door)
            bus.forget(self._on_hint)
        watched, self._watched = self._watched, {}
        for subscription in watched.values():
            await subscription.end()

    def _close_soon(self, code: int) -> None:
        if self._closing is None:
            self._closing = asyncio.ensure_future(self.close(code=code))

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        """Answer one frame. Whatever a client sends, the socket stays open until it is too fast or too often wrong."""
        del bytes_data
        if not self._frames.take(time.monotonic()):
            await self.close(code=TOO_FAST)
            return
        ref: str | None = None
        try:
            body = self._read(text_data)
            ref = (
                body["ref"] if isinstance(body, dict) and isinstance(body.get("ref"), str) else None
            )
            frame, ref = protocol.parse(body)
            await self._answer(frame, ref=ref)
        except protocol.BadFrame as error:
            await self._refuse(error, ref=ref)
            if not self._bad.take(time.monotonic()):
                await self.close(code=BAD_FRAMES)
        except Refused as error:
            await self._refuse(error, ref=ref)
        except AWAY as error:
            logger.warning("a frame is refused: %s", type(error).__name__)
            await self._refuse(Unavailable(), ref=ref)
        except Exception:
            logger.exception("a frame failed")
            await self._say_error(
                "internal", "Something went wrong on the server.", ref=ref, facts={}
            )

    def _read(self, text: str | None) -> object:
        if text is None:
            raise protocol.BadFrame("Frames are JSON text.")
        if len(text) > protocol.MAX_FRAME_CHARS:
            raise TooLarge("The frame is too long.", limit=protocol.MAX_FRAME_CHARS)
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            raise protocol.BadFrame("The frame is no JSON.") from None

    async def _answer(self, frame: protocol.Frame, *, ref: str | None) -> None:
        match frame:
            case protocol.Send():
                await self._send_message(frame, ref=ref)
            case protocol.Confirm():
                await self._confirm(frame, ref=ref)
            case protocol.Watch():
                found = await in_thread(desk.watched, frame, owner_id=self._owner_id)
                await self._ack(ref, frame.conversation_id, found.turn.turn_id if found else None)
                await self._watch(frame.conversation_id, found, render=frame.render)
            case protocol.Unwatch():
                await self._unwatch(frame.conversation_id)
                await self._ack(ref, frame.conversation_id, None)
            case protocol.Stop():
                stopping = await in_thread(desk.stop, frame.turn_id, owner_id=self._owner_id)
                await self._ack(ref, stopping.turn.conversation.cid, frame.turn_id)
            case protocol.Ping():
                await self._say_object({"type": "ack"} | ({"ref": ref} if ref else {}))

    async def _send_message(self, frame: protocol.Send, *, ref: str | None) -> None:
        if not self._sends.take(time.monotonic()):
            raise RateLimited("You are sending too fast.", retryAfter=1)
        started = await in_thread(desk.send, frame, owner_id=self._owner_id)
        await self._ack(ref, started.conversation_id, started.turn.turn_id)
        await self._watch(started.conversation_id, started, render=frame.render)

    async def _confirm(self, frame: protocol.Confirm, *, ref: str | None) -> None:
        decided = await in_thread(desk.confirm, frame, owner_id=self._owner_id)
        await self._ack(ref, decided.conversation_id, decided.turn.turn_id)
        watched = self._watched.get(decided.conversation_id)
        if watched is not None and watched.follows(decided.turn, render=frame.render):
            # It may be behind what is kept already: beginning anew would leave that out.
            watched.move(decided.turn.turn_id, status="running")
        else:
            await self._watch(decided.conversation_id, decided, render=frame.render)

    async def _watch(self, conversation_id: str, found: Started | None, *, render: bool) -> None:
        await self._unwatch(conversation_id)
        subscription = Subscription(
            conversation_id=conversation_id, owner_id=self._owner_id, render=render, say=self._say
        )
        self._watched[conversation_id] = subscription
        subscription.begin(found.turn if found else None, after=found.after if found else 0)

    async def _unwatch(self, conversation_id: str) -> None:
        subscription = self._watched.pop(conversation_id, None)
        if subscription is not None:
            await subscription.end()

    def _on_hint(self, hint: Hint) -> None:
        if hint["kind"] != "user" or hint["user"] != self._owner_id:
            return
        frame = hint["frame"]
        if frame["type"] == "live" and (subscription := self._watched.get(frame["conversationId"])):
            subscription.move(frame["turnId"], status=frame["status"])
        # The loop holds it until it is done; a hint that does not arrive costs nothing.
        asyncio.ensure_future(self._say_quietly(frame))  # noqa: RUF006

    async def _say_quietly(self, frame: dict[str, Any]) -> None:
        with contextlib.suppress(Exception):
            await self._say_object(frame)

    async def _refuse(self, error: Refused, *, ref: str | None) -> None:
        await self._say_error(error.code, error.message, ref=ref, facts=error.facts)

    async def _say_error(
        self, code: str, message: str, *, ref: str | None, facts: dict[str, Any]
    ) -> None:
        frame = {
            "type": "error",
            "code": code,
            "message": message,
            "retryable": code in {"unavailable", "internal"},
        }
        await self._say_object(frame | facts | ({"ref": ref} if ref else {}))

    async def _ack(self, ref: str | None, conversation_id: str, turn_id: str | None) -> None:
        if ref is not None:
            frame = {
                "type": "ack",
                "ref": ref,
                "conversationId": conversation_id,
                "turnId": turn_id,
            }
            await self._say_object(frame)

    async def _say_object(self, frame: dict[str, Any]) -> None:
        await self._say(json.dumps(frame, ensure_ascii=False, separators=(",", ":")))

    async def _say(self, line: str) -> None:
        await self.send(text_data=line)
